/** Results, requests and uploads whose time is up go, in the database and on the disk; everything else stays. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, beforeEach, describe, test } from 'node:test';
import { deletedMessage } from '../../src/domain/errors.ts';
import type { TaskId } from '../../src/domain/ids.ts';
import type { TaskState } from '../../src/domain/tasks/task-states.ts';
import { claimFetch } from '../../src/tasks/rows/fetch-claims.ts';
import type { BlobStore } from '../../src/blobs/blob-store.ts';
import { createFileBlobs } from '../../src/blobs/file-store.ts';
import { closeIntent, findIntent, openIntent } from '../../src/tasks/provider-calls/intents.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { newBlobKey, newTaskId } from '../../src/postgres/new-ids.ts';
import { removeOldResults, type RetentionTools } from '../../src/tasks/retention/retention.ts';
import { findTask } from '../../src/tasks/rows/task-rows.ts';
import { sweepBlobs } from '../../src/tasks/retention/orphaned-blobs.ts';
import { assertAgrees, auditedWorld, type TaskName } from '../support/audited.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { admissionOf, type Customer, failureOf, newCustomer, newLedger, successOf } from '../support/money.ts';

const ages = { retentionMs: 7 * 86_400_000, fetchWindowMs: 600_000 };

/** The files below a folder, by their paths in it. */
async function filesOnDisk(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)).sort();
}

test('a world of eight days ago loses its media and requests, and nothing that the audit looks at', async () => {
  const world = await auditedWorld('8 days');
  const { database } = world.home;
  const rows = async (text: string) => (await database.pool.query<Record<string, unknown>>(text)).rows;
  const ledgerOf = () => rows('select row_to_json(e)::text from entries e order by transfer_id, type');
  const keysOf = async (text: string) => (await rows(text)).map(({ key }) => key);
  try {
    assertAgrees(await world.audit());
    const money = await ledgerOf();
    const kept = [
      ...(await keysOf(
        `select value ->> 'blobKey' as key from tasks, jsonb_each(uploads) where finished_at is null and uploads is not null`,
      )),
      ...(await keysOf('select unnest(blob_keys) as key from intents')),
    ];
    assert.equal(kept.length, 3);

    assert.equal(await removeOldResults({ database, blobs: world.blobs, ...ages }), 5);

    const names = new Map(Object.entries(world.tasks).map(([name, id]) => [id as string, name as TaskName]));
    const removed = await keysOf('select id as key from tasks where removed_at is not null');
    assert.deepEqual(removed.map((id) => names.get(String(id))).sort(), [
      'avatar',
      'cancelled',
      'claimed',
      'failed',
      'image',
      'removed',
    ]);
    const left = await keysOf('select id as key from tasks where request is not null');
    assert.deepEqual(left.map((id) => names.get(String(id))).sort(), ['accepted', 'finished', 'running', 'withdrawn']);
    assert.deepEqual(await filesOnDisk(world.folder), kept.sort());
    assert.deepEqual(await ledgerOf(), money);
    assertAgrees(await world.audit());
    const failed = await findTask(database, world.tasks.failed);
    assert.deepEqual([failed?.error?.code, failed?.error?.message], ['upstream_error', deletedMessage]);
    assert.deepEqual(await keysOf('select error_message as key from tasks where error_message is not null'), []);
    assert.equal(await removeOldResults({ database, blobs: world.blobs, ...ages }), 0);
  } finally {
    await world.remove();
  }
});

