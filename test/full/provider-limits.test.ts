/** What a provider bears: creates a second, unfinished jobs, and accounts that take turns; on the real Temporal server. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test, type TestContext } from 'node:test';
import type { ProviderLimits } from '../../src/activities/dependencies.ts';
import { GatewayError } from '../../src/domain/errors.ts';
import type { TaskProvider } from '../../src/providers/contract.ts';
import { image, part, type Script, ScriptedProvider, startTaskRunner } from '../support/task-runner.ts';
import { assertLedgerAddsUp } from '../support/money.ts';

async function runnerOf(
  t: TestContext,
  providers: Record<string, TaskProvider>,
  limits: Record<string, ProviderLimits>,
) {
  const runner = await startTaskRunner({ providers, limits });
  t.after(async () => {
    await assertLedgerAddsUp(runner.db.database);
    await runner.stop();
  });
  return runner;
}

/** A provider that notes its creates: when, by this process's monotonic clock, and of which task. */
function noting(script: Script = {}) {
  const creates: { at: number; reference: string }[] = [];
  const news = new EventEmitter();
  const provider = new ScriptedProvider({
    ...script,
    submit(signal, job) {
      creates.push({ at: performance.now(), reference: job.reference });
      news.emit('create');
      return script.submit?.(signal, job) ?? { outcome: 'accepted', jobId: job.reference };
    },
  });
  /** Resolves once there were so many. */
  const reached = async (count: number) => {
    while (creates.length < count) await once(news, 'create');
  };
  return { provider, creates, reached };
}

const times = <T>(count: number, make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, make));

test('a provider with room for three never has more than three unfinished jobs, and all tasks end', async (t) => {
  let [unfinished, most] = [0, 0];
  let mayEnd = false;
  const { provider, reached } = noting({
    submit: () => {
      unfinished += 1;
      most = Math.max(most, unfinished);
      return { outcome: 'accepted', jobId: 'job' };
    },
    poll: () => {
      if (!mayEnd) return { state: 'processing' };
      unfinished -= 1;
      return { state: 'succeeded', parts: [part(image)] };
    },
  });
  const runner = await runnerOf(t, { small: provider }, { small: { maxConcurrent: 3 } });
  await runner.work();
  const tasks = await times(12, () => runner.start({ routes: ['small'] }));
  await reached(3);
  mayEnd = true;
  for (const id of tasks) assert.equal((await runner.final(id)).state, 'succeeded');
  assert.equal(most, 3);
  assert.equal(provider.asked.submit, 12);
});

test('a refused job frees its place, and its task falls over to the next provider', async (t) => {
  const refusing = noting({
    submit: () => ({ outcome: 'refused', error: new GatewayError('upstream_error', 'No.'), fallOver: true }),
  });
  let isDone = false;
  const slow = noting({
    poll: () => (isDone ? { state: 'succeeded', parts: [part(image)] } : { state: 'processing' }),
  });
  const limits = { first: { maxConcurrent: 1 }, second: { maxConcurrent: 4 } };
  const runner = await runnerOf(t, { first: refusing.provider, second: slow.provider }, limits);
  const tasks = await times(4, () => runner.start({ routes: ['first', 'second'] }));
  // None of them is final, and the first provider has room for one: each refusal let the next task in.
  await slow.reached(4);
  assert.equal(refusing.creates.length, 4);
  isDone = true;
  for (const id of tasks) assert.equal((await runner.final(id)).state, 'succeeded');
});

test('two workers keep the create rate of a provider together', async (t) => {
  const [slow, fast] = [noting(), noting()];
  const runner = await runnerOf(t, { slow: slow.provider, fast: fast.provider }, { slow: { maxPerSecond: 5 } });
  await runner.work();
  const tasks = [
    ...(await times(40, () => runner.start({ routes: ['slow'] }))),
    ...(await times(60, () => runner.start({ routes: ['fast'] }))),
  ];
  for (const id of tasks) assert.equal((await runner.final(id)).state, 'succeeded');
  assert.deepEqual([slow.creates.length, fast.creates.length], [40, 60]);
  for (const { at: first } of slow.creates) {
    const within = slow.creates.filter(({ at }) => at >= first && at < first + 1000);
    assert.ok(within.length <= 5, `${within.length} creates in a second`);
  }
});

test('tasks of a fast provider do not wait for those of a slow one', async (t) => {
  const [slow, fast] = [noting(), noting()];
  const limits = { slow: { maxPerSecond: 0.02 }, fast: { maxPerSecond: 1000 } };
  const runner = await runnerOf(t, { slow: slow.provider, fast: fast.provider }, limits);
  await times(20, () => runner.start({ routes: ['slow'] }));
  await slow.reached(1);
  for (const id of await times(30, () => runner.start({ routes: ['fast'] }))) {
    assert.equal((await runner.final(id)).state, 'succeeded');
  }
  assert.equal(slow.creates.length, 1); // the next one may go after 55 seconds
});

test('an account with one task does not wait for all those that another account has waiting', async (t) => {
  const { provider, creates, reached } = noting();
  const runner = await runnerOf(t, { limited: provider }, { limited: { maxPerSecond: 5 } });
  const other = await runner.newCustomer();
  const many = await times(24, () => runner.start({ routes: ['limited'] }));
  await reached(3);
  const one = await runner.start({ routes: ['limited'] }, other);
  const before = creates.length;
  await runner.final(one);
  // Two of the first account's have a slot already, then accounts take turns; some go while this one's workflow starts.
  const place = creates.findIndex(({ reference }) => reference.endsWith(one)) - before;
  assert.ok(place >= 0 && place < 12, `${place} tasks went first`);
  for (const id of many) assert.equal((await runner.final(id)).state, 'succeeded');
});
