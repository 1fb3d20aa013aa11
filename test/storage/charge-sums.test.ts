/** Sums of charges by the hour: whatever is read through them is the ledger, however far they are behind. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AccountId } from '../../src/domain/ids.ts';
import { CallLedger } from '../../src/ledger/call-ledger.ts';
import { sumCharges } from '../../src/ledger/charge-sums.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { type ChargeQuery, chargesOfAccount, chargesOfAll } from '../../src/ledger/usage-table.ts';
import { openDatabase } from '../../src/postgres/database.ts';
import { admittedCall, callPrice } from '../support/calls.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { linesOf, type WrittenEntry, writeEntries } from '../support/entries.ts';
import { type Customer, ledgerKey, newCustomer, newLedger } from '../support/money.ts';

let home: TestDatabase;
before(async () => {
  home = await freshDatabase();
});
after(() => home.drop());

const customer = () => newCustomer(home.database, newLedger(home.database), 1_000_000n);
const stretch = { above: 0n, upTo: 1_000_000n };
const bounds = { largestBy: 'revenue', groupsMax: 50, columnsMax: 5 } as const;
const queryOf = (query: Partial<ChargeQuery>): ChargeQuery => ({
  ...{ group: 'model', from: new Date('2026-01-01T00:00:00Z'), to: new Date('2026-04-01T00:00:00Z'), timeZone: 'UTC' },
  ...bounds,
  ...query,
});
const ofAccount = (account: AccountId, query: Partial<ChargeQuery> = {}, database = home.database) =>
  chargesOfAccount(database, account, stretch, queryOf(query));
const ofAll = (query: Partial<ChargeQuery> = {}) => chargesOfAll(home.database, queryOf(query));

const chat = { model: 'chat', provider: 'one', key: 'key_one', lines: linesOf({ input: 20, cached: 4, output: 5 }) };
const entries: readonly WrittenEntry[] = [
  { ...chat, createdAt: '2026-02-01T09:59:59.999Z', admittedAt: '2026-02-01T09:10:00Z', revenue: 1_000, cost: 400 },
  { ...chat, createdAt: '2026-02-01T10:00:00Z', admittedAt: '2026-02-01T09:59:59.999Z', revenue: 200, cost: 0 },
  { ...chat, key: 'key_two', createdAt: '2026-02-01T10:20:00Z', admittedAt: '2026-02-01T10:19:00Z', revenue: 30 },
  { ...chat, type: 'hold', createdAt: '2026-02-01T10:20:00Z', admittedAt: '2026-02-01T10:20:00Z', revenue: 9_999 },
  // The clock was set back.
  { ...chat, createdAt: '2026-02-01T09:30:00Z', admittedAt: '2026-02-01T09:29:00Z', revenue: 4 },
  { ...chat, createdAt: '2026-02-01T10:40:00Z', admittedAt: '2026-02-01T10:39:00Z', revenue: 50_000, cost: 7 },
  // Settled late, on another day than it was admitted.
  { ...chat, createdAt: '2026-02-02T00:10:00Z', admittedAt: '2026-02-01T10:41:00Z', revenue: 600_000, cost: 90 },
  { ...chat, type: 'write_off', createdAt: '2026-02-02T00:10:00Z', admittedAt: '2026-02-01T10:41:30Z', revenue: 11 },
  {
    ...{ type: 'write_off', reason: 'owner_lost', model: 'chat', provider: 'two', revenue: 70, cost: 8 },
    ...{ createdAt: '2026-02-02T18:40:00Z', admittedAt: '2026-02-02T18:20:00Z' },
  },
  { units: 2, unit: 'image', revenue: 800, createdAt: '2026-02-02T18:45:00Z', admittedAt: '2026-02-02T18:44:00Z' },
  {
    ...{ units: 1.5, unit: 'second', taskId: 'avt_1', model: 'talk', revenue: 900 },
    ...{ createdAt: '2026-02-03T00:00:00Z', admittedAt: '2026-02-02T23:59:00Z' },
  },
];

const moments = [
  ['2026-01-01T00:00:00Z', '2026-04-01T00:00:00Z'],
  ['2026-02-01T09:30:00Z', '2026-02-01T10:40:00Z'], // no whole hour
  ['2026-02-01T09:15:00Z', '2026-02-02T18:50:00Z'],
  ['2026-02-01T09:59:59.999Z', '2026-02-02T00:00:00Z'],
  ['2026-02-01T10:00:00Z', '2026-02-01T11:00:00Z'],
] as const;
const zones = ['UTC', 'Asia/Kolkata', 'America/New_York'];
const forms: readonly Partial<ChargeQuery>[] = [
  ...[{ group: 'model', by: 'key' } as const, { group: 'user' } as const, { group: 'account' } as const],
  { group: 'model', key: 'key_two' },
  ...zones.flatMap((timeZone) => [
    { group: 'day', by: 'provider', timeZone } as const,
    { group: 'hour', timeZone } as const,
    { group: 'month', timeZone } as const,
  ]),
];

/** Every form of the tables, of the account and of all. */
async function tablesOf({ account }: Customer) {
  const tables: (readonly [Partial<ChargeQuery>, unknown, unknown])[] = [];
  for (const [from, to] of moments)
    for (const form of forms) {
      if (form.group === 'hour' && to === '2026-04-01T00:00:00Z') continue;
      const query = { ...form, from: new Date(from), to: new Date(to) };
      tables.push([query, await ofAccount(account, query), await ofAll(query)]);
    }
  return tables;
}

