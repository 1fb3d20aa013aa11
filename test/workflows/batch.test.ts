/**
 * The life of a batch on the real server, with steps of the test's own. With RECORD_HISTORIES set, the histories are
 * written to test/histories.
 */
import assert from 'node:assert/strict';
import { searchAttributes } from '../../src/temporal/temporal-names.ts';
import { after, test } from 'node:test';
import type { BatchSlice } from '../../src/activities/dependencies.ts';
import type { BatchState, FinalBatchState } from '../../src/domain/batches/batch-states.ts';
import { micros } from '../../src/domain/money.ts';
import { newBatchId } from '../../src/postgres/new-ids.ts';
import { activitiesOf, historyJson, payloadsOf, recordHistory } from '../support/history.ts';
import { until } from '../support/process.ts';
import { startTaskRunner } from '../support/task-runner.ts';

/** What the steps make of a batch. */
interface Batch {
  state: BatchState;
  slices: number;
  /** Of each slice; the last one leaves nothing. */
  slice: (number: number) => BatchSlice | Promise<BatchSlice>;
}
const done: BatchSlice = { left: 0, paused: null, againInMs: 0 };
const more: BatchSlice = { left: 5, paused: null, againInMs: 0 };

const batches = new Map<string, Batch>();
const of = (id: string): Batch => batches.get(id) ?? assert.fail(id);
const runner = await startTaskRunner({
  providers: {},
  batches: {
    validate: (id) => {
      const batch = of(id);
      if (batch.state === 'validating') batch.state = 'in_progress';
      return Promise.resolve({ state: batch.state, total: 10, mistakes: batch.state === 'failed' ? 3 : 0 });
    },
    runSlice: async (id) => {
      const batch = of(id);
      batch.slices += 1;
      return batch.state === 'cancelling' ? done : batch.slice(batch.slices);
    },
    finalize: (id) => {
      const batch = of(id);
      const end: FinalBatchState = batch.state === 'cancelling' ? 'cancelled' : 'completed';
      batch.state = end;
      return Promise.resolve(end);
    },
    cancel: (id) => Promise.resolve((of(id).state = 'cancelling')),
    progress: () => Promise.resolve({ total: 10, completed: 4, failed: 1, cost: micros(1_230_000n) }),
  },
});
after(() => runner.stop());

async function started(slice: Batch['slice'], state: BatchState = 'validating') {
  const id = newBatchId();
  batches.set(id, { state, slices: 0, slice });
  const { account: accountId, key: keyId } = runner.customer;
  await runner.batchStarter.start({ id, accountId, keyId, endpoint: '/v1/embeddings' });
  return { id, handle: runner.client.workflow.getHandle(id) };
}

async function historyOf(id: string, name: string): Promise<string[]> {
  const history = historyJson(await runner.client.workflow.getHandle(id).fetchHistory());
  assert.ok(payloadsOf(history).join().length < 10_000);
  await recordHistory(name, history);
  return activitiesOf(history);
}

test('a batch is validated, run slice by slice and finalized, and its status and cost can be searched for', async () => {
  const { id, handle } = await started((number) => (number < 3 ? { ...more, againInMs: 10 } : done));
  assert.deepEqual(await handle.result(), { state: 'completed', cost: 1_230_000, currency: 'CNY' });
  assert.deepEqual(await historyOf(id, 'batch-completes'), [
    'validateBatch',
    'runBatchSlice',
    'runBatchSlice',
    'runBatchSlice',
    'finalizeBatch',
  ]);
  const { typedSearchAttributes } = await handle.describe();
  assert.equal(typedSearchAttributes.get(searchAttributes.status), 'completed');
});

test('a batch whose lines have mistakes ends after its validation', async () => {
  const { id, handle } = await started(() => done, 'failed');
  assert.deepEqual(await handle.result(), { state: 'failed', cost: 0 });
  assert.deepEqual(await historyOf(id, 'batch-refused'), ['validateBatch']);
});

test('cancelling its workflow cancels a batch, also while it waits for a provider', async () => {
  const { id, handle } = await started(() => ({ left: 5, paused: 'provider_busy', againInMs: 3_600_000 }));
  await until('a slice', () => Promise.resolve(of(id).slices > 0 || undefined));
  await runner.batchStarter.cancel(id);
  assert.deepEqual(await handle.result(), { state: 'cancelled', cost: 1_230_000, currency: 'CNY' });
  assert.deepEqual(await historyOf(id, 'batch-cancelled'), [
    'validateBatch',
    'runBatchSlice',
    'cancelBatch',
    'runBatchSlice',
    'finalizeBatch',
  ]);
});

test('after some slices a batch goes on in a new history, without being validated again', async () => {
  const id = newBatchId();
  batches.set(id, { state: 'validating', slices: 0, slice: (number) => (number <= 2 ? more : done) });
  const handle = await runner.client.workflow.start('batch', {
    workflowId: id,
    taskQueue: runner.queues.workflows,
    args: [{ batchId: id, slicesARun: 2 }],
  });
  assert.equal(((await handle.result()) as { state: string }).state, 'completed');
  assert.equal(of(id).slices, 3);
  assert.deepEqual(await historyOf(id, 'batch-goes-on'), ['runBatchSlice', 'finalizeBatch']);
});

/** A row whose start was, or was not, acknowledged so long ago. */
async function rowOf(id: string, startedAgo: string | null): Promise<void> {
  const { account, key } = runner.customer;
  await runner.db.database.pool.query(
    `insert into batches (id, account_id, key_id, request_id, endpoint, input_file_id, window_seconds,
       output_expires_seconds, terms, created_at, expires_at, started_at)
     values ($1, $2, $3, 'req_1', '/v1/embeddings', 'file-1', 3600, 3600, '{}', now() - interval '1 hour',
       now() + interval '1 hour', now() - $4::interval)`,
    [id, account, key, startedAgo],
  );
}
const rowAfter = async (id: string) => {
  const { rows } = await runner.db.database.pool.query<{ state: string; isStarted: boolean }>(
    `select state, started_at is not null as "isStarted" from batches where id = $1`,
    [id],
  );
  return rows[0] ?? assert.fail(id);
};

test('a batch whose start was lost is started by the scan', async () => {
  const id = newBatchId();
  batches.set(id, { state: 'validating', slices: 0, slice: () => done });
  await rowOf(id, null);
  await runner.batchScan.startAccepted();
  assert.equal((await rowAfter(id)).isStarted, true);
  assert.equal(((await runner.client.workflow.getHandle(id).result()) as { state: string }).state, 'completed');
});

test('a batch whose workflow was terminated is cancelled and brought to its end by the scan', async () => {
  const { id, handle } = await started(() => ({ ...more, againInMs: 3_600_000 }));
  await rowOf(id, '10 minutes');
  await until('a slice', () => Promise.resolve(of(id).slices > 0 || undefined));
  await handle.terminate('for a test');
  of(id).state = 'cancelling';
  await runner.batchScan.lookAfterSilent();
  assert.equal((await rowAfter(id)).state, 'cancelling');
  assert.equal(((await runner.client.workflow.getHandle(id).result()) as { state: string }).state, 'cancelled');
});