describe('a task', () => {
  let home: TestDatabase;
  let ledger: Ledger;
  let who: Customer;
  let folder: string;
  let blobs: BlobStore;
  before(async () => {
    home = await freshDatabase();
    ledger = newLedger(home.database);
    who = await newCustomer(home.database, ledger, 1_000_000n);
    folder = await mkdtemp(join(tmpdir(), 'tollgate-retention-'));
    blobs = createFileBlobs(folder);
  });
  beforeEach(async () => {
    await home.database.pool.query('update tasks set removed_at = coalesce(removed_at, finished_at)');
    for await (const { key } of blobs.list('')) await blobs.remove(key);
  });
  after(async () => {
    await home.drop();
    await rm(folder, { recursive: true });
  });

  const retain = (more: Partial<RetentionTools> = {}) =>
    removeOldResults({ database: home.database, blobs, ...ages, ...more });
  const query = (text: string, values: unknown[]) => home.database.pool.query(text, values);
  const isRemoved = async (task: TaskId) => ((await findTask(home.database, task))?.removedAt ?? null) !== null;

  async function stored(key: string) {
    const { bytes, sha256 } = await blobs.write(key, Readable.from([Buffer.from(key)]), { bytesMax: 100 });
    return { blobKey: key, mediaType: 'video/mp4', bytes, sha256, durationMs: 1000 };
  }

  async function taskOf(kind: 'image' | 'avatar_talk', state: TaskState, endedAgo: string): Promise<TaskId> {
    const id = newTaskId(kind);
    const { task, ...admission } = admissionOf(who, 1n, { id, kind });
    const uploads = kind === 'avatar_talk' && {
      uploads: { audio: await stored(newBlobKey('uploads')), video: await stored(newBlobKey('uploads')) },
    };
    assert.equal((await ledger.admitTask({ ...admission, task: { ...task, ...uploads } })).admitted, 'new');
    if (state === 'succeeded') {
      const files = [await stored(newBlobKey(`results/${id}`))];
      await ledger.settleTask({ ...successOf(who, id, 1n), durationMs: kind === 'image' ? null : 1000, files });
    } else if (state !== 'accepted')
      await ledger.releaseTask(failureOf(who, id, state === 'failed' ? state : 'cancelled'));
    await query(
      'update tasks set finished_at = clock_timestamp() - $2::interval where id = $1 and finished_at is not null',
      [id, endedAgo],
    );
    return id;
  }

  for (const [kind, state, kept, gone] of [
    ['image', 'succeeded', '6 days 23 hours', '7 days 1 minute'],
    ['image', 'failed', '6 days 23 hours', '7 days 1 minute'],
    ['image', 'cancelled', '6 days 23 hours', '7 days 1 minute'],
    ['avatar_talk', 'succeeded', '69 minutes', '71 minutes'],
    ['avatar_talk', 'failed', '11 hours', '12 hours 1 minute'],
    ['avatar_talk', 'cancelled', '11 hours', '12 hours 1 minute'],
  ] as const) {
    test(`of kind ${kind} that ${state} is kept after ${kept}, and removed after ${gone}`, async () => {
      const [young, old] = [await taskOf(kind, state, kept), await taskOf(kind, state, gone)];
      assert.equal(await retain(), 1);
      assert.deepEqual([await isRemoved(young), await isRemoved(old)], [false, true]);
      const { request, uploads, cost } = (await findTask(home.database, old))!;
      assert.deepEqual([request, uploads, cost], [null, null, state === 'succeeded' ? 1n : null]);
      const { files, uploads: media } = (await findTask(home.database, young))!;
      const expected = [...(files ?? []), ...(media ? [media.audio, media.video] : [])].map(({ blobKey }) => blobKey);
      assert.deepEqual(await filesOnDisk(folder), expected.sort());
    });
  }

  test('loses the words of its error and of its refusals with the request, and keeps their codes', async () => {
    const refused = async (id: TaskId) => {
      const error = { code: 'content_policy_violation', message: 'No gates.', param: null, fallOver: true } as const;
      await openIntent(home.database, id, 0, 'p');
      await closeIntent(home.database, id, 0, { outcome: 'refused', error });
    };
    const facts = async (id: TaskId) => [
      (await findTask(home.database, id))?.error?.message,
      (await findIntent(home.database, id, 0))?.error,
    ];
    const [running, young, old] = [
      await taskOf('image', 'accepted', '0'),
      await taskOf('avatar_talk', 'accepted', '0'),
      await taskOf('avatar_talk', 'accepted', '0'),
    ];
    for (const id of [running, young, old]) await refused(id);
    for (const id of [young, old]) await ledger.releaseTask(failureOf(who, id));
    for (const id of [running, old]) {
      await query(
        `update tasks set finished_at = finished_at - interval '7 days 1 minute' where id = $1 and finished_at is not null`,
        [id],
      );
      await query(`update intents set closed_at = closed_at - interval '7 days 1 minute' where task_id = $1`, [id]);
    }
    await retain();
    const refusal = { code: 'content_policy_violation', param: null, fallOver: true };
    assert.deepEqual(await facts(running), [undefined, { ...refusal, message: 'No gates.' }]);
    assert.deepEqual(await facts(young), ['No.', { ...refusal, message: 'No gates.' }]);
    assert.deepEqual(await facts(old), [deletedMessage, { ...refusal, message: deletedMessage }]);
  });

  test('that has not ended is never removed, however old it is', async () => {
    const task = await taskOf('avatar_talk', 'accepted', '0');
    await query(`update tasks set created_at = created_at - interval '1 year' where id = $1`, [task]);
    assert.equal(await retain({ retentionMs: 0 }), 0);
    assert.equal((await filesOnDisk(folder)).length, 2);
  });

  test('that is being fetched is kept until the claim ends', async () => {
    const task = await taskOf('avatar_talk', 'succeeded', '71 minutes');
    assert.ok(await claimFetch(home.database, task, 3 * 3_600_000));
    assert.equal(await retain(), 0);
    assert.equal((await filesOnDisk(folder)).length, 3);
    await query('update tasks set fetch_until = clock_timestamp() where id = $1', [task]);
    assert.equal(await retain(), 1);
    assert.deepEqual(await filesOnDisk(folder), []);
  });

  test('goes once, whether one process or several remove more than a batch of them', async () => {
    await Promise.all(Array.from({ length: 230 }, () => taskOf('image', 'succeeded', '8 days')));
    const counts = await Promise.all([1, 2, 3].map(() => retain()));
    const rest = await retain();
    assert.equal(
      counts.reduce((sum, count) => sum + count, rest),
      230,
    );
    assert.deepEqual(await filesOnDisk(folder), []);
  });

  const dying = (folderOfKeys: string): Pick<BlobStore, 'remove'> => ({
    remove: (key) => (key.startsWith(folderOfKeys) ? Promise.reject(new Error('killed here')) : blobs.remove(key)),
  });

  test('whose remover died between row and result leaves a file, which the next sweep deletes', async () => {
    const task = await taskOf('avatar_talk', 'succeeded', '2 hours');
    await assert.rejects(retain({ blobs: dying('results/') }), /killed here/);
    assert.equal(await isRemoved(task), true);
    assert.equal((await filesOnDisk(folder)).length, 1);
    assert.equal(await retain(), 0);
    assert.equal(await sweepBlobs({ database: home.database, blobs }), 1);
    assert.deepEqual(await filesOnDisk(folder), []);
  });

  test('whose remover died over its uploads is removed whole by the next run', async () => {
    const task = await taskOf('avatar_talk', 'failed', '13 hours');
    await assert.rejects(retain({ blobs: dying('uploads/') }), /killed here/);
    assert.equal(await isRemoved(task), false);
    assert.equal(await retain(), 1);
    assert.deepEqual([await isRemoved(task), await filesOnDisk(folder)], [true, []]);
  });

  test('is left to the next attempt once the worker stops', async () => {
    const task = await taskOf('image', 'succeeded', '8 days');
    await assert.rejects(retain({ signal: AbortSignal.abort(new Error('stopping')) }), /stopping/);
    assert.equal(await isRemoved(task), false);
  });
});
