/** A month of traffic with seeded faults: the comparison with the bill names each of them, and only these. */
import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { compareBill } from '../../src/domain/reconciliation/compare.ts';
import type { BilledRow } from '../../src/domain/reconciliation/billed-row.ts';
import { parseDecimal } from '../../src/domain/exact-decimal.ts';
import { micros } from '../../src/domain/money.ts';
import type { TokenPrice } from '../../src/domain/billing/token-card.ts';
import { vendorText } from '../../src/domain/billing/vendor-text.ts';
import { listBooked } from '../../src/ledger/booked-costs.ts';
import { CallLedger } from '../../src/ledger/call-ledger.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { reportOf } from '../../src/reconciliation/report.ts';
import { keepReconciliation, listReconciliations } from '../../src/reconciliation/results.ts';
import { present } from '../../src/config/setting-errors.ts';
import { callAdmissionOf } from '../support/calls.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { type Customer, ledgerKey, newCustomer, newLedger } from '../support/money.ts';
import { chanceOf } from '../support/seeded.ts';
import { priceOfCounts } from '../support/token-prices.ts';

const dayMs = 86_400_000;
const from = new Date('2026-11-01T00:00:00Z');
const to = new Date('2026-12-01T00:00:00Z');
const perDay = 6;
const price: TokenPrice = {
  unit: 'token',
  ...{ inputPerMillion: micros(3_000_000n), outputPerMillion: micros(15_000_000n) },
  ...{ cachedInputPerMillion: micros(300_000n), cacheWritePerMillion: micros(3_750_000n) },
};

let made: TestDatabase;
let calls: CallLedger;
let who: Customer;
before(async () => {
  made = await freshDatabase();
  calls = new CallLedger(new GroupCommitter(made.database, ledgerKey));
  who = await newCustomer(made.database, newLedger(made.database), 1_000_000_000n);
});
after(() => made.drop());

interface Used {
  fresh: number;
  cacheRead: number;
  cacheWrite5m: number;
  output: number;
}

/** Books one call at that time, and returns the row that its vendor bills. */
async function call(number: number, at: Date, used: Used, booked: Used, provider = 'acme'): Promise<BilledRow> {
  const id = `msg_${number}`;
  mock.timers.setTime(at.getTime());
  const admitted = await calls.admit(callAdmissionOf(who, 1_000_000n));
  assert.ok(admitted.admitted === 'yes');
  const { lines, total } = priceOfCounts(price, booked);
  const vendor = vendorText({ id, model: 'acme-large', usage: { input_tokens: used.fresh } });
  await calls.settle(admitted.hold, {
    ...{ lines, total, usageSource: 'upstream', priceVersion: 'v1' },
    origin: { provider, cost: total, vendor },
  });
  const billed = priceOfCounts(price, used);
  return {
    place: `row ${number}`,
    ...{ at, id, model: 'acme-large-20260101', calls: 1 },
    tokens: {
      input: used.fresh + used.cacheRead + used.cacheWrite5m,
      ...{ cachedInput: used.cacheRead, cacheWrite: used.cacheWrite5m, output: used.output },
    },
    cost: { digits: billed.total, scale: 6 },
  };
}

test('a month of traffic: each seeded fault is named, and nothing else', async (context) => {
  const chance = chanceOf(context);
  const bill: BilledRow[] = [];
  const faulty = new Set<number>();
  const draw = () => {
    const number = chance.below(30 * perDay);
    if (faulty.has(number)) return draw();
    faulty.add(number);
    return number;
  };
  const [lost, doubled, wrong, unpriced] = [draw(), draw(), draw(), draw()];

  mock.timers.enable({ apis: ['Date'], now: from });
  try {
    for (let number = 0; number < 30 * perDay; number++) {
      const at = new Date(from.getTime() + Math.floor((number + chance.next()) * (dayMs / perDay)));
      const used = {
        ...{ fresh: 1 + chance.below(5000), cacheRead: chance.below(2000) },
        ...{ cacheWrite5m: 1 + chance.below(1000), output: 1 + chance.below(800) },
      };
      // The write to the cache was taken for nothing.
      const row = await call(number, at, used, number === unpriced ? { ...used, cacheWrite5m: 0 } : used);
      if (number === lost) continue;
      bill.push(row);
      if (number === doubled) bill.push({ ...row, place: 'row again' });
    }
    // Other providers' calls are none of this bill.
    await call(
      1_000_000,
      new Date(from.getTime() + 5 * dayMs),
      { fresh: 1, cacheRead: 0, cacheWrite5m: 0, output: 1 },
      { fresh: 1, cacheRead: 0, cacheWrite5m: 0, output: 1 },
      'other',
    );
  } finally {
    mock.timers.reset();
  }
  const row = bill.find(({ id }) => id === `msg_${wrong}`);
  const cost = parseDecimal('0.5');
  assert.ok(row && cost);
  row.cost = cost;

  const booked = await listBooked(
    made.database,
    'acme',
    new Date(from.getTime() - dayMs),
    new Date(to.getTime() + dayMs),
  );
  assert.equal(booked.length, 30 * perDay);
  const export_ = { form: 'test', currency: 'CNY', dayOffsetMinutes: 0 };
  const compare = (rows: readonly BilledRow[]) =>
    compareBill({ ...export_, rows }, booked, { period: { from, to }, gatewayCurrency: 'CNY' });
  const comparison = compare(bill);
  const nameOf = (number: number) => booked.find(({ ids }) => ids.includes(`msg_${number}`))?.name;
  assert.deepEqual(
    new Set(comparison.differences.map(({ kind, subject, fields }) => [kind, subject, ...fields].join(' '))),
    new Set([
      `booked_not_billed ${nameOf(lost) ?? ''}`,
      `billed_not_booked msg_${doubled}`,
      `differs msg_${wrong} cost`,
      `differs msg_${unpriced} cost input cacheWrite`,
    ]),
  );

  await context.test('without ids the days of the faults are named', () => {
    const rows = bill
      .map(({ place, at, model, calls, tokens, cost }) => ({ place, at, model, calls, tokens, cost }))
      .map(present);
    const days = [lost, doubled, wrong, unpriced].map((number) => Math.floor(number / perDay));
    const expected = new Set(days.map((day) => new Date(from.getTime() + day * dayMs).toISOString().slice(0, 10)));
    const found = compare(rows);
    assert.equal(found.by, 'day and model');
    assert.deepEqual(new Set(found.differences.map(({ at }) => at)), expected);
  });

  await context.test('the last result of each provider is kept, with its first differences', async () => {
    const report = reportOf({ ...export_, rows: bill }, comparison);
    const result = { provider: 'acme', period: { from, to }, share: comparison.share, tolerance: 0.01, report };
    await keepReconciliation(made.database, { ...result, share: 0.5 });
    const many = Array.from({ length: 101 }, () => report.differences[0]).filter((one) => one !== undefined);
    await keepReconciliation(made.database, { ...result, provider: 'other', report: { ...report, differences: many } });
    await keepReconciliation(made.database, result);
    const [first, second, ...more] = await listReconciliations(made.database);
    assert.ok(first && second && more.length === 0);
    const { madeAt, ...kept } = first;
    assert.ok(Math.abs(madeAt.getTime() - Date.now()) < 60_000);
    assert.deepEqual(kept, result);
    assert.equal(second.report.differences.length, 100);
  });
});
