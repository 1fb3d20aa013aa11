/** The statement of a month: its sums are those of the entries, and they add up. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { AccountId, KeyId } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/money.ts';
import type { Database } from '../../../src/postgres/database.ts';
import { CallLedger } from '../../../src/ledger/call-ledger.ts';
import { GroupCommitter } from '../../../src/ledger/commit/group-commit.ts';
import { Ledger } from '../../../src/ledger/ledger.ts';
import { newTaskId } from '../../../src/postgres/new-ids.ts';
import { openedBefore } from '../../support/aged-database.ts';
import { admittedCall, callPrice } from '../../support/calls.ts';
import { sharedTestGateway, type TestGateway } from '../../support/gateway.ts';
import { admissionOf, failureOf, successOf } from '../../support/money.ts';
import { type ConsoleClient, signedIn } from '../../support/people.ts';
import { type Chance, chanceOf } from '../../support/seeded.ts';

let gateway: TestGateway;
let owner: ConsoleClient;
let customer: { account: AccountId; key: KeyId };
before(async () => {
  gateway = await sharedTestGateway();
  const { account, keyId } = await gateway.newKey({ balance: '0' });
  customer = { account, key: keyId as KeyId };
  owner = await signedIn(gateway, { memberships: [{ account, role: 'owner' }] });
});
after(() => gateway.stop());

const monthOf = (date: Date) => date.toISOString().slice(0, 7);
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

interface Statement {
  opening: { balance: number; held: number; total: number };
  top_ups: { count: number; amount: number };
  adjustments: { count: number; amount: number };
  charges: { model: string; calls: number; cost: number }[];
  charged: number;
  write_offs: { count: number; amount: number };
  closing: { balance: number; held: number; total: number };
  is_complete: boolean;
}

async function statement(month: string): Promise<Statement> {
  const { status, body } = await owner.get(`/accounts/${customer.account}/statement?month=${month}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body as unknown as Statement;
}

/** Moves of all kinds, some of them left open. */
async function move(database: Database, chance: Chance): Promise<void> {
  const groups = new GroupCommitter(database, gateway.core.secrets.first.ledger);
  const [ledger, calls] = [new Ledger(groups), new CallLedger(groups)];
  const amount = () => BigInt(1 + chance.below(900_000));
  await ledger.credit(customer.account, micros(5_000_000n + amount()), 'paid in');
  const moves = [
    () => ledger.credit(customer.account, micros(amount()), 'paid in'),
    () => ledger.adjust(customer.account, micros(amount() - 450_000n), 'a correction'),
    async () => {
      const id = newTaskId('image');
      await ledger.admitTask(admissionOf(customer, amount(), { id }));
      const ends = [
        () => ledger.settleTask(successOf(customer, id, amount())),
        () => ledger.releaseTask(failureOf(customer, id)),
        () => Promise.resolve(),
      ];
      await chance.of(ends)();
    },
    async () => {
      const hold = await admittedCall(calls, customer, 40_000n, ownerOfCalls);
      await chance.of([
        () => calls.settle(hold, callPrice(BigInt(chance.below(60_000)))),
        () => calls.release(hold, 'upstream_error'),
        // Swept before it was settled: what it cost is written off.
        () => calls.release(hold, 'owner_lost').then(() => calls.settle(hold, callPrice(7n))),
      ])();
    },
  ];
  // An admission that the balance doesn't allow is refused, as it would be.
  for (let count = 0; count < 30; count++)
    await chance
      .of(moves)()
      .catch((error: unknown) => tolerate(error));
}
const ownerOfCalls = randomUUID();
function tolerate(error: unknown): void {
  if (!(error instanceof Error && /balance/.test(error.message))) throw error;
}

/** The same sums from the rows alone. */
async function reckoned(month: string) {
  const { rows } = await gateway.core.database.pool.query<{
    type: string;
    month: string;
    available: bigint;
    held: bigint;
    revenue: bigint;
  }>(
    `select type, to_char(created_at at time zone 'UTC', 'YYYY-MM') as month, d_available as available, d_held as held, d_revenue as revenue
     from entries where account_id = $1`,
    [customer.account],
  );
  const money = (of: (row: (typeof rows)[number]) => bigint, which: (row: (typeof rows)[number]) => boolean) =>
    Number(rows.filter(which).reduce((sum, row) => sum + of(row), 0n)) / 1e6;
  const funds = (which: (row: (typeof rows)[number]) => boolean) => ({
    balance: money(({ available }) => available, which),
    held: money(({ held }) => held, which),
    total: money(({ available, held }) => available + held, which),
  });
  const sum = (type: string, of: (row: (typeof rows)[number]) => bigint) => ({
    count: rows.filter((row) => row.type === type && row.month === month).length,
    amount: money(of, (row) => row.type === type && row.month === month),
  });
  return {
    opening: funds((row) => row.month < month),
    top_ups: sum('credit', ({ available }) => available),
    adjustments: sum('adjustment', ({ available }) => available),
    charged: sum('capture', ({ revenue }) => revenue).amount,
    write_offs: sum('write_off', ({ revenue }) => revenue),
    closing: funds((row) => row.month <= month),
  };
}

