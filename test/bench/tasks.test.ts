/** The task benchmark's own parts: its load, its ratios and verdicts must be right before its figures mean anything. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runLoad } from '../../bench/tasks/messages.ts';
import { type Measured, tablesOf, verdictsOf } from '../../bench/tasks/tables.ts';

const history = { events: 19, activities: 2, localActivities: 1, actions: 5, bytes: 4_800, transitions: 14 };

const measured = (side: Measured['side'], round: number, perSecond: number, aloneMs: number): Measured => ({
  ...{ side, round },
  many: { tasks: 100, seconds: 100 / perSecond, p50Ms: 500, cpuMs: { Temporal: 20 } },
  one: { tasks: 10, seconds: 1, p50Ms: aloneMs, cpuMs: { Temporal: 20 } },
});

/** Ratios 0.8, 0.5 and 0.9 of throughput; 1.5, 3 and 1.6 of the wait. */
const rounds = [
  ...[measured('bare', 1, 50, 20), measured('task', 1, 40, 30)],
  ...[measured('bare', 2, 60, 20), measured('task', 2, 30, 60)],
  ...[measured('bare', 3, 40, 20), measured('task', 3, 36, 32)],
];

test('a load makes just so many calls, no more at a time than there are callers', async () => {
  let [calls, now, most] = [0, 0, 0];
  const { timesMs } = await runLoad({ tasks: 25, callers: 4 }, async () => {
    calls += 1;
    most = Math.max(most, ++now);
    await new Promise(setImmediate);
    now -= 1;
  });
  assert.deepEqual([calls, most, timesMs.length], [25, 4, 25]);
});

test('a load ends with its first failure', () =>
  assert.rejects(
    runLoad({ tasks: 3, callers: 1 }, () => Promise.reject(new Error('no image'))),
    /no image/,
  ));

test('ratios are taken within a round, and their median is judged', () => {
  assert.deepEqual(
    verdictsOf(rounds, history).map(({ holds, words }) => [holds, /^[\d.]+|[\d.]+ times/.exec(words)?.[0]]),
    [
      [true, '0.80'],
      [true, '1.60 times'],
      [true, '3'],
    ],
  );
});

test('what breaks a promise is said to', () => {
  const slow = [measured('bare', 1, 50, 20), measured('task', 1, 20, 50)];
  const long = { ...history, events: 21 };
  assert.deepEqual(
    verdictsOf(slow, long).map(({ holds }) => holds),
    [false, false, false],
  );
});

test('the table has medians of both sides and each part', () => {
  const written = [{ side: 'task', part: 'PostgreSQL', commits: 8.25, walBytes: 5_100 }] as const;
  const text = tablesOf(rounds, history, written);
  assert.match(text, /\| bare workflow \| 50\.0 \| 500 \| 20\.0 \| 20\.00 \| 20\.00 \|/);
  assert.match(text, /\| task \| 36\.0 \| 500 \| 32\.0 \| 20\.00 \| 20\.00 \|/);
  assert.match(text, /A task has PostgreSQL commit 8\.3 times and log 5\.1 kB\./);
});
