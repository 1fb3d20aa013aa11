/**
 * Retention from its schedule to what callers see of deleted results. With RECORD_HISTORIES set, its history is written to
 * test/histories.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, truncate, utimes, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Client } from '@temporalio/client';
import { deletedMessage } from '../../src/domain/errors.ts';
import type { Retained } from '../../src/activities/activity-types.ts';
import { builtInConfiguration } from '../../src/config/built-in.ts';
import { ensureRetainSchedule, retainScheduleId } from '../../src/temporal/retain-schedule.ts';
import { workerConnection } from '../../src/temporal/worker-connection.ts';
import { fromTestRun } from '../support/database.ts';
import { assertError } from '../support/errors.ts';
import { type Answer, answerOf, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { historyJson } from '../support/history.ts';
import { triggered } from '../support/schedules.ts';

let gateway: TestGateway;
let connection: Awaited<ReturnType<typeof workerConnection>>;
let client: Client;
let scheduleId: string;
/** Changed by the tests: until they wish it, nothing is old. */
const kept = { ms: 86_400_000 };
before(async () => {
  gateway = await startTestGateway({ retentionMs: () => kept.ms });
  const address = fromTestRun('TEMPORAL_ADDRESS');
  connection = await workerConnection({ ...gateway.core.environment.temporal, address });
  client = new Client({ connection });
  scheduleId = retainScheduleId(gateway.core.queues);
});
after(async () => {
  await client.schedule.getHandle(scheduleId).delete();
  await connection.close();
  await gateway.stop();
});

const imageOf = (prompt: string) =>
  gateway.post('/v1/images/generations', { model: 'sim-image', prompt, size: '1024x1024' });
const listed = async (id: unknown) =>
  ((await gateway.get('/v1/tasks')).body['data'] as Record<string, unknown>[]).find((task) => task['id'] === id);

/** Has everything deleted that has ended by now. */
async function retained(): Promise<{ counts: Retained; id: string }> {
  kept.ms = 0;
  const id = await triggered(client, scheduleId);
  kept.ms = 86_400_000;
  return { counts: (await client.workflow.getHandle(id).result()) as Retained, id };
}

