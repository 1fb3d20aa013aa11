/** Keys and the answers stored under them go together when they have served their time, and never before. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, beforeEach, test } from 'node:test';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import { createFileBlobs } from '../../src/blobs/file-store.ts';
import { CallLedger, streamedAnswer } from '../../src/ledger/call-ledger.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { newBlobKey } from '../../src/postgres/new-ids.ts';
import { deleteOldAnswers } from '../../src/tasks/retention/expired-answers.ts';
import { callAdmissionOf, callPrice } from '../support/calls.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { admissionOf, type Customer, ledgerKey, newCustomer, newLedger } from '../support/money.ts';

let made: TestDatabase;
let calls: CallLedger;
let folder: string;
let blobs: BlobStore;
let who: Customer;
before(async () => {
  made = await freshDatabase();
  calls = new CallLedger(new GroupCommitter(made.database, ledgerKey));
  folder = await mkdtemp(join(tmpdir(), 'tollgate-answers-'));
  blobs = createFileBlobs(folder);
});
after(async () => {
  await made.drop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await made.database.pool.query('delete from idempotency_keys');
  for (const blob of await blobsLeft()) await blobs.remove(blob);
  who = await newCustomer(made.database, newLedger(made.database), 1_000_000n);
});

const tools = () => ({ database: made.database, blobs });
const bodyHash = Buffer.alloc(32, 1);

/** A call under way that bound a key. */
async function runningCall(key: string) {
  const admitted = await calls.admit({ ...callAdmissionOf(who, 10n), idempotency: { key, bodyHash } });
  assert.ok(admitted.admitted === 'yes');
  return admitted.hold;
}

/** A call that has answered; with the blob of its answer, or none for a stream. */
async function answeredCall(key: string, isStream = false): Promise<string> {
  const hold = await runningCall(key);
  const answer = isStream ? streamedAnswer : await storedBlob('answers');
  await calls.settle(hold, { ...callPrice(5n), answer });
  return answer;
}

async function storedBlob(below: string): Promise<string> {
  const key = newBlobKey(below);
  await blobs.write(key, Readable.from([Buffer.from('{}')]), { bytesMax: 2 });
  return key;
}

async function agedBlob(key: string): Promise<void> {
  const yesterday = Date.now() / 1000 - 25 * 3600;
  await utimes(join(folder, key), yesterday, yesterday);
}

const aged = (key: string, by: string) =>
  made.database.pool.query(`update idempotency_keys set created_at = created_at - $2::interval where key = $1`, [
    key,
    by,
  ]);

async function keysLeft(): Promise<string[]> {
  const { rows } = await made.database.pool.query<{ key: string }>('select key from idempotency_keys order by key');
  return rows.map(({ key }) => key);
}

async function blobsLeft(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of blobs.list('')) keys.push(key);
  return keys.sort();
}

test('a key of more than a day goes with its answer; what is younger, or still running, stays with its own', async () => {
  const old = await answeredCall('old');
  const young = await answeredCall('young');
  await runningCall('running');
  for (const [key, by] of [
    ['old', '25 hours'],
    ['young', '24 hours'],
    ['running', '25 hours'],
  ] as const)
    await aged(key, by);
  assert.deepEqual([await keysLeft(), await blobsLeft()], [['old', 'running', 'young'], [old, young].sort()]);
  assert.deepEqual(await deleteOldAnswers(tools()), { keys: 1, orphans: 0 });
  assert.deepEqual([await keysLeft(), await blobsLeft()], [['running', 'young'], [young]]);
});

test('a key of a stream or of a task goes and has nothing to delete besides', async () => {
  const result = await storedBlob('results');
  await answeredCall('streamed', true);
  const task = admissionOf(who, 10n, { idempotency: { key: 'task', bodyHash } });
  assert.equal((await newLedger(made.database).admitTask(task)).admitted, 'new');
  assert.deepEqual(await deleteOldAnswers({ ...tools(), keptSeconds: -1 }), { keys: 2, orphans: 0 });
  assert.deepEqual([await keysLeft(), await blobsLeft()], [[], [result]]);
});

test('an answer that no key names goes after a day, one that a key names or that is younger stays', async () => {
  const named = await answeredCall('named');
  const lost = await storedBlob('answers');
  const young = await storedBlob('answers');
  const result = await storedBlob('results');
  for (const blob of [named, lost, result]) await agedBlob(blob);
  assert.deepEqual(await deleteOldAnswers(tools()), { keys: 0, orphans: 1 });
  assert.deepEqual(await blobsLeft(), [named, young, result].sort());
});

test('several processes delete more than a batch once, and a second round finds nothing', async () => {
  const answer = await answeredCall('first');
  await made.database.pool.query(
    `insert into idempotency_keys (account_id, key, body_hash, state, answer, created_at)
     select account_id, 'many-' || number, body_hash, state, '', created_at
     from idempotency_keys, generate_series(1, 500) as number`,
  );
  const rounds = await Promise.all([1, 2, 3].map(() => deleteOldAnswers({ ...tools(), keptSeconds: -1 })));
  assert.equal(
    rounds.reduce((sum, { keys }) => sum + keys, 0),
    501,
  );
  assert.deepEqual([await keysLeft(), await blobsLeft()], [[], []], answer);
  assert.deepEqual(await deleteOldAnswers({ ...tools(), keptSeconds: -1 }), { keys: 0, orphans: 0 });
});

test('what could not be removed is an error, and the next round finds it', async () => {
  const answer = await answeredCall('stuck');
  const stuck = {
    list: (prefix: string) => blobs.list(prefix),
    remove: () => Promise.reject(new Error('the disk is away')),
  };
  await aged('stuck', '25 hours');
  await agedBlob(answer);
  await assert.rejects(deleteOldAnswers({ ...tools(), blobs: stuck }), /the disk is away/);
  assert.deepEqual(await deleteOldAnswers(tools()), { keys: 0, orphans: 1 });
  assert.deepEqual(await blobsLeft(), []);
});

test('a key that is bound anew after a day keeps its new answer; the first one is deleted', async () => {
  const first = await answeredCall('again');
  await aged('again', '25 hours');
  const second = await answeredCall('again');
  for (const blob of [first, second]) await agedBlob(blob);
  assert.deepEqual(await deleteOldAnswers(tools()), { keys: 0, orphans: 1 });
  assert.deepEqual([await keysLeft(), await blobsLeft()], [['again'], [second]]);
});
