/** What the figures of batches rest on: ratios are taken within a round, and the promises are judged by medians. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Beside, type Measured, tablesOf, verdictsOf } from '../../bench/batches/report.ts';

const one = (side: Measured['side'], round: number, seconds: number, restMs: number): Measured => ({
  ...{ side, round, calls: 100, seconds },
  cpu: { own: 200, postgres: 100, rest: restMs },
});
const measured = [
  ...[one('loop', 1, 2, 0), one('batch', 1, 1, 50)],
  ...[one('loop', 2, 4, 0), one('batch', 2, 1, 90)],
  ...[one('loop', 3, 3, 0), one('batch', 3, 1, 200)],
];
const beside: Beside[] = [
  { round: 1, aloneMs: [10], besideMs: [11] },
  { round: 2, aloneMs: [10], besideMs: [15] },
  { round: 3, aloneMs: [20], besideMs: [23] },
];

test('a batch is compared with the loop of its own round, and its CPU is shown by part', () => {
  const tables = tablesOf(measured, beside);
  assert.match(tables, /\| the lines of a batch \| 100 \| 2\.00 \| 1\.00 \| 0\.90 \| 3\.90 \|/);
  assert.match(tables, /a second, times the loop's: 3\.00 \(2\.00, 4\.00, 3\.00\)/);
  assert.match(
    tables,
    /interactive p99 beside ten batches, times alone: 1\.15 of all calls, by rounds 1\.15 \(1\.10, 1\.50, 1\.15\)/,
  );
});

test('a millisecond of Temporal a line, or a fifth more of the p99, breaks a promise', () => {
  const holds = (restMs: number, besideMs: number) =>
    verdictsOf([one('batch', 1, 1, restMs)], [{ round: 1, aloneMs: [10], besideMs: [besideMs] }]).map(
      (verdict) => verdict.holds,
    );
  assert.deepEqual(holds(99, 11), [true, true]);
  assert.deepEqual(holds(100, 12), [false, false]);
});
