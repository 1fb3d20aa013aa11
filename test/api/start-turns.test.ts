/** Starts by the API while an account has many: whose go first, and how large the turns of their tasks are. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { WaitingTasks } from '../../src/tasks/wait/unstarted-tasks.ts';
import { hasPriority, fairnessWeight } from '../../src/domain/tasks/fairness.ts';
import { startTaskRunner } from '../support/task-runner.ts';

const waitingTasks = (count: number) =>
  new WaitingTasks({
    max: () => 10_000,
    count: () => Promise.resolve(count),
    onError: (error) => assert.fail(String(error)),
  });

describe('starts by the API', () => {
  test('of a burst wait for their turn, and those of accounts with few tasks go before them', async () => {
    const waiting = waitingTasks(0);
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const start = (name: string) => () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    };
    const many = Array.from({ length: 40 }, (_, index) => waiting.start(start(`many ${index}`)));
    const few = waiting.start(start('few'), { hasPriority: true });
    const before = begun.length;
    assert.ok(before < 40, 'some of the burst wait');
    ends.shift()?.();
    await many[0];
    assert.equal(begun[before], 'few');
    while (ends.length > 0) {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.deepEqual(await Promise.all([few, ...many]), Array(41).fill(true));
  });

  test('are left to the scan while many tasks wait, but not those of accounts with few', async () => {
    const waiting = waitingTasks(5_000);
    assert.ok(await waiting.take());
    await new Promise((resolve) => setImmediate(resolve)); // the count has come
    const start = () => Promise.resolve();
    assert.equal(await waiting.start(start), false);
    assert.equal(await waiting.start(start, { hasPriority: true }), true);
  });

  test('that waited while Temporal was seen to be away are left to the scan', async () => {
    const waiting = waitingTasks(0);
    const fails: ((error: Error) => void)[] = [];
    const start = () => new Promise<void>((_, reject) => fails.push(reject));
    const starts = Array.from({ length: 40 }, () => waiting.start(start));
    const tried = fails.length;
    for (const fail of fails) fail(new Error('away'));
    const outcomes = await Promise.allSettled(starts);
    assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, tried);
    assert.equal(fails.length, tried, 'no other was tried');
  });
});

test('a task of a key with many under way has a smaller turn, and still one', async (t) => {
  assert.deepEqual([1, 100, 101, 10_000].map(hasPriority), [true, true, false, false]);
  assert.ok(fairnessWeight(101) > 0 && fairnessWeight(101) < fairnessWeight(100));
  const runner = await startTaskRunner({ providers: {}, work: false });
  t.after(() => runner.stop());
  for (const underWay of [1, 101]) {
    const id = await runner.admit({ routes: ['p'] });
    await runner.starter.start({ ...(await runner.facts(id)), underWay });
    const { priority } = await runner.client.workflow.getHandle(id).describe();
    assert.equal(priority?.fairnessKey, runner.customer.account);
    assert.equal(priority.fairnessWeight?.toFixed(3), fairnessWeight(underWay).toFixed(3));
  }
});
