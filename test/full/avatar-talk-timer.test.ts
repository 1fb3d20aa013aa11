/** The time for which a result can be fetched: kept across the end of its worker and of Temporal, and outlived by a download. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { workerConnection } from '../../src/temporal/worker-connection.ts';
import { startTemporal, type TemporalServer } from '../../src/embedded/temporal-server.ts';
import { claimsUntil, isRemoved } from '../../src/tasks/rows/fetch-claims.ts';
import { findTask } from '../../src/tasks/rows/task-rows.ts';
import { startWorkerRole } from '../../src/runtime/worker-role.ts';
import { fromTestRun } from '../support/database.ts';
import { answerOf, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { mp4, wav } from '../support/media.ts';
import { until } from '../support/process.ts';
import { stalled } from '../support/talks.ts';

const fetchWindowMs = 25_000;
let folder: string;
let temporal: TemporalServer;
let gateway: TestGateway;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-timer-'));
  temporal = await startTemporal({ cliPath: fromTestRun('TEMPORAL_CLI'), dataDir: folder, say: () => undefined });
  process.env['TOLLGATE_TEST_TEMPORAL_ADDRESS'] = temporal.address;
  gateway = await startTestGateway({ worker: false, fetchWindowMs });
});
after(async () => {
  await gateway.stop();
  await temporal.stop();
  await rm(folder, { recursive: true, force: true });
});

async function worker() {
  const { temporal: settings } = gateway.core.environment;
  const connection = await workerConnection({ ...settings, address: temporal.address });
  const role = await startWorkerRole(gateway.core, connection, 'default');
  return async () => {
    await role.stop();
    await connection.close();
  };
}

async function created(seconds: number): Promise<string> {
  const form = new FormData();
  form.append('audio', new Blob([wav({ seconds, samplesPerSecond: 8_000 })]), 'a');
  form.append('video', new Blob([await mp4({ seconds: 1, hasAudio: false })]), 'v');
  const { body } = await answerOf(await gateway.fetch('/v1/svctalk/generate', { method: 'POST', body: form }));
  return String(body['id']);
}

test('media are deleted when their time is up, though worker and Temporal died meanwhile, and a running download is let finish', async () => {
  const { database, blobs } = gateway.core;
  const stop = await worker();
  const [short, long] = [await created(1), await created(300)];
  const done = async (id: string) =>
    until(`the end of ${id}`, async () => ((await findTask(database, id))?.state === 'succeeded' ? true : undefined));
  await Promise.all([done(short), done(long)]);
  const task = await findTask(database, short);
  assert.ok(task);
  const keys = [...(task.files ?? []), ...Object.values(task.uploads ?? {})].map(({ blobKey }) => blobKey);
  assert.equal(keys.length, 3);

  await stop();
  process.kill(temporal.pid, 'SIGKILL');
  const stopAgain = await until('another worker', () => worker().catch(() => undefined));
  const path = `/v1/svctalk/generate/${long}`;
  const slow = await stalled({ url: gateway.url, path, key: gateway.key });

  for (const key of keys)
    await until(`the end of ${key}`, () =>
      blobs.size(key).then(
        () => undefined,
        () => true,
      ),
    );
  const endedAt = (task.finishedAt?.getTime() ?? 0) + fetchWindowMs;
  assert.ok(Date.now() >= endedAt, 'it was deleted before its time');
  assert.equal(await isRemoved(database, task.id), true);

  const other = await findTask(database, long);
  assert.ok(other);
  await until('its time', () =>
    Date.now() > (other.finishedAt?.getTime() ?? 0) + fetchWindowMs + 1_000 ? true : undefined,
  );
  assert.equal(await isRemoved(database, other.id), false, 'a running download is let finish');
  assert.ok((await claimsUntil(database, other.id)) > 0);
  slow.destroy();
  await until('the end of the other', async () => ((await isRemoved(database, other.id)) ? true : undefined));
  await stopAgain();
});
