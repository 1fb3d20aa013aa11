/** Blobs as files: the key is the path below one folder, and a file appears under its name only when it is whole. */
import { randomBytes } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { link, mkdir, open, opendir, rmdir, stat, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { checkKey, folderOfPrefix, isSegment } from './blob-keys.ts';
import { BlobMeter } from './blob-meter.ts';
import { BlobExists, BlobNotFound, type BlobStore, type StoredBlob } from './blob-store.ts';
import { tryBlobs } from './store-trial.ts';

// Keys can't begin a segment with a dot, so no key is ever inside it. In the store's own folder: a link can't cross file systems.
const temporaryFolder = '.temporary';
// Another process may remove an emptied folder between our `mkdir` and our `link`.
const linkAttemptsMax = 10;
// Each read and write is a turn of another thread. Twice Node's 64 KiB saves 0.4 of 1.0 s of CPU time a GB that is read; more
// saves little, and a reader that is slow keeps two such pieces in memory.
const readBytes = 128 * 1024;
// Some reads of a connection (64 KiB) at once save a quarter of an upload's CPU time. Tiny pieces are not piled up.
const writeBytes = 256 * 1024;
const writePiecesMax = 16;

/**
 * A blob store in a folder, which is made when first needed. Several processes may share it.
 * The file system must know hard links. Unfinished files are stale when they have not grown for that long.
 */
export function createFileBlobs(path: string): BlobStore {
  const folder = resolve(path);
  const temporaries = join(folder, temporaryFolder);

  async function write(key: string, source: AsyncIterable<Uint8Array>, { bytesMax }: { bytesMax: number }) {
    const path = pathOf(folder, key);
    const aside = join(temporaries, randomBytes(16).toString('hex'));
    try {
      const file = await openNew(aside);
      let facts: Omit<StoredBlob, 'key'>;
      try {
        facts = await copy(source, file, bytesMax);
        await file.sync();
      } finally {
        await file.close();
      }
      await publish(aside, path);
      return { key, ...facts };
    } catch (error) {
      if (source instanceof Readable) source.destroy(); // where writing failed before the first byte was taken
      await removeFile(aside);
      throw error;
    }
  }

  async function openNew(path: string): Promise<FileHandle> {
    try {
      return await open(path, 'wx', 0o600);
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
      await Promise.all((await makeFolders(temporaries, folder)).map(syncFolder));
      return open(path, 'wx', 0o600);
    }
  }

  /** Gives the finished file its name, durably. A link, unlike a rename, overwrites nothing. */
  async function publish(aside: string, path: string): Promise<void> {
    const changed = new Set([dirname(path)]);
    for (let attempt = 1; ; attempt++) {
      try {
        await link(aside, path);
        break;
      } catch (error) {
        if (hasCode(error, 'EEXIST')) throw new BlobExists('the key is taken');
        if (!hasCode(error, 'ENOENT') || attempt === linkAttemptsMax) throw error;
        for (const parent of await makeFolders(dirname(path), folder)) changed.add(parent);
      }
    }
    try {
      // All at once: the file system then commits them together, 0.6 ms less (of 3) for a blob in a new folder.
      await Promise.all([removeFile(aside), ...[...changed].map(syncFolder)]);
    } catch (error) {
      await removeFile(path);
      throw error;
    }
  }

  async function read(key: string, range?: { start: number; end: number }): Promise<Readable> {
    const file = await openBlob(key);
    if (range === undefined) return file.createReadStream({ highWaterMark: readBytes });
    if (range.start < range.end)
      return file.createReadStream({ start: range.start, end: range.end - 1, highWaterMark: readBytes });
    await file.close();
    if (range.start === range.end) return Readable.from([]);
    throw new RangeError('a range ends before it starts');
  }

  async function openBlob(key: string): Promise<FileHandle> {
    const path = pathOf(folder, key);
    const file = await foundOnly(() => open(path, 'r'));
    if ((await file.stat()).isFile()) return file;
    await file.close();
    throw new BlobNotFound('there is no such blob');
  }

  async function size(key: string): Promise<number> {
    const path = pathOf(folder, key);
    const facts = await foundOnly(() => stat(path));
    if (!facts.isFile()) throw new BlobNotFound('there is no such blob');
    return facts.size;
  }

  /** Not synced: a blob that a crash brings back is one that no row names, and maintenance finds it. */
  async function remove(key: string): Promise<void> {
    const path = pathOf(folder, key);
    await removeFile(path);
    for (let parent = dirname(path); parent !== folder && parent.startsWith(folder + sep); parent = dirname(parent)) {
      if (!(await removeIfEmpty(parent))) break;
    }
  }

  async function* list(prefix: string): AsyncIterable<{ key: string; changedAtMs: number }> {
    yield* below(folderOfPrefix(prefix), prefix);
  }

  async function* below(start: string, prefix: string): AsyncIterable<{ key: string; changedAtMs: number }> {
    for await (const entry of entriesOf(join(folder, start))) {
      const key = `${start}${entry.name}`;
      if (!isSegment(entry.name) || !(key.startsWith(prefix) || prefix.startsWith(`${key}/`))) continue;
      if (entry.isDirectory()) yield* below(`${key}/`, prefix);
      else if (entry.isFile()) {
        const facts = await existing(() => stat(join(folder, key)));
        if (facts !== undefined) yield { key, changedAtMs: facts.mtimeMs };
      }
    }
  }

  async function removeStaleTemporaries(olderThanMs: number): Promise<number> {
    let removed = 0;
    for await (const entry of entriesOf(temporaries)) {
      const path = join(temporaries, entry.name);
      const facts = await existing(() => stat(path));
      if (facts === undefined || !facts.isFile() || Date.now() - facts.mtimeMs < olderThanMs) continue;
      await removeFile(path);
      removed++;
    }
    return removed;
  }

  const check = () => tryBlobs({ write, read, remove });
  const close = () => undefined;
  return { write, read, size, remove, list, check, removeStaleTemporaries, close };
}

/** Writes all of a source, counting and hashing on the way; the source is only asked for more once what it gave is written. */
async function copy(source: AsyncIterable<Uint8Array>, file: FileHandle, bytesMax: number) {
  const meter = new BlobMeter(bytesMax);
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of source) {
    meter.add(piece);
    pieces.push(piece);
    bytes += piece.length;
    if (bytes < writeBytes && pieces.length < writePiecesMax) continue;
    await writeAll(file, pieces, bytes);
    pieces = [];
    bytes = 0;
  }
  await writeAll(file, pieces, bytes);
  return meter.facts();
}

