/** `tollgate worker` with TOLLGATE_WORKER_PORT, as a process: ready while it works, its task counted, 503 while it drains. */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { freshDatabase, fromTestRun, type TestDatabase } from '../support/database.ts';
import { parseMetrics, valueOf } from '../support/metrics.ts';
import { Installation, ready, until } from '../support/process.ts';

const key = 'sk-tg-a-key-that-the-operator-chose-for-this-test';
let database: TestDatabase;
let home: Installation;
let port = 0;

before(async () => {
  port = await freePort();
  database = await freshDatabase();
  home = await Installation.make({
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: fromTestRun('TEMPORAL_ADDRESS'),
    TOLLGATE_SECRET: 'a secret of the tests with 40 characters',
    TOLLGATE_BOOTSTRAP_KEY: key,
    TOLLGATE_WORKER_PORT: String(port),
  });
});
after(async () => {
  await home.remove();
  await database.drop();
});

const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);

test('a worker answers who watches it', async () => {
  const api = home.spawn(['api']);
  const url = await api.printed(/"address":"(http:[^"]+)"/);
  await ready(url);
  const worker = home.spawn(['worker']);
  await until('the worker to be ready', async () => {
    const answer = await ask('/readyz').catch(() => undefined);
    return answer?.status === 200 ? true : undefined;
  });
  const made = await fetch(`${url}/v1/images/generations`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'sim-image', prompt: 'A toll gate' }),
  });
  assert.equal(made.status, 200, await made.text());

  const ofWorker = await until('the step to be counted', async () => {
    const shown = parseMetrics(await (await ask('/metrics')).text());
    return valueOf(shown, 'tollgate_step_duration_seconds_count', { step: 'settle' }) === 1 ? shown : undefined;
  });
  assert.equal(valueOf(ofWorker, 'tollgate_tasks_ended_total', { state: 'succeeded' }), 1);
  assert.equal(valueOf(ofWorker, 'tollgate_tasks_accepted_total'), 0);
  assert.ok(valueOf(ofWorker, 'temporal_num_pollers') > 0);
  assert.ok(!ofWorker.has('tollgate_gate_taken'), 'a worker has no gates');
  const ofApi = parseMetrics(await (await fetch(`${url}/metrics`)).text());
  assert.equal(valueOf(ofApi, 'tollgate_tasks_accepted_total', { kind: 'image', model: 'sim-image' }), 1);
  assert.ok(![...ofApi.keys()].some((name) => name.startsWith('temporal_')), 'an API has no workers');

  for (const process of [worker, api]) process.signal('SIGTERM');
  assert.equal((await worker.ended).code, 0);
  assert.equal((await api.ended).code, 0);
});

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
