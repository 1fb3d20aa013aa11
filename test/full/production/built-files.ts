/** What a build made, to compare it with what another one made of the same sources. */
import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface BuiltFile {
  hash: string;
  /** Its bytes as Latin-1. */
  text: string;
}

const notBuilt = /(^|\/)(\.stamp|sbom\.json)$/;

/** The files of a `dist` by their paths in it, without notes for the next build and the list of parts, which no build makes. */
export async function filesOf(dist: string): Promise<Map<string, BuiltFile>> {
  const names = await readdir(dist, { recursive: true });
  const files = new Map<string, BuiltFile>();
  for (const name of names) {
    if (notBuilt.test(name) || !(await stat(join(dist, name))).isFile()) continue;
    const bytes = await readFile(join(dist, name));
    files.set(name, { hash: createHash('sha256').update(bytes).digest('hex'), text: bytes.toString('latin1') });
  }
  return files;
}

/** The paths of the files that only one of the two has, or that differ. */
export function differences(one: ReadonlyMap<string, BuiltFile>, other: ReadonlyMap<string, BuiltFile>): string[] {
  const names = new Set([...one.keys(), ...other.keys()]);
  return [...names].filter((name) => one.get(name)?.hash !== other.get(name)?.hash).sort();
}
