/** The comparison of a bill with what was booked: each difference once, by id or by day, and nothing else. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseDecimal } from '../../src/domain/exact-decimal.ts';
import { micros } from '../../src/domain/money.ts';
import { type BilledExport, type BilledRow, comparableModel } from '../../src/domain/reconciliation/billed-row.ts';
import type { BookedRow } from '../../src/domain/reconciliation/booked-row.ts';
import { compareBill } from '../../src/domain/reconciliation/compare.ts';

const period = { from: new Date('2026-11-01T00:00:00Z'), to: new Date('2026-12-01T00:00:00Z') };
const decimal = (text: string) => parseDecimal(text) ?? assert.fail(text);

const billed = (id: string | undefined, cost: string, more: Partial<BilledRow> = {}): BilledRow => ({
  place: `row of ${id ?? 'a day'}`,
  at: new Date('2026-11-05T10:00:00Z'),
  model: 'm-2026-01-01',
  ...(id !== undefined && { id }),
  tokens: {},
  cost: decimal(cost),
  ...more,
});
const booked = (id: string, cost: bigint | undefined, more: Partial<BookedRow> = {}): BookedRow => ({
  name: `req_${id}`,
  ids: [`req_${id}`, id],
  at: new Date('2026-11-05T10:00:01Z'),
  model: 'm',
  tokens: undefined,
  cost: cost === undefined ? undefined : micros(cost),
  stated: undefined,
  ...more,
});

const without = (name: 'model' | 'cost', row: BilledRow): BilledRow =>
  Object.fromEntries(Object.entries(row).filter(([key]) => key !== name)) as unknown as BilledRow;

const compare = (rows: readonly BilledRow[], own: readonly BookedRow[], more: Partial<BilledExport> = {}) =>
  compareBill({ form: 'test', currency: 'CNY', rows, dayOffsetMinutes: 0, ...more }, own, {
    period,
    gatewayCurrency: 'CNY',
  });
const named = (result: ReturnType<typeof compare>) =>
  result.differences.map(({ kind, subject, fields }) => [kind, subject, ...fields].join(' '));

describe('by the id of a call', () => {
  test('each fault is named, and what agrees is not', () => {
    const result = compare(
      [billed('a', '1'), billed('req_b', '2'), billed('lost', '3'), billed('d', '4.5'), billed('u', '1')],
      [
        booked('a', 1_000_000n),
        booked('b', 2_000_000n),
        booked('c', 3_000_000n),
        booked('d', 4_000_000n),
        booked('u', undefined),
      ],
    );
    assert.equal(result.by, 'id');
    assert.deepEqual(named(result), [
      'billed_not_booked lost',
      'differs d cost',
      'differs u cost',
      'booked_not_billed req_c',
    ]);
    assert.equal(result.share, 0.652173914); // 7.5 of 11.5
  });

  test('the same row twice is billed twice; parts of one call are added up', () => {
    const parts = [billed('p', '0.25', { tokens: { input: 5 } }), billed('p', '0.75', { tokens: { output: 6 } })];
    const result = compare(
      [billed('a', '1'), billed('a', '1'), ...parts],
      [
        booked('a', 1_000_000n),
        booked('p', 1_000_000n, { tokens: { input: 5, cachedInput: 0, cacheWrite: 0, output: 6 } }),
      ],
    );
    assert.deepEqual(named(result), ['billed_not_booked a']);
  });

  test('tokens are compared where both sides have them', () => {
    const tokens = { input: 100, cachedInput: 10, cacheWrite: 0, output: 5 };
    const more = { tokens: { input: 100, cacheWrite: 40, output: 5 } };
    assert.deepEqual(named(compare([billed('a', '1', more)], [booked('a', 1_000_000n, { tokens })])), [
      'differs a cacheWrite',
    ]);
    assert.deepEqual(named(compare([billed('a', '1', more)], [booked('a', 1_000_000n)])), []);
  });

  test('a call at the edge of the period is neither missed nor counted twice', () => {
    const late = new Date('2026-12-01T00:00:02Z');
    const early = new Date('2026-11-30T23:59:59Z');
    assert.deepEqual(named(compare([billed('a', '1', { at: early })], [booked('a', 1_000_000n, { at: late })])), []);
    assert.deepEqual(named(compare([billed('b', '1')], [booked('b', 1_000_000n), booked('z', 5n, { at: late })])), []);
    const outside = compare([billed('b', '1'), billed('y', '1', { at: late })], [booked('b', 1_000_000n)]);
    assert.deepEqual(named(outside), []);
    assert.equal(outside.billed.rows, 1);
  });

  test('a cost in another currency is compared as it was stated', () => {
    const stated = { amount: '0.0123456789', currency: 'USD' };
    const inUsd = { currency: 'USD' };
    const row = booked('a', 87_654n, { stated });
    assert.deepEqual(named(compare([billed('a', '0.0123456789')], [row], inUsd)), []);
    assert.deepEqual(named(compare([billed('a', '0.02')], [row], inUsd)), ['differs a cost']);
    assert.deepEqual(named(compare([billed('a', '0.087654')], [booked('a', 87_654n)], inUsd)), ['differs a cost']);
  });
});

describe('by day and model', () => {
  const day = new Date('2026-11-05T00:00:00Z');
  const ofDay = (cost: string, more: Partial<BilledRow> = {}) => billed(undefined, cost, { at: day, ...more });

  test('rows of a day and model are added up on both sides, whatever the snapshot is called', () => {
    const result = compare(
      [ofDay('0.4'), ofDay('0.6', { model: 'M' })],
      [booked('a', 300_000n), booked('b', 700_000n)],
    );
    assert.deepEqual([result.by, named(result)], ['day and model', []]);
    assert.deepEqual(named(compare([ofDay('1.1')], [booked('a', 1_000_000n)])), ['differs 2026-11-05 m cost']);
    const others = compare([ofDay('1', { model: 'x' }), ofDay('0', { model: 'unused' })], [booked('a', 1_000_000n)]);
    assert.deepEqual(named(others), ['booked_not_billed 2026-11-05 m', 'billed_not_booked 2026-11-05 x']);
    assert.equal(others.share, 2);
  });

  test('a file without models is compared by the day', () => {
    const row = without('model', ofDay('3'));
    const result = compare([row], [booked('a', 1_000_000n), booked('b', 2_000_000n, { model: 'other' })]);
    assert.deepEqual([result.by, named(result)], ['day', []]);
  });

  test("the vendor's day begins where it says", () => {
    const evening = booked('a', 1_000_000n, { at: new Date('2026-11-04T17:00:00Z') });
    const row = ofDay('1', { at: new Date('2026-11-04T16:00:00Z') });
    assert.deepEqual(named(compare([row], [evening], { dayOffsetMinutes: 480 })), []);
  });

  test('what rounding explains is no difference: a millionth a call, half a cent a row of a file in cents', () => {
    const calls = [booked('a', 333_333n), booked('b', 333_333n), booked('c', 333_334n)];
    assert.deepEqual(named(compare([ofDay('1.000003')], calls)), []);
    assert.deepEqual(named(compare([ofDay('1.000004')], calls)), ['differs 2026-11-05 m cost']);
    const cents = { costDecimals: 2 };
    assert.deepEqual(named(compare([ofDay('0.51'), ofDay('0.50')], calls, cents)), []);
    assert.deepEqual(named(compare([ofDay('0.51'), ofDay('0.51')], calls, cents)), ['differs 2026-11-05 m cost']);
  });

  test('without costs the tokens are the measure, without these the calls', () => {
    const tokens = { input: 90, cachedInput: 0, cacheWrite: 0, output: 10 };
    const usage = without('cost', ofDay('0', { calls: 2, tokens: { input: 180, output: 15 } }));
    const result = compare([usage], [booked('a', 1n, { tokens }), booked('b', 1n, { tokens })]);
    assert.deepEqual([result.measure, named(result)], ['tokens', ['differs 2026-11-05 m output']]);
    assert.equal(result.share, 0.025641026); // 5 of 195
    const run = without('cost', billed('p', '0', { calls: 1 }));
    assert.equal(compare([run], [booked('p', undefined)]).measure, 'calls');
  });
});

test('nothing billed and something booked is all of it', () => {
  assert.equal(compare([], [booked('a', 1n)]).share, 1);
  assert.equal(compare([], []).share, 0);
});

test('models are compared without case, dots and dates', () => {
  assert.equal(comparableModel('Claude Opus 4.6'), comparableModel('claude-opus-4-6-20260205'));
  assert.equal(comparableModel('gpt-4o-2024-08-06'), 'gpt-4o');
  assert.notEqual(comparableModel('gpt-4o-mini'), comparableModel('gpt-4o'));
});
