/** Files that were deleted or whose time is up go, bytes and row, but for those that a batch under way reads. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, beforeEach, test } from 'node:test';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import { createFileBlobs } from '../../src/blobs/file-store.ts';
import type { FileId } from '../../src/domain/ids.ts';
import { findFile, findInputFile, insertFile, lockFile, markDeleted } from '../../src/files/file-rows.ts';
import { deleteOldFiles, removeDeletedFile } from '../../src/files/old-files.ts';
import { newBlobKey, newFileId } from '../../src/postgres/new-ids.ts';
import { sweepBlobs } from '../../src/tasks/retention/orphaned-blobs.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { type Customer, newCustomer, newLedger } from '../support/money.ts';

let made: TestDatabase;
let folder: string;
let blobs: BlobStore;
let who: Customer;
before(async () => {
  made = await freshDatabase();
  folder = await mkdtemp(join(tmpdir(), 'tollgate-files-'));
  blobs = createFileBlobs(folder);
});
after(async () => {
  await made.drop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await made.database.pool.query('truncate files, batches cascade');
  for (const blob of await blobsLeft()) await blobs.remove(blob);
  who = await newCustomer(made.database, newLedger(made.database), 0n);
});

const tools = () => ({ database: made.database, blobs });

async function blobsLeft(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of blobs.list('')) keys.push(key);
  return keys;
}

/** A file with its bytes, which is kept for so many seconds: a time that is past, if they are below 0. */
async function kept(keptSeconds: number | null): Promise<FileId> {
  const blob = newBlobKey('files');
  await blobs.write(blob, Readable.from([Buffer.from('{}\n')]), { bytesMax: 3 });
  const file = { accountId: who.account, keyId: who.key, purpose: 'batch_output', filename: 'a.jsonl' } as const;
  const { id } = await insertFile(made.database.pool, { ...file, id: newFileId(), bytes: 3, blob, keptSeconds });
  return id;
}
const idsLeft = async () => {
  const { rows } = await made.database.pool.query<{ id: string }>('select id from files order by id');
  return rows.map(({ id }) => id);
};
const readBy = (file: FileId, state: string) =>
  made.database.pool.query(
    `insert into batches (id, account_id, key_id, request_id, endpoint, input_file_id, window_seconds,
       output_expires_seconds, state, terms, created_at, expires_at)
     values ('batch_' || $3, $1, $2, 'req', '/v1/embeddings', $3, 86400, 86400, $4, '{}', now(), now())
     on conflict (id) do update set state = excluded.state`,
    [who.account, who.key, file, state],
  );

test('files go when their time is up, with their bytes, and others stay', async () => {
  const old = await kept(-1);
  const [young, lasting, deleted] = [await kept(3600), await kept(null), await kept(null)];
  assert.equal(await findFile(made.database, who.account, old), undefined);
  assert.equal(await markDeleted(made.database, who.account, deleted), true);
  assert.equal(await deleteOldFiles(tools()), 2);
  assert.deepEqual(await idsLeft(), [young, lasting].sort());
  assert.equal((await blobsLeft()).length, 2);
  assert.equal(await deleteOldFiles(tools()), 0);
});

for (const state of ['validating', 'in_progress', 'finalizing', 'cancelling']) {
  test(`a file that a batch in the state ${state} reads stays until the batch has ended`, async () => {
    const [expired, deleted] = [await kept(-1), await kept(null)];
    for (const id of [expired, deleted]) await readBy(id, state);
    await markDeleted(made.database, who.account, deleted);
    await removeDeletedFile(tools(), deleted);
    assert.equal(await deleteOldFiles(tools()), 0);
    for (const id of [expired, deleted]) {
      assert.equal(await findFile(made.database, who.account, id), undefined, 'its account sees it no more');
      const { blob } = (await findInputFile(made.database, id)) ?? assert.fail('the batch has lost its input');
      assert.equal(await blobs.size(blob), 3);
    }
    for (const id of [expired, deleted]) await readBy(id, 'completed');
    assert.equal(await deleteOldFiles(tools()), 2);
    assert.deepEqual([await idsLeft(), await blobsLeft()], [[], []]);
  });
}

test('a file can not be deleted while a batch is being made of it, and a deleted one makes none', async () => {
  const [expiring, deleted] = [await kept(3600), await kept(null)];
  const client = await made.database.pool.connect();
  try {
    await client.query('begin');
    assert.equal((await lockFile(client, who.account, expiring))?.id, expiring);
    assert.equal((await lockFile(client, who.account, deleted))?.id, deleted);
    const deletion = markDeleted(made.database, who.account, deleted);
    // Of another file, so that the scan meets the lock.
    const { rowCount } = await made.database.pool.query('select 1 from files where id = $1 for update skip locked', [
      expiring,
    ]);
    assert.equal(rowCount, 0);
    await client.query(
      `insert into batches (id, account_id, key_id, request_id, endpoint, input_file_id, window_seconds,
         output_expires_seconds, terms, created_at, expires_at)
       values ('batch_new', $1, $2, 'req', '/v1/embeddings', $3, 86400, 86400, '{}', now(), now())`,
      [who.account, who.key, deleted],
    );
    await client.query('commit');
    assert.equal(await deletion, true);
  } finally {
    client.release();
  }
  await removeDeletedFile(tools(), deleted);
  assert.equal((await findInputFile(made.database, deleted))?.id, deleted);
  assert.equal(await lockFile(made.database.pool, who.account, deleted), undefined);
});

test('several processes delete more than a batch, past those that are read', async () => {
  const read = await kept(-10);
  await readBy(read, 'in_progress');
  const model = await kept(null);
  await made.database.pool.query(
    `insert into files select 'file-' || lpad(n::text, 32, '0'), account_id, key_id, purpose, filename, bytes,
       'files/none-' || n, created_at, now() - interval '1 s' from files, generate_series(1, 450) n where id = $1`,
    [model],
  );
  await Promise.all([deleteOldFiles(tools()), deleteOldFiles(tools()), deleteOldFiles(tools())]);
  assert.deepEqual(await idsLeft(), [read, model].sort());
});

test('a process that died between the bytes and the row of a file is gone on for', async () => {
  await kept(-1);
  const dying: Pick<BlobStore, 'remove'> = {
    remove: async (key) => {
      await blobs.remove(key);
      throw new Error('killed here');
    },
  };
  await assert.rejects(deleteOldFiles({ ...tools(), blobs: dying }), /killed here/);
  assert.deepEqual([(await idsLeft()).length, await blobsLeft()], [1, []]);
  assert.equal(await deleteOldFiles(tools()), 1);
  assert.deepEqual(await idsLeft(), []);
});

test('the sweep of the store leaves the bytes of files, and deletes those of uploads that no file names', async () => {
  await kept(null);
  const [named] = await blobsLeft();
  await blobs.write('files/left', Readable.from([Buffer.from('x')]), { bytesMax: 1 });
  assert.equal(await sweepBlobs({ ...tools(), unnamedMs: -1_000 }), 1);
  assert.deepEqual(await blobsLeft(), [named]);
});