async function filesOnDisk(): Promise<string[]> {
  const entries = await readdir(join(gateway.dataDir, 'blobs'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** What stands in the row of a task. */
const rowOf = async (id: unknown) =>
  (
    await gateway.core.database.pool.query<{ key: string; request: unknown }>(
      `select files -> 0 ->> 'blobKey' as key, request from tasks where id = $1`,
      [id],
    )
  ).rows[0]!;

test('any number of workers make one schedule, that runs every hour', async () => {
  await Promise.all([1, 2, 3].map(() => ensureRetainSchedule(client, gateway.core.queues)));
  const { spec, policies, action } = await client.schedule.getHandle(scheduleId).describe();
  assert.deepEqual(
    [spec.intervals?.map(({ every }) => every), spec.jitter, policies.overlap, action.taskQueue],
    [[3_600_000], 600_000, 'SKIP', gateway.core.queues.workflows],
  );
});

test('results past their time are gone from the disk, and their links say why; what failed keeps the code of its error', async () => {
  const drawn = await imageOf('A gate');
  const failed = await imageOf('[sim:fail=no luck]');
  const body = { model: 'sim-video-fast', prompt: 'Cars', duration: 5 };
  const videoTask = await gateway.post('/v1/video/generations', body);
  const money = await gateway.money();
  const links = [drawn.body['data'][0].url, videoTask.body['content'][0].video_url].map(String);
  for (const link of links) assert.equal((await fetch(link, { method: 'HEAD' })).status, 200);
  const paths = [`/v1/images/generations/${drawn.body['id']}`, `/ai/v1/video/generations/${videoTask.body['id']}`];

  const orphan = join(gateway.dataDir, 'blobs', 'uploads', 'orphan');
  const folder = join(gateway.dataDir, 'tmp', 'simulator-dead');
  await Promise.all([join(orphan, '..'), folder].map((path) => mkdir(path, { recursive: true })));
  await writeFile(orphan, 'left');
  for (const path of [orphan, folder]) await utimes(path, 1, 1);
  assert.equal((await filesOnDisk()).length, 3);

  const { counts, id } = await retained();
  assert.deepEqual(counts, { tasks: 3, unnamedBlobs: 1, leftovers: 1 });
  assert.deepEqual(await filesOnDisk(), []);
  assert.ok(!(await readdir(join(gateway.dataDir, 'tmp'))).includes('simulator-dead'));
  if (process.env['RECORD_HISTORIES']) {
    const history = historyJson(await client.workflow.getHandle(id).fetchHistory());
    const text = JSON.stringify(history, (key, value: unknown) => (key === 'identity' ? 'worker' : value), 1);
    await writeFile(new URL('../histories/retain.json', import.meta.url), `${text}\n`);
  }

  for (const link of links) {
    const answer = await answerOf(await fetch(link));
    assertError(answer, 'route_not_found');
    assert.equal(messageOf(answer), 'This file was deleted: results are kept for 7 days.');
  }
  for (const path of paths) {
    const answer = await gateway.get(path);
    assertError(answer, 'task_not_found');
    assert.equal(messageOf(answer), 'The result of this task was deleted: results are kept for 7 days.');
  }
  const { _local, ...record } = (await listed(drawn.body['id']))!;
  assert.deepEqual([record['status'], record['data'], _local], ['succeeded', [], drawn.body['_local']]);
  assert.deepEqual((await listed(videoTask.body['id']))?.['content'], []);
  const again = await gateway.get(`/v1/images/generations/${failed.body['id']}`);
  const { error, ...rest } = failed.body;
  assert.deepEqual([again.status, again.body], [200, { ...rest, error: { ...error, message: deletedMessage } }]);
  for (const { body } of [drawn, failed, videoTask]) assert.equal((await rowOf(body['id'])).request, null);
  assert.deepEqual(await gateway.money(), money);
});

test('a finished job of a provider whose bound was taken away is forgotten', async () => {
  const { pool } = gateway.core.database;
  const { body } = await imageOf('counted once');
  await pool.query(`insert into provider_jobs (provider, task_id) values ('bounded once', $1)`, [body['id']]);
  await retained();
  assert.equal((await pool.query('select 1 from provider_jobs where task_id = $1', [body['id']])).rowCount, 0);
});

test('a download that runs when its file is deleted gets all of it', async () => {
  const { body } = await imageOf('A gate that many look at');
  // Larger than what sockets and streams hold between the disk and a reader that has stopped.
  const bytes = 32 * 1024 * 1024;
  const { key } = await rowOf(body['id']);
  await truncate(join(gateway.dataDir, 'blobs', key), bytes);
  await gateway.core.database.pool.query(
    `update tasks set files = jsonb_set(files, '{0,bytes}', to_jsonb($2::int)) where id = $1`,
    [body['id'], bytes],
  );
  const request = get(String(body['data'][0].url));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.pause();
  assert.equal((await retained()).counts.tasks, 1);
  assert.deepEqual(await filesOnDisk(), []);
  let received = 0;
  const zeros = createHash('sha256');
  for await (const piece of response as AsyncIterable<Buffer>) {
    received += piece.length;
    if (received > bytes / 2) zeros.update(piece.subarray(Math.max(0, piece.length - (received - bytes / 2))));
  }
  assert.equal(received, bytes);
  assert.equal(
    zeros.digest('hex'),
    createHash('sha256')
      .update(Buffer.alloc(bytes / 2))
      .digest('hex'),
  );
});

test('a file that goes between look and read is gone; one that is lost is a fault of ours', async () => {
  const { body } = await imageOf('A gate that is closed');
  const link = String(body['data'][0].url);
  const read = gateway.core.blobs.read.bind(gateway.core.blobs);
  gateway.core.blobs.read = async (...args) => {
    await retained();
    return read(...args);
  };
  try {
    const answer = await answerOf(await fetch(link));
    assertError(answer, 'route_not_found');
    assert.match(messageOf(answer), /^This file was deleted: /);
    assert.equal(answer.headers.get('cache-control')?.includes('immutable') ?? false, false);
  } finally {
    gateway.core.blobs.read = read;
  }
  const lost = await imageOf('A gate that is lost');
  await gateway.core.blobs.remove((await rowOf(lost.body['id'])).key);
  assertError(await answerOf(await fetch(String(lost.body['data'][0].url))), 'internal_error');
  await retained();
});

test('the retention configured at the time counts, and callers see it', async () => {
  const other = await startTestGateway();
  try {
    assert.equal(other.core.retentionMs(), 7 * 86_400_000);
    const { body } = await other.post('/v1/images/generations', { model: 'sim-image', prompt: 'A gate' });
    await other.reload(`${builtInConfiguration}\nretention_days: 1\n`);
    assert.equal(other.core.retentionMs(), 86_400_000);
    await other.core.database.pool.query(
      `update tasks set finished_at = finished_at - interval '25 hours' where id = $1`,
      [body['id']],
    );
    await triggered(client, retainScheduleId(other.core.queues));
    const answer = await other.get(`/v1/images/generations/${body['id']}`);
    assert.equal(messageOf(answer), 'The result of this task was deleted: results are kept for 1 day.');
    assert.equal(await other.blobs(), 0);
  } finally {
    await other.stop();
  }
});

const messageOf = ({ body }: Answer): string => String(body['error']?.message);
