/** Fetching once: one download at a time, kept when it breaks off, gone when it is done or its time is up. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TaskId } from '../../src/domain/ids.ts';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import {
  claimFetch,
  claimsUntil,
  dropFetch,
  isRemoved,
  removeMedia,
  renewFetch,
} from '../../src/tasks/rows/fetch-claims.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { findTask } from '../../src/tasks/rows/task-rows.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { admissionOf, type Customer, failureOf, newCustomer, newLedger, successOf } from '../support/money.ts';

const windowMs = 600_000;
let db: TestDatabase;
let ledger: Ledger;
let who: Customer;
before(async () => {
  db = await freshDatabase();
  ledger = newLedger(db.database);
  who = await newCustomer(db.database, ledger, 1_000n);
});
after(() => db.drop());

async function finished(): Promise<TaskId> {
  const answer = await ledger.admitTask(admissionOf(who, 1n));
  assert.ok(answer.admitted === 'new');
  await ledger.settleTask(successOf(who, answer.taskId, 1n));
  return answer.taskId;
}

const claim = (task: TaskId) => claimFetch(db.database, task, windowMs);
const age = (task: TaskId, column: string, by: string) =>
  db.database.pool.query(`update tasks set ${column} = clock_timestamp() - $2::interval where id = $1`, [task, by]);

function blobStore(): BlobStore & { removed: string[] } {
  const removed: string[] = [];
  return {
    removed,
    remove: (key: string) => {
      removed.push(key);
      return Promise.resolve();
    },
  } as unknown as BlobStore & { removed: string[] };
}

test('of many downloads at once one gets the claim', async () => {
  const task = await finished();
  const owners = await Promise.all(Array.from({ length: 8 }, () => claim(task)));
  assert.equal(owners.filter((owner) => owner !== undefined).length, 1);
  const left = await claimsUntil(db.database, task);
  assert.ok(left > 25_000 && left <= 30_000, String(left));
});

test('a claim that is dropped can be taken again, by others it cannot be dropped', async () => {
  const task = await finished();
  const owner = await claim(task);
  assert.ok(owner);
  await dropFetch(db.database, task, '00000000-0000-4000-8000-000000000000');
  assert.equal(await claim(task), undefined);
  await dropFetch(db.database, task, owner);
  assert.equal(await claimsUntil(db.database, task), 0);
  assert.ok(await claim(task));
});

test('a claim ends by itself unless it is renewed', async () => {
  const task = await finished();
  const owner = await claim(task);
  assert.ok(owner);
  await age(task, 'fetch_until', '1 millisecond');
  await renewFetch(db.database, task, owner);
  assert.equal(await claim(task), undefined);
  await age(task, 'fetch_until', '1 millisecond');
  assert.equal(await claimsUntil(db.database, task), 0);
  const other = await claim(task);
  assert.ok(other);
  await renewFetch(db.database, task, owner); // the first owner's renewal comes too late
  assert.equal(await removeMedia(db.database, blobStore(), task, owner), false);
});

test('nothing can be claimed before the end, after a failure, or past the window', async () => {
  const running = await ledger.admitTask(admissionOf(who, 1n));
  assert.ok(running.admitted === 'new');
  assert.equal(await claim(running.taskId), undefined);
  await ledger.releaseTask(failureOf(who, running.taskId));
  assert.equal(await claim(running.taskId), undefined);
  const task = await finished();
  await age(task, 'finished_at', '601 seconds');
  assert.equal(await claim(task), undefined);
});

test('consuming removes request and media once, and the money stays', async () => {
  const task = await finished();
  const owner = await claim(task);
  assert.ok(owner);
  const blobs = blobStore();
  assert.equal(await isRemoved(db.database, task), false);
  assert.equal(await removeMedia(db.database, blobs, task, owner), true);
  assert.deepEqual(blobs.removed, ['results/x/y']);
  assert.equal(await isRemoved(db.database, task), true);
  assert.equal(await claim(task), undefined);
  const row = await findTask(db.database, task);
  assert.deepEqual([row?.request, row?.uploads, row?.state, row?.cost], [null, null, 'succeeded', 1n]);
  // The timer comes later, and deletes what a death between row and media left over.
  const again = blobStore();
  assert.equal(await removeMedia(db.database, again, task), true);
  assert.deepEqual(again.removed, ['results/x/y']);
  assert.deepEqual((await findTask(db.database, task))?.removedAt, row?.removedAt);
});

test('a task that has not ended keeps its media', async () => {
  const running = await ledger.admitTask(admissionOf(who, 1n));
  assert.ok(running.admitted === 'new');
  assert.equal(await removeMedia(db.database, blobStore(), running.taskId), false);
  assert.ok((await findTask(db.database, running.taskId))?.request);
});
