import assert from 'node:assert/strict';
import { mkdtemp, open, readdir, rm, utimes, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { mock, test } from 'node:test';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import { createFileBlobs } from '../../src/blobs/file-store.ts';
import { blobStoreSuite, read, unlimited, write } from './blob-store-suite.ts';

async function withBlobs(use: (blobs: BlobStore, folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-blobs-'));
  try {
    await use(createFileBlobs(join(folder, 'blobs')), join(folder, 'blobs'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Every file in the store's folder by its path, unfinished ones included. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []); // not made yet
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
}

blobStoreSuite((use) => withBlobs((blobs, folder) => use(blobs, () => filesIn(folder))));

for (const [moment, method] of [
  ['while it is written', 'writev'],
  ['when it is synced', 'sync'],
] as const) {
  test(`a disk that is full ${moment} leaves nothing behind, and the source is ended`, () =>
    withBlobs(async (blobs, folder) => {
      await write(blobs, 'before', 'x');
      const probe = await open(join(folder, 'before'));
      const prototype = Object.getPrototypeOf(probe) as FileHandle;
      await probe.close();
      const source = Readable.from([Buffer.alloc(10), Buffer.alloc(10)]);
      const full = mock.method(prototype, method, () =>
        Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })),
      );
      try {
        await assert.rejects(blobs.write('a/k', source, unlimited), { code: 'ENOSPC' });
      } finally {
        full.mock.restore();
      }
      assert.ok(source.destroyed);
      assert.deepEqual(await filesIn(folder), ['before']);
      await write(blobs, 'a/k', 'later there is room');
    }));
}

test('a write that the disk takes in parts is completed', () =>
  withBlobs(async (blobs, folder) => {
    await write(blobs, 'before', 'x');
    const probe = await open(join(folder, 'before'));
    const prototype = Object.getPrototypeOf(probe) as FileHandle;
    await probe.close();
    const whole = Reflect.get(prototype, 'write') as (
      piece: Buffer,
      offset: number,
      length: number,
    ) => Promise<unknown>;
    const parts = mock.method(
      prototype,
      'write',
      function (this: FileHandle, ...[piece, offset, length]: Parameters<typeof whole>) {
        return whole.call(this, piece, offset, Math.min(length, 3));
      },
    );
    const first = mock.method(prototype, 'writev', async function (this: FileHandle, pieces: readonly Buffer[]) {
      return whole.call(this, Buffer.concat(pieces), 0, 3);
    });
    try {
      await blobs.write('k', Readable.from([Buffer.from('in sev'), Buffer.from('eral parts')]), unlimited);
    } finally {
      parts.mock.restore();
      first.mock.restore();
    }
    assert.equal(first.mock.callCount(), 1);
    assert.equal(parts.mock.callCount(), 5);
    assert.equal(await read(blobs, 'k'), 'in several parts');
  }));

test('the source is not asked for more than the disk has taken', () =>
  withBlobs(async (blobs) => {
    let inFlight = 0;
    const source = {
      async *[Symbol.asyncIterator]() {
        for (let index = 0; index < 50; index++) {
          inFlight++;
          assert.equal(inFlight, 1);
          yield Buffer.alloc(65_536);
          inFlight--;
          await Promise.resolve();
        }
      },
    };
    assert.equal((await blobs.write('k', source, unlimited)).bytes, 50 * 65_536);
  }));

test('removing takes the emptied folders along, and keys can be written there again', () =>
  withBlobs(async (blobs, folder) => {
    await write(blobs, 'tasks/a/1', 'x');
    await write(blobs, 'tasks/b/1', 'x');
    await blobs.remove('tasks/a/1');
    assert.deepEqual(await readdir(join(folder, 'tasks')), ['b']);
    await blobs.remove('tasks/a/1');
    await write(blobs, 'tasks/a/1', 'again');
    assert.equal(await read(blobs, 'tasks/a/1'), 'again');
  }));

test('only what dead writers left long ago is cleaned up', () =>
  withBlobs(async (blobs, folder) => {
    await write(blobs, 'k', 'x');
    const old = join(folder, '.temporary', 'old');
    await writeFile(old, 'half');
    await utimes(old, new Date(), new Date(Date.now() - 3_600_000));
    await writeFile(join(folder, '.temporary', 'young'), 'half');
    assert.equal(await blobs.removeStaleTemporaries(60_000), 1);
    assert.deepEqual(await readdir(join(folder, '.temporary')), ['young']);
    assert.equal(await read(blobs, 'k'), 'x');
  }));

test('the check reports what is wrong with a bad folder', () =>
  withBlobs(async (_, folder) => {
    await writeFile(`${folder}-file`, 'not a folder');
    await assert.rejects(createFileBlobs(`${folder}-file`).check());
  }));
