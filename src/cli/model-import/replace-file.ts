/** Text files that a command reads whole and replaces. */
import { randomBytes } from 'node:crypto';
import { chmod, open, realpath, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { Refusal } from '../output.ts';

const fileBytesMax = 64 * 1024 * 1024;

/** Returns the text of a file of 64 MiB at most. Refuses what can't be read. */
export async function readText(file: string): Promise<string> {
  try {
    const handle = await open(file, 'r');
    try {
      const { size } = await handle.stat();
      if (size > fileBytesMax) throw new Refusal(`${file} is larger than ${fileBytesMax} bytes.`);
      return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(`${file} can't be read (${codeOf(error)}).`);
  }
}

/** In one step, so that no reader sees half of it; refuses if the file was changed meanwhile. */
export async function replaceFile(path: string, before: string, after: string): Promise<void> {
  const target = await realpath(path);
  if ((await readText(target)) !== before) throw new Refusal(`${path} was changed meanwhile. Run the command again.`);
  const { mode } = await stat(target);
  const aside = `${target}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(aside, after, { flag: 'wx', mode: 0o600, flush: true });
    await chmod(aside, mode & 0o777);
    await rename(aside, target);
  } catch (error) {
    await unlink(aside).catch(() => undefined);
    throw new Refusal(`${path} can't be written (${codeOf(error)}).`);
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : String(error);
