/** Small files in the data folder that say what one run left to the next: parsed when read, replaced atomically when written. */
import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { z } from 'zod';
import { codeOf } from './processes.ts';

/** What the file says, or undefined if it is missing or is not what the schema asks for (a file cut short, an older form). */
export async function readState<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  try {
    const parsed = schema.safeParse(JSON.parse(await readFile(path, 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Replaces the file in one step, so that no reader sees half of it. Readable by its owner only. */
export async function writeState(path: string, state: object): Promise<void> {
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(aside, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  await rename(aside, path);
}
