/** What every blob store keeps to, wherever it keeps its blobs; run by a test file a store. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { BlobExists, BlobNotFound, type BlobStore, BlobTooLarge } from '../../src/blobs/blob-store.ts';

export const unlimited = { bytesMax: Number.MAX_SAFE_INTEGER };

/** Lends an empty store, and a function that returns everything in it: keys, and words for what is unfinished. */
export type WithBlobs = (use: (blobs: BlobStore, all: () => Promise<string[]>) => Promise<void>) => Promise<void>;

export async function keysOf(blobs: BlobStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of blobs.list(prefix)) keys.push(key);
  return keys.sort();
}

export const write = (blobs: BlobStore, key: string, content: string | Buffer) =>
  blobs.write(key, Readable.from([Buffer.from(content)]), unlimited);
export const read = async (blobs: BlobStore, key: string, range?: { start: number; end: number }) =>
  (await buffer(await blobs.read(key, range))).toString();

/** Several parts of a multipart upload, and a bit. */
const large = randomBytes(17 * 1024 * 1024 + 12_345);
/** As it comes from a connection. */
function* piecesOf(content: Buffer) {
  for (let from = 0; from < content.length; from += 65_536) yield content.subarray(from, from + 65_536);
}

export function blobStoreSuite(withBlobs: WithBlobs): void {
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
    withBlobs(async (blobs, all) => {
      await write(blobs, 'a/b', 'first');
      await assert.rejects(write(blobs, 'a/b', 'second'), BlobExists);
      assert.equal(await read(blobs, 'a/b'), 'first');
      assert.deepEqual(await all(), ['a/b']);
    }));

  test('of many writers of one key exactly one succeeds', () =>
    withBlobs(async (blobs, all) => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, index) => write(blobs, 'k', `writer ${index}`)),
      );
      const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
      assert.equal(await read(blobs, 'k'), `writer ${winner}`);
      assert.deepEqual(await all(), ['k']);
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
    withBlobs(async (blobs, all) => {
      const source = Readable.from([Buffer.alloc(5), Buffer.alloc(6), Buffer.alloc(1000)]);
      await assert.rejects(blobs.write('k', source, { bytesMax: 10 }), BlobTooLarge);
      assert.ok(source.destroyed);
      assert.deepEqual(await all(), []);
      assert.equal((await blobs.write('k', Readable.from([Buffer.alloc(10)]), { bytesMax: 10 })).bytes, 10);
    }));

  test('a source that fails leaves nothing behind', () =>
    withBlobs(async (blobs, all) => {
      async function* source() {
        await Promise.resolve();
        yield Buffer.from('some');
        throw new Error('the line broke');
      }
      await assert.rejects(blobs.write('k', source(), unlimited), /the line broke/);
      assert.deepEqual(await all(), []);
    }));

  test('a missing blob is reported as missing', () =>
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
      withBlobs(async (blobs, all) => {
        const source = Readable.from([Buffer.alloc(1)]);
        await assert.rejects(blobs.write(key, source, unlimited), /not a key/);
        await assert.rejects(blobs.read(key), /not a key/);
        await assert.rejects(blobs.size(key), /not a key/);
        await assert.rejects(blobs.remove(key), /not a key/);
        assert.deepEqual(await all(), []);
      }));
  }

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

  test('a large blob comes back whole and in ranges', () =>
    withBlobs(async (blobs, all) => {
      const stored = await blobs.write('large', Readable.from(piecesOf(large)), unlimited);
      const sha256 = createHash('sha256').update(large).digest('hex');
      assert.deepEqual(stored, { key: 'large', bytes: large.length, sha256 });
      assert.ok((await buffer(await blobs.read('large'))).equals(large));
      const range = { start: 8_000_000, end: 9_000_000 };
      assert.ok((await buffer(await blobs.read('large', range))).equals(large.subarray(range.start, range.end)));
      assert.equal(await blobs.size('large'), large.length);
      assert.deepEqual(await all(), ['large']);
    }));

  test('of several writers of one large blob exactly one succeeds, and the others leave nothing', () =>
    withBlobs(async (blobs, all) => {
      const outcomes = await Promise.allSettled(
        [1, 2, 3].map(() => blobs.write('k', Readable.from(piecesOf(large)), unlimited)),
      );
      const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
      assert.equal(failures.length, 2);
      for (const { reason } of failures) assert.ok(reason instanceof BlobExists, String(reason));
      assert.deepEqual(await all(), ['k']);
    }));

  for (const [what, source, bytesMax, expected] of [
    ['fails', () => failing(), unlimited.bytesMax, /the line broke/],
    ['is too long', () => Readable.from(piecesOf(large)), large.length - 1, BlobTooLarge],
  ] as const) {
    test(`a source that ${what} after several parts leaves nothing behind`, () =>
      withBlobs(async (blobs, all) => {
        await assert.rejects(blobs.write('a/k', source(), { bytesMax }), expected);
        assert.deepEqual(await all(), []);
        await write(blobs, 'a/k', 'later');
      }));
  }

  test('a blob that is not read to its end does not keep callers from reading others', () =>
    withBlobs(async (blobs) => {
      await blobs.write('large', Readable.from(piecesOf(large)), unlimited);
      for (let round = 0; round < 300; round++) (await blobs.read('large')).destroy();
      const one = await blobs.read('large');
      for await (const piece of one) {
        assert.ok(Buffer.isBuffer(piece));
        break;
      }
      assert.ok(one.destroyed);
      assert.ok((await buffer(await blobs.read('large'))).equals(large));
    }));

  test('the check passes and leaves nothing', () =>
    withBlobs(async (blobs, all) => {
      for (let round = 0; round < 2; round++) await blobs.check();
      assert.deepEqual(await all(), []);
    }));
}

async function* failing() {
  yield* piecesOf(large);
  await Promise.resolve();
  throw new Error('the line broke');
}
