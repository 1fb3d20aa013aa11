/**
 * The nightly audit from its schedule to `/metrics`. With RECORD_HISTORIES set, its history is written to test/histories.
 */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { auditScheduleId, ensureAuditSchedule } from '../../src/audit/audit-schedule.ts';
import { workerConnection } from '../../src/temporal/worker-connection.ts';
import { startWorkerRole } from '../../src/runtime/worker-role.ts';
import { fromTestRun } from '../support/database.ts';
import { startTestGateway } from '../support/gateway.ts';
import { historyJson } from '../support/history.ts';
import { triggered } from '../support/schedules.ts';

const gateway = await startTestGateway();
const connection = await workerConnection({
  ...gateway.core.environment.temporal,
  address: fromTestRun('TEMPORAL_ADDRESS'),
});
const client = new Client({ connection });
const schedule = client.schedule.getHandle(auditScheduleId(gateway.core.queues));
after(async () => {
  await schedule.delete();
  await connection.close();
  await gateway.stop();
});

/** The values of the metrics that begin so, by the rest of their names. */
async function metricsOf(prefix: string): Promise<Record<string, number>> {
  const answer = await gateway.fetch('/metrics', { key: null });
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  const samples = (await answer.text()).split('\n').filter((line) => line.startsWith(prefix));
  return Object.fromEntries(
    samples.map((line) => [line.slice(prefix.length).split(' ')[0] ?? '', Number(line.split(' ')[1])]),
  );
}

/** Returns the id of an audit's workflow once that has ended. */
const audited = () => triggered(client, schedule.scheduleId);

test('without an audit there is nothing to show of one', async () => {
  assert.deepEqual(await metricsOf('tollgate_audit_'), {});
  assert.ok(((await metricsOf('tollgate_process_'))['resident_memory_bytes'] ?? 0) > 1_000_000);
});

test('any number of workers make one schedule, at three in the night', async () => {
  const another = await startWorkerRole(gateway.core, connection, 'default');
  await another.stop();
  const { spec, policies, action } = await schedule.describe();
  assert.deepEqual(
    spec.calendars?.map(({ hour, minute }) => [hour, minute]),
    [[[{ start: 3, end: 3, step: 1 }], [{ start: 0, end: 0, step: 1 }]]],
  );
  assert.deepEqual([policies.overlap, policies.catchupWindow], ['SKIP', 86_400_000]);
  assert.equal(action.taskQueue, gateway.core.queues.workflows);
});

test('what an operator changed of the schedule stays, whatever worker starts', async () => {
  await schedule.pause('not now');
  await schedule.update((before) => ({ ...before, spec: { calendars: [{ hour: 5, minute: 30 }] } }));
  await Promise.all([1, 2, 3].map(() => ensureAuditSchedule(client, gateway.core.queues)));
  const { spec, state } = await schedule.describe();
  assert.deepEqual([spec.calendars?.[0]?.hour, state.paused], [[{ start: 5, end: 5, step: 1 }], true]);
});

test('the schedule audits, keeps the result, and /metrics shows it', async () => {
  const begun = Date.now() / 1000;
  const path = (await gateway.post('/ai/v1/images/generations', { model: 'sim-image', prompt: 'A gate' })).body[
    'id'
  ] as string;
  await gateway.finished(`/v1/images/generations/${path}`);
  const id = await audited();
  const handle = client.workflow.getHandle(id);
  const result = (await handle.result()) as { agrees: boolean; findingCount: number };
  assert.deepEqual([result.agrees, result.findingCount], [true, 0]);
  if (process.env['RECORD_HISTORIES']) {
    const history = historyJson(await handle.fetchHistory());
    const text = JSON.stringify(history, (key, value: unknown) => (key === 'identity' ? 'worker' : value), 1);
    await writeFile(new URL('../histories/audit.json', import.meta.url), `${text}\n`);
  }
  const { rows } = await gateway.core.database.pool.query('select agrees, since from audits');
  assert.deepEqual(rows, [{ agrees: true, since: null }]);
  let shown = await metricsOf('tollgate_audit_');
  for (; shown['agrees'] === undefined; shown = await metricsOf('tollgate_audit_')) await pause(200); // kept for some seconds
  assert.deepEqual([shown['agrees'], shown['findings']], [1, 0]);
  assert.ok((shown['started_timestamp_seconds'] ?? 0) >= begun - 1);
  assert.ok((shown['finished_timestamp_seconds'] ?? 0) >= (shown['started_timestamp_seconds'] ?? Infinity));
});

test('a disagreement is the result of an audit, not its failure', async () => {
  await client.workflow.start('generate', {
    workflowId: 'img_by_hand',
    taskQueue: gateway.core.queues.workflows,
    args: [{}],
    startDelay: '1 hour',
  });
  const result = (await client.workflow.getHandle(await audited()).result()) as {
    agrees: boolean;
    findingCount: number;
  };
  assert.deepEqual([result.agrees, result.findingCount], [false, 1]);
  const { rows } = await gateway.core.database.pool.query<{ report: { findings: unknown[] } }>(
    'select report from audits where not agrees',
  );
  assert.deepEqual(rows[0]?.report.findings, [
    { check: 'workflows', subject: 'img_by_hand', says: 'a workflow that runs has no task' },
  ]);
});
