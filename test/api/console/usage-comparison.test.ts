/** The period before in the console's usage: its days, and which number stands beside which. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daysBefore, numbersBefore, queryBefore } from '../../../console/src/parts/usage/comparison.ts';
import type { Shown } from '../../../console/src/parts/usage/usage-query.ts';

const shownOf = (change: Partial<Shown>): Shown => ({
  ...{ group: 'day', by: undefined, metric: 'errors', preset: 'custom', zone: 'Asia/Shanghai' },
  ...{ first: '2026-03-01', last: '2026-03-31', isCompared: true, isRange: true },
  ...change,
});
type Sums = ReturnType<typeof sumsOf>;
const sumsOf = (errors: number) => ({ errors, median_ms: 5 });
const figures = {
  numberOf: (sums: Sums, figure: keyof Sums) => sums[figure],
  isSum: (figure: keyof Sums) => figure === 'errors',
};
const rowOf = (id: string, errors: number, others = false) => ({ id, others, sums: sumsOf(errors) });
const tableOf = (...rows: ReturnType<typeof rowOf>[]) => ({ rows, total: { sums: sumsOf(7) } });
const heading = (id: string, others = false) => ({ id, others });

test('it has as many days, ends where the shown one begins, and is in the zone of the account', () => {
  assert.deepEqual(daysBefore({ first: '2026-03-01', last: '2026-03-31' }), {
    first: '2026-01-29',
    last: '2026-02-28',
  });
  const { from, to } = queryBefore(shownOf({}), Date.parse('2026-06-01'));
  assert.deepEqual([from, to], ['2026-01-28T16:00:00.000Z', '2026-02-28T16:00:00.000Z']);
});

test('while the last day is not over it is looked at up to the same time of day, to the next five minutes', () => {
  const day = new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10);
  const begun = Date.parse(`${day}T00:00:00+08:00`);
  const { to } = queryBefore(shownOf({ first: day, last: day }), begun + 3_601_000);
  assert.equal(to, new Date(begun - 86_400_000 + 3_900_000).toISOString());
});

test('a time stands beside the one at its place, all else beside its own name', () => {
  const days = numbersBefore(tableOf(rowOf('2026-01-29', 3), rowOf('2026-02-28', 4)), shownOf({}), figures);
  assert.deepEqual(
    ['2026-03-01', '2026-03-02', '2026-03-31'].map((id) => days(heading(id), 'errors')),
    [3, 0, 4],
  );
  const tags = numbersBefore(tableOf(rowOf('search', 2)), shownOf({ group: 'tag' }), figures);
  assert.deepEqual(
    [tags(heading('search'), 'errors'), tags(heading('mail'), 'errors'), tags(heading('mail'), 'median_ms')],
    [2, 0, null],
  );
  assert.equal(tags(undefined, 'errors'), 7);
});

test('a time that is to come stands beside none', () => {
  const shown = shownOf({ group: 'hour', first: '2026-03-02', last: '2026-03-02' });
  const table = tableOf(rowOf('2026-03-01T09:00:00+08:00', 3), rowOf('2026-03-01T10:00:00+08:00', 4));
  const hours = numbersBefore(table, shown, figures, Date.parse('2026-03-02T09:30+08:00'));
  assert.deepEqual(
    ['2026-03-02T09:00:00+08:00', '2026-03-02T10:00:00+08:00'].map((id) => hours(heading(id), 'errors')),
    [3, null],
  );
});

test('what may be among the others of that time is not known', () => {
  const tags = numbersBefore(tableOf(rowOf('search', 2), rowOf('', 9, true)), shownOf({ group: 'tag' }), figures);
  assert.deepEqual(
    [tags(heading('search'), 'errors'), tags(heading('mail'), 'errors'), tags(heading('', true), 'errors')],
    [2, null, null],
  );
});
