/** The low-balance event over the real database: owed once for each crossing, whatever crosses and however many do so at once. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { micros } from '../../src/domain/money.ts';
import { changeAccount } from '../../src/accounts/accounts.ts';
import type { Database } from '../../src/postgres/database.ts';
import { CallLedger } from '../../src/ledger/call-ledger.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { admittedCall, callPrice } from '../support/calls.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import {
  administrator,
  admissionOf,
  assertLedgerAddsUp,
  type Customer,
  failureOf,
  ledgerKey,
  newCustomer,
  newLedger,
  successOf,
} from '../support/money.ts';
import { eventsOf } from '../support/webhooks.ts';

const url = 'https://receiver.example/hook';
let made: TestDatabase;
let database: Database;
let ledger: Ledger;
before(async () => {
  made = await freshDatabase();
  database = made.database;
  ledger = newLedger(database);
});
after(async () => {
  await assertLedgerAddsUp(database);
  await made.drop();
});

/** An account that is low below 50 of its micro-units. */
async function customer(balance = 100n, changes: Parameters<typeof changeAccount>[2] = {}): Promise<Customer> {
  const who = await newCustomer(database, ledger, balance);
  await changeAccount(administrator(database), who.account, { webhookUrl: url, lowBalance: micros(50n), ...changes });
  return who;
}

const isLow = async ({ account }: Customer): Promise<unknown> =>
  (await database.pool.query<{ is_low: boolean }>('select is_low from accounts where id = $1', [account])).rows[0]
    ?.is_low;
const reportedBalances = async ({ account }: Customer) =>
  (await eventsOf(database, account)).map(({ data }) => [microsOf(data['balance']), microsOf(data['held'])]);
const microsOf = (money: unknown) => Math.round(Number(money) * 1e6);
const take = ({ account }: Customer, amount: bigint) => ledger.adjust(account, micros(-amount), 'for a test');
const give = ({ account }: Customer, amount: bigint) => ledger.credit(account, micros(amount), 'for a test');

async function admitted(who: Customer, hold: bigint) {
  const answer = await ledger.admitTask(admissionOf(who, hold));
  assert.ok(answer.admitted === 'new');
  return answer.taskId;
}

describe('an account', () => {
  test('is low below its threshold, not at it', async () => {
    const who = await customer();
    await take(who, 50n);
    assert.deepEqual([await isLow(who), await reportedBalances(who)], [false, []]);
    await take(who, 1n);
    assert.deepEqual([await isLow(who), await reportedBalances(who)], [true, [[49, 0]]]);
  });

  test('that is low is not reported again until it was not', async () => {
    const who = await customer();
    await take(who, 60n);
    await take(who, 10n);
    await give(who, 5n); // still below
    await take(who, 5n);
    assert.equal((await reportedBalances(who)).length, 1);
    await give(who, 20n); // exactly the threshold
    assert.equal(await isLow(who), false);
    await take(who, 1n);
    assert.deepEqual(await reportedBalances(who), [
      [40, 0],
      [49, 0],
    ]);
  });

  test('does not fall by what is only held', async () => {
    const who = await customer();
    const [failed, cheap] = [await admitted(who, 50n), await admitted(who, 50n)];
    await ledger.releaseTask(failureOf(who, failed));
    await ledger.settleTask(successOf(who, cheap, 10n));
    assert.deepEqual([await isLow(who), await reportedBalances(who)], [false, []]);
  });

  test('reports the balance after the whole settlement, with what its hold gave back', async () => {
    const who = await customer();
    await ledger.settleTask(successOf(who, await admitted(who, 80n), 60n));
    assert.deepEqual(await reportedBalances(who), [[40, 0]]);
  });

  test('without a webhook has crossed all the same, so that one set later reports the next crossing', async () => {
    const who = await customer(100n, { webhookUrl: null });
    await take(who, 60n);
    assert.deepEqual([await isLow(who), await reportedBalances(who)], [true, []]);
    await changeAccount(administrator(database), who.account, { webhookUrl: url });
    await take(who, 10n);
    assert.deepEqual(await reportedBalances(who), []);
    await give(who, 30n);
    await take(who, 20n);
    assert.deepEqual(await reportedBalances(who), [[40, 0]]);
  });

  test('whose threshold is set above its balance has not crossed it', async () => {
    const who = await customer(100n, { lowBalance: micros(200n) });
    await take(who, 10n);
    assert.deepEqual([await isLow(who), await reportedBalances(who)], [true, []]);
    await changeAccount(administrator(database), who.account, { lowBalance: micros(90n) });
    assert.equal(await isLow(who), false);
    await take(who, 1n);
    assert.deepEqual(await reportedBalances(who), [[89, 0]]);
    await changeAccount(administrator(database), who.account, { lowBalance: null });
    await take(who, 89n);
    assert.deepEqual([await isLow(who), (await reportedBalances(who)).length], [false, 1]);
  });
});

