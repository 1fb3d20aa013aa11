/** The blob store on a real S3 server: what all stores keep to, and what only this one meets. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { inspect } from 'node:util';
import { CreateMultipartUploadCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import {
  BlobExists,
  BlobNotFound,
  type BlobStore,
  BlobStoreFault,
  removeBlobs,
  storeFailure,
} from '../../../src/blobs/blob-store.ts';
import { type S3StoreSettings, s3Client } from '../../../src/blobs/s3/s3-connection.ts';
import { createS3Blobs } from '../../../src/blobs/s3/s3-store.ts';
import { blobStoreSuite, keysOf, unlimited, write } from '../../storage/blob-store-suite.ts';
import { first, openS3Proxy, type S3Proxy } from '../../support/s3-proxy.ts';
import { everythingIn, type S3Server, startS3Server } from '../../support/s3-server.ts';

let server: S3Server;
before(async () => {
  server = await startS3Server();
});
after(() => server.stop());

/** A store on a bucket of its own. */
async function withBlobs(use: (blobs: BlobStore, settings: S3StoreSettings) => Promise<void>): Promise<void> {
  const settings = await server.makeBucket();
  const blobs = createS3Blobs(settings);
  try {
    await use(blobs, settings);
  } finally {
    blobs.close();
  }
}

blobStoreSuite((use) =>
  withBlobs((blobs, settings) =>
    use(blobs, async () => {
      const { keys, unfinished } = await everythingIn(settings);
      return [...keys, ...unfinished.map(({ key }) => `unfinished ${key}`)];
    }),
  ),
);

/** A store that reaches its bucket through a proxy. */
const withProxy = (use: (blobs: BlobStore, proxy: S3Proxy, direct: BlobStore) => Promise<void>): Promise<void> =>
  withBlobs(async (direct, settings) => {
    const proxy = await openS3Proxy(settings);
    const blobs = createS3Blobs(proxy.settings);
    try {
      await use(blobs, proxy, direct);
      assert.deepEqual((await everythingIn(settings)).unfinished, []);
    } finally {
      blobs.close();
      await proxy.close();
    }
  });

const large = randomBytes(20 * 1024 * 1024);
const largeSource = () => Readable.from([large.subarray(0, 9_000_000), large.subarray(9_000_000)]);

for (const [what, source, content, pattern] of [
  ['a small blob', () => Readable.from([Buffer.from('x')]), Buffer.from('x'), /^PUT /],
  ['the end of a large one', largeSource, large, /^POST .*uploadId=/],
  ['a part of a large one', largeSource, large, /^PUT .*partNumber=2/],
] as const) {
  test(`${what} is written once where the answer was lost, and belongs to its own writer`, () =>
    withProxy(async (blobs, proxy) => {
      proxy.fault = first(1, pattern, 'lost');
      await blobs.write('k', source(), unlimited);
      assert.equal(proxy.seen.filter((asked) => pattern.test(asked)).length, 2);
      assert.ok((await buffer(await blobs.read('k'))).equals(content));
      await assert.rejects(write(blobs, 'k', 'another'), BlobExists);
    }));
}

for (const [what, source, pattern] of [
  ['a small blob', () => Readable.from([Buffer.from('x')]), /^PUT /],
  ['the first part of a large one', largeSource, /^PUT .*partNumber=1/],
  ['the last part of a large one', largeSource, /^PUT .*partNumber=3/],
  ['the end of a large one', largeSource, /^POST .*uploadId=/],
] as const) {
  test(`an error at ${what} leaves nothing behind, and the source is ended`, () =>
    withProxy(async (blobs, proxy, direct) => {
      proxy.fault = first(10, pattern, { status: 507, code: 'QuotaExceeded' });
      const given = source();
      await assert.rejects(blobs.write('k', given, unlimited), (error) => storeFailure(error) === 'full');
      assert.ok(given.destroyed);
      assert.deepEqual(await keysOf(direct, ''), []);
    }));
}

test('a download goes on where a connection broke, more than once', () =>
  withProxy(async (blobs, proxy, direct) => {
    await direct.write('k', largeSource(), unlimited);
    proxy.fault = first(3, /^GET /, 'broken');
    assert.ok((await buffer(await blobs.read('k'))).equals(large));
    assert.equal(proxy.seen.length, 4);
    proxy.fault = first(1, /^GET /, 'broken');
    const range = { start: 1_000, end: 19_000_000 };
    assert.ok((await buffer(await blobs.read('k', range))).equals(large.subarray(range.start, range.end)));
  }));