async function writeAll(file: FileHandle, pieces: readonly Uint8Array[], bytes: number): Promise<void> {
  if (bytes === 0) return;
  const { bytesWritten } = await file.writev(pieces);
  if (bytesWritten === bytes) return;
  // A write that was cut short, as on a disk that is all but full: the rest says why, or succeeds.
  const rest = Buffer.concat(pieces).subarray(bytesWritten);
  for (let written = 0; written < rest.length;) {
    written += (await file.write(rest, written, rest.length - written)).bytesWritten;
  }
}

function pathOf(folder: string, key: string): string {
  checkKey(key);
  return join(folder, ...key.split('/'));
}

/**
 * Makes a folder and its parents below the store's. Returns the folders that got a new name in them, which are to be synced:
 * all of them where another removed one meanwhile, of which Node says that it is missing or no folder. It may then be missing.
 */
async function makeFolders(path: string, store: string): Promise<string[]> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
    const end = path.indexOf(sep, store.length + 1);
    return end < 0 ? path : path.slice(0, end);
  });
  const changed: string[] = [];
  if (first === undefined) return changed;
  for (let made = path; made.length >= first.length; made = dirname(made)) changed.push(dirname(made));
  return changed;
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function* entriesOf(path: string): AsyncIterable<Dirent> {
  const folder = await existing(() => opendir(path));
  if (folder !== undefined) yield* folder;
}

async function removeFile(path: string): Promise<void> {
  await existing(() => unlink(path));
}

/** Returns whether the folder is gone. */
async function removeIfEmpty(path: string): Promise<boolean> {
  try {
    await rmdir(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')) return false;
    if (hasCode(error, 'ENOENT')) return true;
    throw error;
  }
}

async function foundOnly<T>(act: () => Promise<T>): Promise<T> {
  const result = await existing(act);
  if (result === undefined) throw new BlobNotFound('there is no such blob');
  return result;
}

/** Undefined where the path doesn't exist, or is a folder where a file is meant. */
async function existing<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) return undefined;
    throw error;
  }
}

const hasCode = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