test('a group of many moves crosses in their order', async () => {
  const who = await customer();
  await Promise.all([take(who, 60n), give(who, 60n), take(who, 70n), give(who, 10n), take(who, 5n)]);
  const reported = await reportedBalances(who); // in no order: they are of one moment
  assert.deepEqual(reported.map(([balance]) => balance).sort(), [30, 40]);
});

test('calls over known rows cross once, and see a threshold and a webhook that were changed just now', async () => {
  const who = await customer(1_000n);
  const calls = new CallLedger(new GroupCommitter(database, ledgerKey));
  const pay = async (amount: bigint) => calls.settle(await admittedCall(calls, who, amount), callPrice(amount));
  await pay(1n); // from here on the rows are known
  await changeAccount(administrator(database), who.account, { lowBalance: micros(990n) });
  await pay(10n);
  assert.deepEqual(await reportedBalances(who), [[989, 0]]);
  await pay(1n);
  await pay(1n);
  await changeAccount(administrator(database), who.account, { webhookUrl: `${url}/new`, lowBalance: micros(900n) });
  await pay(100n);
  const { rows } = await database.pool.query('select url from events where account_id = $1 order by created_at', [
    who.account,
  ]);
  assert.deepEqual(rows, [{ url }, { url: `${url}/new` }]);
});

test('processes that spend at once cross once', async () => {
  for (let round = 0; round < 5; round++) {
    const who = await customer(200n);
    const processes = [1, 2, 3].map(() => new CallLedger(new GroupCommitter(database, ledgerKey)));
    await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const calls = processes[index % processes.length]!;
        await calls.settle(await admittedCall(calls, who, 3n), callPrice(3n));
      }),
    );
    assert.equal((await reportedBalances(who)).length, 1);
    const [[balance, held] = []] = await reportedBalances(who);
    assert.ok(balance! + held! < 50 && balance! + held! >= 47, `${balance} + ${held}`);
  }
});

test('whatever is done in whatever order, the events are those of a simple count', async () => {
  const seed = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 1e9));
  let state = seed;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const by = administrator(database);
  for (let sequence = 0; sequence < 12; sequence++) {
    const who = await customer();
    // A second process, whose commits make the first one's known rows wrong.
    const ledgers = [ledger, newLedger(database)];
    const calls = ledgers.map(() => new CallLedger(new GroupCommitter(database, ledgerKey)));
    const expected: number[] = [];
    let [sum, threshold, low] = [100, 50, false];
    const moved = (amount: number) => {
      sum += amount;
      if (sum < threshold && !low) expected.push(sum);
      low = sum < threshold;
    };
    for (let step = 0; step < 25; step++) {
      const [at, amount] = [random(2), 1 + random(40)];
      const what = random(4);
      if (what === 0) {
        await ledgers[at]!.credit(who.account, micros(BigInt(amount)), 'for a test');
        moved(amount);
      } else if (what === 1 && amount <= sum) {
        await ledgers[at]!.adjust(who.account, micros(BigInt(-amount)), 'for a test');
        moved(-amount);
      } else if (what === 2 && amount <= sum) {
        await calls[at]!.settle(await admittedCall(calls[at]!, who, BigInt(amount)), callPrice(BigInt(amount)));
        moved(-amount);
      } else if (what === 3 && amount % 5 === 0) {
        threshold = 20 + amount;
        low = sum < threshold;
        await changeAccount(by, who.account, { lowBalance: micros(BigInt(threshold)) });
      }
      assert.equal(await isLow(who), low, `TEST_SEED=${seed}, sequence ${sequence}, step ${step}`);
    }
    const reported = (await reportedBalances(who)).map(([balance]) => balance);
    assert.deepEqual(reported, expected, `TEST_SEED=${seed}, sequence ${sequence}`);
  }
});

test('a threshold that is changed while money moves leaves the account as it is then', async () => {
  const by = administrator(database);
  for (let round = 0; round < 10; round++) {
    const who = await customer(200n);
    const spend = Array.from({ length: 20 }, () => take(who, 7n));
    const change = [120n, 80n, 150n].map((low) => changeAccount(by, who.account, { lowBalance: micros(low) }));
    await Promise.all([...spend, ...change]);
    const { rows } = await database.pool.query(
      'select is_low, available + held < low_balance as below from accounts where id = $1',
      [who.account],
    );
    assert.equal(rows[0]?.is_low, rows[0]?.below);
  }
});
