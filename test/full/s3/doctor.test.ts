/** What `tollgate doctor` says of a bucket: a working one, one that is not there, and a key that is refused. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { examineBlobStore } from '../../../src/cli/roles/doctor/check-blob-store.ts';
import { readEnvironment } from '../../../src/config/environment.ts';
import { type S3Server, startS3Server } from '../../support/s3-server.ts';

let server: S3Server;
before(async () => {
  server = await startS3Server();
});
after(() => server.stop());

async function found(changes: Record<string, string>) {
  const environment = readEnvironment({ ...server.env, ...changes });
  const { findings } = await examineBlobStore(environment, true);
  const [finding] = findings;
  assert.ok(finding);
  return finding;
}

test('a bucket that can be written, read and cleared is in order', async () => {
  assert.equal((await found({})).state, 'ok');
});

test('a bucket that is not there fails, and the setting is named', async () => {
  const { state, found: says, fix = '' } = await found({ S3_BUCKET: 'missing-bucket' });
  assert.equal(state, 'fail');
  assert.match(says, /missing-bucket.*NoSuchBucket/);
  assert.match(fix, /S3_BUCKET/);
});

test('a key that is refused fails, and is not shown', async () => {
  const secret = 'another-secret-key-of-no-account';
  const finding = await found({ S3_SECRET_ACCESS_KEY: secret });
  assert.equal(finding.state, 'fail');
  assert.ok(!JSON.stringify(finding).includes(secret));
});
