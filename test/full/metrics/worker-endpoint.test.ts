/** What a worker answers to those who watch it: whether it is ready, and why not; its metrics; nothing else. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { NativeConnection } from '@temporalio/worker';
import { openDatabase } from '../../../src/postgres/database.ts';
import { openWorkerEndpoint, type WorkerEndpoint } from '../../../src/runtime/worker-endpoint.ts';
import { fromTestRun } from '../../support/database.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { parseMetrics, valueOf } from '../../support/metrics.ts';

let gateway: TestGateway;
let connection: NativeConnection;
before(async () => {
  gateway = await startTestGateway();
  connection = await NativeConnection.connect({ address: fromTestRun('TEMPORAL_ADDRESS') });
});
after(async () => {
  await connection.close();
  await gateway.stop();
});

async function ask(endpoint: WorkerEndpoint, path: string, method = 'GET'): Promise<{ status: number; text: string }> {
  const answer = await fetch(`http://127.0.0.1:${endpoint.port}${path}`, { method });
  return { status: answer.status, text: await answer.text() };
}

test('it is ready from when its workers run until it leaves, and alive all the while', async () => {
  const endpoint = await openWorkerEndpoint(gateway.core, connection, 0);
  try {
    assert.match((await ask(endpoint, '/readyz')).text, /"Not ready: starting\.".*"not_ready"/);
    endpoint.becomeReady();
    assert.deepEqual(await ask(endpoint, '/readyz'), { status: 200, text: '{"status":"ok"}' });
    const { status, text } = await ask(endpoint, '/metrics');
    assert.equal(status, 200);
    const shown = parseMetrics(text);
    assert.equal(valueOf(shown, 'tollgate_ready'), 1);
    assert.ok(valueOf(shown, 'temporal_num_pollers') > 0);
    assert.equal((await ask(endpoint, '/v1/models')).status, 404);
    assert.equal((await ask(endpoint, '/metrics', 'POST')).status, 405);
    endpoint.leave();
    const left = await ask(endpoint, '/readyz');
    assert.equal(left.status, 503);
    assert.match(left.text, /shutting down/);
    assert.equal((await ask(endpoint, '/healthz')).status, 200);
    assert.equal(valueOf(parseMetrics((await ask(endpoint, '/metrics')).text), 'tollgate_ready'), 0);
  } finally {
    await endpoint.close();
  }
});

test('it says that Temporal is away', async () => {
  const closed = await NativeConnection.connect({ address: fromTestRun('TEMPORAL_ADDRESS') });
  const endpoint = await openWorkerEndpoint(gateway.core, closed, 0);
  try {
    endpoint.becomeReady();
    await closed.close();
    const { status, text } = await ask(endpoint, '/readyz');
    assert.equal(status, 503);
    assert.match(text, /Not ready: temporal: /);
    const shown = parseMetrics((await ask(endpoint, '/metrics')).text);
    assert.equal(valueOf(shown, 'tollgate_part_up', { part: 'temporal' }), 0);
    assert.equal(valueOf(shown, 'tollgate_part_up', { part: 'database' }), 1);
  } finally {
    await endpoint.close();
  }
});

test('it says that the database is away', async () => {
  const database = openDatabase('postgres://stranger:secret-word@127.0.0.1:9/none', { onIdleError: () => undefined });
  const endpoint = await openWorkerEndpoint({ ...gateway.core, database }, connection, 0);
  try {
    endpoint.becomeReady();
    const { status, text } = await ask(endpoint, '/readyz');
    assert.equal(status, 503);
    assert.match(text, /Not ready: database: ECONNREFUSED/);
    assert.doesNotMatch(text, /secret-word/);
  } finally {
    await endpoint.close();
    await database.close();
  }
});

test('a metrics port that is taken is a plain error message', async () => {
  const endpoint = await openWorkerEndpoint(gateway.core, connection, 0);
  try {
    await assert.rejects(openWorkerEndpoint(gateway.core, connection, endpoint.port), /TOLLGATE_WORKER_PORT/);
  } finally {
    await endpoint.close();
  }
});
