import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, open, readdir, rm, utimes, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { mock, test } from 'node:test';
import { BlobExists, BlobNotFound, BlobTooLarge } from '../../src/storage/blobs.ts';
import { createFileBlobs, type FileBlobs } from '../../src/storage/file-blobs.ts';

const unlimited = { bytesMax: Number.MAX_SAFE_INTEGER };

async function withBlobs(use: (blobs: FileBlobs, folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-blobs-'));
  try {
    await use(createFileBlobs(join(folder, 'blobs')), join(folder, 'blobs'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Every file in the store's folder, unfinished ones included. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

async function keysOf(blobs: FileBlobs, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of blobs.list(prefix)) keys.push(key);
  return keys.sort();
}

const write = (blobs: FileBlobs, key: string, content: string | Buffer) =>
  blobs.write(key, Readable.from([Buffer.from(content)]), unlimited);
const read = async (blobs: FileBlobs, key: string, range?: { start: number; end: number }) =>
  (await buffer(await blobs.read(key, range))).toString();

test('what was written is read back, with its size and SHA-256', () =>
  withBlobs(async (blobs) => {
    const content = randomBytes(300_000);
    const pieces = [0, 1, 2].map((index) => content.subarray(index * 100_000, (index + 1) * 100_000));
    const stored = await blobs.write('results/img_1/a.png', Readable.from(pieces), unlimited);
    const sha256 = createHash('sha256').update(content).digest('hex');
    assert.deepEqual(stored, { key: 'results/img_1/a.png', bytes: 300_000, sha256 });
    assert.ok((await buffer(await blobs.read(stored.key))).equals(content));
    assert.equal(await blobs.size(stored.key), 300_000);
  }));

test('a blob may be empty', () =>
  withBlobs(async (blobs) => {
    const stored = await blobs.write('empty', Readable.from([]), unlimited);
    assert.equal(stored.bytes, 0);
    assert.equal(await read(blobs, 'empty'), '');
  }));

test('a range is read from its start to before its end', () =>
  withBlobs(async (blobs) => {
    await write(blobs, 'k', '0123456789');
    assert.equal(await read(blobs, 'k', { start: 2, end: 5 }), '234');
    assert.equal(await read(blobs, 'k', { start: 0, end: 1 }), '0');
    assert.equal(await read(blobs, 'k', { start: 9, end: 100 }), '9');
    assert.equal(await read(blobs, 'k', { start: 4, end: 4 }), '');
    await assert.rejects(blobs.read('k', { start: 5, end: 4 }), RangeError);
  }));

test('a key is never written twice, and the second writer leaves nothing', () =>
  withBlobs(async (blobs, folder) => {
    await write(blobs, 'a/b', 'first');
    await assert.rejects(write(blobs, 'a/b', 'second'), BlobExists);
    assert.equal(await read(blobs, 'a/b'), 'first');
    assert.deepEqual(await filesIn(folder), ['b']);
  }));

test('of many writers of one key exactly one succeeds', () =>
  withBlobs(async (blobs, folder) => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => write(blobs, 'k', `writer ${index}`)),
    );
    const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal(await read(blobs, 'k'), `writer ${winner}`);
    assert.deepEqual(await filesIn(folder), ['k']);
  }));

test('nothing can be seen under a key before all of it came', () =>
  withBlobs(async (blobs) => {
    async function* source() {
      yield Buffer.from('half');
      await assert.rejects(blobs.size('k'), BlobNotFound);
      assert.deepEqual(await keysOf(blobs, ''), []);
      yield Buffer.from(' and half');
    }
    await blobs.write('k', source(), unlimited);
    assert.equal(await read(blobs, 'k'), 'half and half');
  }));

test('a source that is too long is refused and ended, one of just the size is not', () =>
  withBlobs(async (blobs, folder) => {
    const source = Readable.from([Buffer.alloc(5), Buffer.alloc(6), Buffer.alloc(1000)]);
    await assert.rejects(blobs.write('k', source, { bytesMax: 10 }), BlobTooLarge);
    assert.ok(source.destroyed);
    assert.deepEqual(await filesIn(folder), []);
    assert.equal((await blobs.write('k', Readable.from([Buffer.alloc(10)]), { bytesMax: 10 })).bytes, 10);
  }));

test('a source that fails leaves nothing behind', () =>
  withBlobs(async (blobs, folder) => {
    async function* source() {
      await Promise.resolve();
      yield Buffer.from('some');
      throw new Error('the line broke');
    }
    await assert.rejects(blobs.write('k', source(), unlimited), /the line broke/);
    assert.deepEqual(await filesIn(folder), []);
  }));

for (const [moment, method] of [
  ['while it is written', 'write'],
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
    try {
      await write(blobs, 'k', 'in several parts');
    } finally {
      parts.mock.restore();
    }
    assert.equal(parts.mock.callCount(), 6);
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

test('what is not there is told as such', () =>
  withBlobs(async (blobs) => {
    await write(blobs, 'a/b', 'x');
    for (const key of ['nothing', 'a', 'a/b/c', 'a/c']) {
      await assert.rejects(blobs.read(key), BlobNotFound, key);
      await assert.rejects(blobs.size(key), BlobNotFound, key);
      await blobs.remove(key);
    }
    assert.equal(await read(blobs, 'a/b'), 'x');
  }));

for (const key of [
  '',
  '.',
  '..',
  '../x',
  'a/../b',
  'a//b',
  '/a',
  'a/',
  '.hidden',
  'a/.b',
  'a b',
  'a\0b',
  'ä',
  'a\\b',
  'x'.repeat(129),
  'x/'.repeat(257) + 'x',
]) {
  test(`${JSON.stringify(key.slice(0, 20))} is not a key`, () =>
    withBlobs(async (blobs, folder) => {
      const source = Readable.from([Buffer.alloc(1)]);
      await assert.rejects(blobs.write(key, source, unlimited), /not a key/);
      await assert.rejects(blobs.read(key), /not a key/);
      await assert.rejects(blobs.size(key), /not a key/);
      await assert.rejects(blobs.remove(key), /not a key/);
      await assert.rejects(readdir(folder), { code: 'ENOENT' });
    }));
}

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

test('writing and removing in one folder at once never fails', () =>
  withBlobs(async (blobs) => {
    const one = async (name: string) => {
      for (let round = 0; round < 15; round++) {
        await write(blobs, `tasks/shared/${name}-${round}`, 'x');
        await blobs.remove(`tasks/shared/${name}-${round}`);
      }
    };
    await Promise.all(['a', 'b', 'c', 'd'].map(one));
    assert.deepEqual(await keysOf(blobs, ''), []);
  }));

test('a list has the keys below a prefix, with the time of their change', () =>
  withBlobs(async (blobs) => {
    const before = Date.now() - 2000; // file systems round
    for (const key of ['uploads/a/1', 'uploads/ab/1', 'results/a', 'upload']) await write(blobs, key, 'x');
    assert.deepEqual(await keysOf(blobs, ''), ['results/a', 'upload', 'uploads/a/1', 'uploads/ab/1']);
    assert.deepEqual(await keysOf(blobs, 'uploads/a/'), ['uploads/a/1']);
    assert.deepEqual(await keysOf(blobs, 'uploads/a'), ['uploads/a/1', 'uploads/ab/1']);
    assert.deepEqual(await keysOf(blobs, 'nothing/'), []);
    for await (const { changedAtMs } of blobs.list('results/')) assert.ok(changedAtMs >= before);
    await assert.rejects(keysOf(blobs, '../'), /not a key/);
  }));

test('a list of a store that was never written to is empty', () =>
  withBlobs(async (blobs) => {
    assert.deepEqual(await keysOf(blobs, ''), []);
    assert.equal(await blobs.removeStaleTemporaries(0), 0);
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

test('the check passes on a good folder, leaves nothing, and tells what is wrong with a bad one', () =>
  withBlobs(async (blobs, folder) => {
    await blobs.check();
    assert.deepEqual(await filesIn(folder), []);
    await writeFile(`${folder}-file`, 'not a folder');
    await assert.rejects(createFileBlobs(`${folder}-file`).check());
  }));
