/** Folders for the files of one job: made when needed, always removed, and swept when a process died over them. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const prefix = 'simulator-';
/** No job works that long. */
const staleMs = 86_400_000;

export interface WorkFolder {
  /** A path in the folder. */
  path(name: string): string;
  /** Streams into a file of the folder and answers its path. */
  save(name: string, source: Readable): Promise<string>;
  /** Streams a file of the folder, and removes the folder once that ended, in whatever way. */
  openLast(name: string): Readable;
  /** Removing it twice is no error. */
  remove(): Promise<void>;
}

/** Makes a folder under `tempDir`, which is made too if it is not there. */
export async function makeWorkFolder(tempDir: string): Promise<WorkFolder> {
  await mkdir(tempDir, { recursive: true });
  const folder = await mkdtemp(join(tempDir, prefix));
  const path = (name: string) => join(folder, name);
  const remove = () => rm(folder, { recursive: true, force: true });
  return {
    path,
    save: async (name, source) => {
      await pipeline(source, createWriteStream(path(name)));
      return path(name);
    },
    openLast: (name) => {
      const stream = createReadStream(path(name));
      // A folder that can't be removed now is swept later.
      stream.once('close', () => {
        remove().catch(() => undefined);
      });
      return stream;
    },
    remove,
  };
}

/** Removes folders of processes that died, a day after their last change. A folder that is not there is no error. */
export async function sweepWorkFolders(tempDir: string, nowMs: number): Promise<void> {
  const names = await readdir(tempDir).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(prefix))) {
    const found = await stat(join(tempDir, name)).catch(() => undefined);
    if (found !== undefined && nowMs - found.mtimeMs > staleMs) {
      await rm(join(tempDir, name), { recursive: true, force: true });
    }
  }
}
