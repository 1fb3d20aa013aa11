/** The sweep deletes what no row names, and never what a row names or a step may be about to name. */
import assert from 'node:assert/strict';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { sweepBlobs } from '../../src/tasks/retention/orphaned-blobs.ts';
import { assertAgrees, type Audited, auditedWorld } from '../support/audited.ts';
import { failureOf } from '../support/money.ts';

let world: Audited;
let named: string[];
beforeEach(async () => {
  world = await auditedWorld();
  named = await keys();
});
afterEach(() => world.remove());

async function keys(): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of world.blobs.list('')) found.push(key);
  return found.sort();
}

const sweep = (signal?: AbortSignal) =>
  sweepBlobs({ database: world.home.database, blobs: world.blobs, ...(signal && { signal }) });

/** A file in the store's folder, last changed so many hours ago. */
async function planted(key: string, hoursAgo: number): Promise<string> {
  const path = join(world.folder, key);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, key);
  await aged(key, hoursAgo);
  return key;
}

async function aged(key: string, hoursAgo: number): Promise<void> {
  const seconds = Date.now() / 1000 - hoursAgo * 3600;
  await utimes(join(world.folder, key), seconds, seconds);
}

test('what no row names goes after a day; what is younger, named, or of no folder of ours stays', async () => {
  const { image, running } = world.tasks;
  const gone = ['uploads/unknown', `results/${image}/left`, 'results/img_unknown/left', 'check/left'];
  for (const key of gone) await planted(key, 24.1);
  const kept = await Promise.all([
    ...['uploads/young', `results/${image}/young`, 'check/young'].map((key) => planted(key, 23.9)),
    // Answers have a sweep of their own; a running task may be about to name what lies below its id.
    ...['answers/old', 'elsewhere/old', `results/${running}/old`].map((key) => planted(key, 100)),
  ]);
  for (const key of named) await aged(key, 100);
  assert.equal(await sweep(), gone.length);
  assert.deepEqual(await keys(), [...named, ...kept].sort());
  assert.equal(await sweep(), 0);
});

test('the stored answer to a paid call goes when its task has ended, and then the audit wants it gone', async () => {
  const { finished } = world.tasks;
  const answer = named.find((key) => key.startsWith(`results/${finished}/`))!;
  await aged(answer, 100);
  assert.equal(await sweep(), 0);
  await world.ledger.releaseTask(failureOf(world.customer, finished));
  const { findings } = await world.audit();
  assert.deepEqual(findings, [{ check: 'blobs', subject: answer, says: 'no row names it' }]);
  assert.equal(await sweep(), 1);
  assertAgrees(await world.audit());
});

test('what is left of a task whose media were removed goes at once', async () => {
  const { removed } = world.tasks;
  const { rows } = await world.home.database.pool.query<{ key: string }>(
    `select files -> 0 ->> 'blobKey' as key from tasks where id = $1`,
    [removed],
  );
  await planted(rows[0]!.key, 0);
  assert.equal(await sweep(), 1);
  assert.deepEqual(await keys(), named);
});

test('an upload of a task under way stays however old it is', async () => {
  const uploads = named.filter((key) => key.startsWith('uploads/'));
  assert.ok(uploads.length > 2);
  for (const key of uploads) await aged(key, 1000);
  assert.equal(await sweep(), 0);
  assert.deepEqual(await keys(), named);
});

test('more than a batch goes, and several processes may sweep at once', async () => {
  for (let count = 0; count < 1_100; count++) await planted(`uploads/old-${count}`, 30);
  await Promise.all([sweep(), sweep()]);
  assert.deepEqual(await keys(), named);
  await planted('uploads/old', 30);
  await assert.rejects(sweep(AbortSignal.abort(new Error('stopping'))), /stopping/);
  assert.equal(await sweep(), 1);
});