test('a download that finds its blob removed ends with an error', () =>
  withProxy(async (blobs, proxy, direct) => {
    await direct.write('k', largeSource(), unlimited);
    proxy.fault = first(1, /^GET /, 'broken');
    const download = await blobs.read('k');
    await direct.remove('k');
    await assert.rejects(buffer(download), BlobNotFound);
  }));

test('a server that is killed in the middle of a download and started again breaks nothing', () =>
  withBlobs(async (blobs) => {
    await blobs.write('k', largeSource(), unlimited);
    const pieces: Buffer[] = [];
    for await (const piece of (await blobs.read('k')) as AsyncIterable<Buffer>) {
      if (pieces.push(piece) !== 1) continue;
      await server.kill();
      await server.startAgain();
    }
    assert.ok(Buffer.concat(pieces).equals(large));
  }));

for (const [status, code, failure] of [
  [503, 'SlowDown', 'away'],
  [500, 'InternalError', 'away'],
  [403, 'AccessDenied', 'away'],
  [404, 'NoSuchBucket', 'away'],
  [507, 'InsufficientStorage', 'full'],
  [403, 'QuotaExceeded', 'full'],
] as const) {
  test(`${status} ${code} says that the store is ${failure}, and repeats nothing of what was sent`, () =>
    withProxy(async (blobs, proxy) => {
      proxy.fault = () => ({ status, code });
      for (const act of [
        () => write(blobs, 'k', 'x'),
        () => blobs.read('k'),
        () => blobs.remove('k'),
        () => keysOf(blobs, ''),
      ]) {
        await assert.rejects(act(), (error) => {
          assert.equal(storeFailure(error), failure, String(error));
          assert.ok(error instanceof BlobStoreFault && error.code === code);
          assert.doesNotMatch(inspect(error, { depth: 9 }), /made-up|127\.0\.0\.1|Signature/);
          return true;
        });
      }
      proxy.fault = () => undefined;
    }));
}

test('a server that is not there, and one that knows other keys, are away', async () => {
  const settings = await server.makeBucket();
  const wrong = { accessKeyId: 'made-up-access-key', secretAccessKey: 'another' };
  for (const other of [{ endpoint: 'http://127.0.0.1:9' }, { credentials: wrong }, { bucket: 'there-is-none' }]) {
    const blobs = createS3Blobs({ ...settings, ...other });
    await assert.rejects(blobs.check(), (error) => storeFailure(error) === 'away');
    blobs.close();
  }
});

test('a server that writes over what is there fails the check, and one that does not is asked once', () =>
  withProxy(async (blobs, proxy) => {
    await blobs.check();
    const asked = proxy.seen.length;
    await blobs.check();
    assert.equal(proxy.seen.length - asked, 3);
    const forgetful = createS3Blobs(proxy.settings);
    let puts = 0;
    proxy.fault = (request) => {
      const isSecond = request.startsWith('PUT') && ++puts === 2;
      return isSecond ? { status: 200 } : undefined;
    };
    await assert.rejects(forgetful.check(), { code: 'If-None-Match is not honoured' });
    forgetful.close();
    assert.deepEqual(await keysOf(blobs, ''), []);
  }));

test('a list goes on over all pages, and leaves out what is no blob of ours', () =>
  withBlobs(async (blobs, settings) => {
    const keys = Array.from({ length: 1_003 }, (_, index) => `many/${String(index).padStart(4, '0')}`);
    for (let from = 0; from < keys.length; from += 50)
      await Promise.all(keys.slice(from, from + 50).map((key) => write(blobs, key, 'x')));
    const client = s3Client(settings, settings.endpoint);
    await client.send(new PutObjectCommand({ Bucket: settings.bucket, Key: 'many/not ours', Body: 'x' }));
    client.destroy();
    assert.deepEqual(await keysOf(blobs, 'many/'), keys);
    await removeBlobs(blobs, keys);
    assert.deepEqual(await keysOf(blobs, ''), []);
  }));

test('only uploads that began long ago are given up, and then for good', () =>
  withBlobs(async (blobs, settings) => {
    const client = s3Client(settings, settings.endpoint);
    const target = { Bucket: settings.bucket, Key: 'results/a' };
    for (let index = 0; index < 3; index++) await client.send(new CreateMultipartUploadCommand(target));
    client.destroy();
    assert.equal(await blobs.removeStaleTemporaries(60_000), 0);
    assert.equal(await blobs.removeStaleTemporaries(0), 3);
    assert.equal(await blobs.removeStaleTemporaries(0), 0);
    assert.deepEqual(await everythingIn(settings), { keys: [], unfinished: [] });
  }));
