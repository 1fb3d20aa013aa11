/** An S3 store whose server can't be reached, which needs none: how its absence is reported. `test/full/s3` has the rest, on a real one. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { type BlobStore, BlobStoreFault, storeFailure } from '../../src/blobs/blob-store.ts';
import { createS3Blobs } from '../../src/blobs/s3/s3-store.ts';

let blobs: BlobStore;
before(async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  blobs = createS3Blobs({
    endpoint: `http://127.0.0.1:${port}`,
    publicEndpoint: 'https://files.example.com:8443/',
    bucket: 'blobs',
    region: 'us-east-1',
    credentials: { accessKeyId: 'id', secretAccessKey: 'a secret of stranger' },
  });
});
after(() => blobs.close());

test('every request says that the store is away, in a word, without an address', async () => {
  const source = Readable.from([Buffer.from('x')]);
  for (const act of [
    () => blobs.check(),
    () => blobs.write('k', source, { bytesMax: 1 }),
    () => blobs.read('k'),
    () => blobs.size('k'),
    () => blobs.remove('k'),
    () => blobs.removeStaleTemporaries(0),
  ]) {
    await assert.rejects(act(), (error) => {
      assert.ok(error instanceof BlobStoreFault);
      assert.deepEqual([error.code, storeFailure(error)], ['ECONNREFUSED', 'away']);
      assert.equal(storeFailure(new AggregateError([error])), 'away');
      assert.doesNotMatch(`${error.stack}${JSON.stringify(error)}`, /127\.0\.0\.1|stranger/);
      return true;
    });
  }
  assert.ok(source.destroyed);
});

test('links lead to the address for callers, and need no server to be made', async () => {
  const headers = {
    'Content-Type': 'image/png',
    'Content-Disposition': 'inline; filename="a.png"',
    'Cache-Control': 'private',
  };
  assert.equal(blobs.links?.origin, 'https://files.example.com:8443');
  const link = new URL((await blobs.links.sign('results/a', { seconds: 60, headers })) || '');
  assert.equal(`${link.origin}${link.pathname}`, 'https://files.example.com:8443/blobs/results/a');
  const asked = (name: string) => link.searchParams.get(name);
  assert.deepEqual(
    ['X-Amz-Expires', 'response-content-type', 'response-content-disposition', 'response-cache-control'].map(asked),
    ['60', 'image/png', 'inline; filename="a.png"', 'private'],
  );
  assert.ok(!link.href.includes('stranger'));
  await assert.rejects(blobs.links.sign('../x', { seconds: 60, headers }), /not a key/);
});