/** The accounts that have sums. */
const summed = async (): Promise<unknown[]> =>
  (await home.database.pool.query<{ id: unknown }>('select distinct account_id as id from charge_sums')).rows.map(
    ({ id }) => id,
  );

describe('tables of usage are the same', () => {
  let who: Customer;
  let unsummed: Awaited<ReturnType<typeof tablesOf>>;
  before(async () => {
    who = await customer();
    await writeEntries(home.database, who.account, entries);
    unsummed = await tablesOf(who);
  });

  test('from sums of hours as from entries, in any zone and range', async () => {
    const { total } = await ofAccount(who.account);
    const { revenue, calls, inputTokens, outputTokens, tokens, images, seconds } = total;
    assert.deepEqual(
      [revenue, calls, inputTokens, outputTokens, tokens, images, seconds],
      [652_934n, 8, 120, 30, 1_650, 2, 1.5],
    );
    const { total: all } = await ofAll();
    assert.deepEqual([all.revenue, all.writtenOff, all.cost, all.calls], [652_934n, 81n, 505n, 9]);
    await sumCharges(home.database);
    assert.deepEqual(await tablesOf(who), unsummed);
  });

  test('and with sums that are behind', async () => {
    await home.database.pool.query('truncate charge_sums, charge_positions');
    const later = await customer();
    await writeEntries(home.database, later.account, entries.slice(0, 6));
    await sumCharges(home.database);
    await writeEntries(home.database, later.account, entries.slice(6));
    const behind = await tablesOf(later);
    await sumCharges(home.database);
    const whole = await tablesOf(later);
    assert.deepEqual(whole, behind);
    const named = (tables: typeof unsummed) =>
      JSON.stringify(
        tables.map(([, own]) => own),
        digits,
      ).replaceAll(later.account, who.account);
    assert.equal(named(whole), named(unsummed));
  });

  test('and with so many entries behind that those of all accounts are not looked through', async () => {
    const idle = await customer();
    const query = { from: new Date('2026-02-01T09:15:00Z'), to: new Date('2026-02-02T18:42:00Z') };
    const known = await ofAll(query);
    await writeEntries(
      home.database,
      idle.account,
      Array.from({ length: 30_001 }, () => ({ type: 'hold' })),
    );
    assert.deepEqual(await ofAll(query), known);
  });
});

const digits = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

test('whole hours are read from their sums, and what came since from the entries', async () => {
  const { account } = await customer();
  await writeEntries(home.database, account, entries);
  await sumCharges(home.database);
  await home.database.pool.query(
    'update charge_sums set revenue = revenue + 5000000 where account_id = $1 and model = $2',
    [account, 'talk'],
  );
  await writeEntries(home.database, account, [{ ...chat, createdAt: '2026-02-01T10:30:00Z', revenue: 3 }]);
  assert.equal((await ofAccount(account)).total.revenue, 5_652_937n);
});

test('accounts that have few entries above their sums are left to another time', async () => {
  const { account } = await customer();
  await sumCharges(home.database);
  await writeEntries(home.database, account, entries);
  await sumCharges(home.database, { leastEntries: entries.length + 1 });
  assert.ok(!(await summed()).includes(account));
  await sumCharges(home.database, { leastEntries: entries.length });
  assert.ok((await summed()).includes(account));
});

test('sums that could not be written are made whole the next time', async () => {
  const { account } = await customer();
  await writeEntries(home.database, account, entries);
  const { pool } = home.database;
  await pool.query(
    `alter table charge_sums add constraint small check (account_id <> '${account}' or revenue < 600000)`,
  );
  await assert.rejects(sumCharges(home.database), /small/);
  assert.equal((await ofAccount(account)).total.revenue, 652_934n);
  await pool.query('alter table charge_sums drop constraint small');
  await sumCharges(home.database);
  await sumCharges(home.database); // nothing came since
  assert.equal((await ofAccount(account)).total.revenue, 652_934n);
});

test('calls that are settled while several processes sum are each counted once, at every look', async () => {
  const who = await customer();
  const calls = new CallLedger(new GroupCommitter(home.database, ledgerKey));
  const others = [1, 2].map(() => openDatabase(home.url, { onIdleError: () => undefined }));
  const range = {
    from: new Date('2026-01-01T00:00:00Z'),
    to: new Date('2036-01-01T00:00:00Z'),
    group: 'model',
  } as const;
  let settled = 0n;
  let isOver = false;
  const sum = async (database = home.database) => {
    while (!isOver) await sumCharges(database);
  };
  const look = async () => {
    while (!isOver) {
      const least = settled;
      const { revenue } = (await ofAccount(who.account, range)).total;
      assert.ok(revenue >= least && revenue <= 2_100n, `${revenue} of at least ${least}`);
    }
  };
  const call = async () => {
    for (let turn = 0; turn < 50; turn++) {
      await calls.settle(await admittedCall(calls, who, 10n), callPrice(7n));
      settled += 7n;
    }
  };
  const summing = [...others.map(sum), look()];
  await Promise.all(Array.from({ length: 6 }, call)).finally(() => (isOver = true));
  await Promise.all(summing);
  assert.equal((await ofAccount(who.account, range)).total.revenue, 2_100n);
  await sumCharges(home.database);
  const { rows } = await home.database.pool.query(
    'select sum(revenue)::bigint as revenue, sum(calls)::bigint as calls from charge_sums where account_id = $1',
    [who.account],
  );
  assert.deepEqual(rows, [{ revenue: 2_100n, calls: 300n }]);
  for (const other of others) await other.close();
});