const exact = (money: number) => BigInt(Math.round(money * 1e6));

describe('over months of random entries', () => {
  // Each a month that the moves fell into, oldest first; the last one is this month.
  const ages = [70, 35, 0];
  before(async () => {
    // Hooks of suites have no diagnostic of their own.
    const chance = chanceOf({ diagnostic: (message) => process.stderr.write(`${message}\n`) });
    const { database } = gateway.core;
    await database.pool.query(`insert into owners (id, expires_at) values ($1, now() + interval '1 hour')`, [
      ownerOfCalls,
    ]);
    for (const age of ages) {
      const aged = await openedBefore({ database, url: gateway.databaseUrl }, `${age} days`);
      await move(aged, chance);
      await aged.close();
    }
  });

  test('every sum is that of the entries', async () => {
    for (const month of new Set([...ages, 100].map((age) => monthOf(daysAgo(age))))) {
      const shown = await statement(month);
      const { opening, top_ups, adjustments, charged, write_offs, closing } = shown;
      assert.deepEqual(
        { opening, top_ups, adjustments, charged, write_offs, closing },
        await reckoned(month),
        `of ${month}`,
      );
      assert.equal(
        shown.charges.reduce((sum, { cost }) => sum + exact(cost), 0n),
        exact(charged),
      );
    }
  });

  test('what was there, came in and was charged makes what is left, month by month to the balance of now', async () => {
    let before: Statement['closing'] = { balance: 0, held: 0, total: 0 };
    for (const age of ages) {
      const shown = await statement(monthOf(daysAgo(age)));
      assert.deepEqual(shown.opening, before);
      assert.equal(
        exact(shown.opening.total) +
          exact(shown.top_ups.amount) +
          exact(shown.adjustments.amount) -
          exact(shown.charged),
        exact(shown.closing.total),
      );
      assert.equal(shown.is_complete, age > 31 || monthOf(daysAgo(age)) !== monthOf(daysAgo(0)));
      before = shown.closing;
    }
    const { body } = await owner.get(`/accounts/${customer.account}`);
    assert.deepEqual([before.balance, before.held], [body['balance'], body['held']]);
  });

  test('the file says the same, and its amounts add up', async () => {
    const month = monthOf(daysAgo(35));
    const answer = await fetch(`${gateway.url}/console/api/accounts/${customer.account}/statement.csv?month=${month}`, {
      headers: { Cookie: owner.cookie },
    });
    assert.match(answer.headers.get('content-disposition') ?? '', new RegExp(`tollgate-statement-${month}-.*\\.csv`));
    const [first, ...lines] = (await answer.text()).trimEnd().split('\r\n');
    assert.equal(first, 'line,model,count,input_tokens,output_tokens,images,seconds,amount,currency');
    const cells = lines.map((line) => line.split(','));
    const amounts = cells.map((line) => exact(Number(line.at(-2))));
    assert.ok(cells.every((line) => line.at(-1) === 'CNY'));
    const closing = cells.findIndex(([line]) => line === 'closing_balance');
    assert.equal(
      amounts.slice(0, closing).reduce((sum, amount) => sum + amount, 0n),
      amounts[closing],
    );
    const shown = await statement(month);
    assert.deepEqual([amounts[0], amounts[closing]], [exact(shown.opening.total), exact(shown.closing.total)]);
  });
});

for (const month of ['2026-13', '2026', '0000-01', '1999-12', 'next', '2999-01', ''])
  test(`the month ${JSON.stringify(month)} is refused with what is allowed`, async () => {
    for (const form of ['statement', 'statement.csv']) {
      const { status, body } = await owner.get(`/accounts/${customer.account}/${form}?month=${month}`);
      const { param, message } = body['error'] as { param: string; message: string };
      assert.deepEqual([status, param], [400, 'month']);
      assert.match(message, /a month such as 2026-11/);
    }
  });
