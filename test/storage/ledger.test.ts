/** The ledger over a real PostgreSQL: admissions, settlements and releases, each once, whichever processes compete. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { TaskId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/money.ts';
import { revokeKey } from '../../src/accounts/api-keys.ts';
import { openDatabase } from '../../src/postgres/database.ts';
import { listEntries } from '../../src/ledger/entries.ts';
import { canonicalJson } from '../../src/domain/json/canonical-json.ts';
import { GroupCommitter, waitingMembersMax } from '../../src/ledger/commit/group-commit.ts';
import type { Ledger, TaskAdmitted } from '../../src/ledger/ledger.ts';
import { newTaskId, newTransferId } from '../../src/postgres/new-ids.ts';
import { findTask } from '../../src/tasks/rows/task-rows.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import {
  administrator,
  admissionOf,
  assertLedgerAddsUp,
  canonicalOf,
  type Customer,
  failureOf,
  ledgerKey,
  newCustomer,
  newLedger,
  stateOf,
  successOf,
} from '../support/money.ts';

let testDatabase: TestDatabase;
let ledger: Ledger;
before(async () => {
  testDatabase = await freshDatabase();
  ledger = newLedger(testDatabase.database);
});
after(() => testDatabase.drop());

const customer = (balance: bigint, limits = {}) => newCustomer(testDatabase.database, ledger, balance, limits);
const state = (who: Customer) => stateOf(testDatabase.database, who);
const addsUp = () => assertLedgerAddsUp(testDatabase.database);
const codeOf = (admitted: TaskAdmitted) => (admitted.admitted === 'no' ? admitted.refusal.code : admitted.admitted);

async function admitted(who: Customer, hold: bigint, withLedger = ledger): Promise<TaskId> {
  const answer = await withLedger.admitTask(admissionOf(who, hold));
  assert.ok(answer.admitted === 'new', answer.admitted);
  return answer.taskId;
}

describe('a task admitted', () => {
  test('holds its price, has a row and counts on its key', async () => {
    const who = await customer(100n);
    const id = await admitted(who, 30n);
    const { available, held, counters } = await state(who);
    assert.deepEqual([available, held, counters.runningTasks, counters.calls.day], [70n, 30n, 1, 1n]);
    const task = await findTask(testDatabase.database, id, who.account);
    assert.deepEqual([task?.state, task?.holdAmount, task?.request?.kind], ['accepted', 30n, 'image']);
    await addsUp();
  });

  test('and settled below its hold costs its price and gives the rest back', async () => {
    const who = await customer(100n);
    const id = await admitted(who, 30n);
    assert.deepEqual(await ledger.settleTask(successOf(who, id, 12n)), {
      ...{ ended: true, state: 'succeeded', cost: 12n, mayDequeue: false },
    });
    const { available, held, counters } = await state(who);
    assert.deepEqual([available, held, counters.runningTasks, counters.spent.day], [88n, 0n, 0, 12n]);
    const task = await findTask(testDatabase.database, id);
    assert.deepEqual([task?.cost, task?.balanceAfter, task?.state], [12n, 88n, 'succeeded']);
    const entries = await listEntries(
      testDatabase.database,
      who.account,
      { taskId: id },
      { limit: 10, before: undefined },
    );
    assert.deepEqual(
      entries.map(({ type, amount, balance, charged }) => [type, amount, balance, charged]),
      [
        ['release', 18n, 88n, 0n],
        ['capture', 0n, 70n, 12n],
        ['hold', -30n, 70n, 0n],
      ],
    );
    await addsUp();
  });

  test('and settled above hold and balance leaves arrears that a credit ends', async () => {
    const who = await customer(40n);
    const id = await admitted(who, 30n);
    await ledger.settleTask(successOf(who, id, 50n));
    assert.deepEqual([(await state(who)).available, (await state(who)).in_arrears], [0n, true]);
    assert.equal((await findTask(testDatabase.database, id))?.cost, 40n);
    assert.equal(codeOf(await ledger.admitTask(admissionOf(who, 0n))), 'insufficient_balance');
    assert.equal(await ledger.credit(who.account, micros(5n), 'paid'), 5n);
    assert.equal(codeOf(await ledger.admitTask(admissionOf(who, 5n))), 'new');
    await addsUp();
  });

  test('ends once: what comes later changes nothing and learns how it ended', async () => {
    const who = await customer(100n);
    const id = await admitted(who, 30n);
    const ends = await Promise.all([
      ledger.releaseTask(failureOf(who, id, 'cancelled')),
      ledger.settleTask(successOf(who, id, 30n)),
      newLedger(testDatabase.database).settleTask(successOf(who, id, 30n)),
      newLedger(testDatabase.database).releaseTask(failureOf(who, id)),
    ]);
    assert.equal(ends.filter(({ ended }) => ended).length, 1);
    assert.equal(new Set(ends.map(({ state: reached }) => reached)).size, 1);
    const before = await state(who);
    for (const again of [ledger.settleTask(successOf(who, id, 30n)), ledger.releaseTask(failureOf(who, id))]) {
      assert.deepEqual(await again, { ended: false, state: ends[0].state, mayDequeue: false });
    }
    assert.deepEqual(await state(who), before);
    assert.equal(before.counters.runningTasks, 0);
    await addsUp();
  });
});

describe('many at once', () => {
  test('exactly as many are admitted as there is money for', async () => {
    const who = await customer(37n * 10n + 9n);
    const answers = await Promise.all(Array.from({ length: 200 }, () => ledger.admitTask(admissionOf(who, 10n))));
    assert.equal(answers.filter((answer) => codeOf(answer) === 'new').length, 37);
    assert.equal(answers.filter((answer) => codeOf(answer) === 'insufficient_balance').length, 163);
    assert.equal((await state(who)).available, 9n);
    await addsUp();
  });

  test('exactly as many as the key may call, run and spend, over several processes', async () => {
    for (const [limits, code, count] of [
      [{ callLimits: [{ calls: 13, per: 'total' }] }, 'call_limit_exceeded', 13],
      [{ maxRunningTasks: 9 }, 'concurrency_limit_exceeded', 9],
      [{ spendLimit: { amount: micros(55n), per: 'month' } }, 'spend_limit_exceeded', 5],
    ] as const) {
      const who = await customer(10_000n, limits);
      const processes = [ledger, newLedger(testDatabase.database), newLedger(testDatabase.database)];
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, index) => processes[index % 3]!.admitTask(admissionOf(who, 10n))),
      );
      assert.equal(answers.filter((answer) => codeOf(answer) === 'new').length, count, code);
      assert.equal(answers.filter((answer) => codeOf(answer) === code).length, 60 - count);
    }
    await addsUp();
  });

  test('two processes on one account never overdraw it', async () => {
    const who = await customer(500n);
    const pool = openDatabase(testDatabase.url, { onIdleError: () => undefined });
    const other = newLedger(pool);
    try {
      const answers = await Promise.all(
        Array.from({ length: 120 }, (_, index) => (index % 2 ? ledger : other).admitTask(admissionOf(who, 10n))),
      );
      assert.equal(answers.filter((answer) => codeOf(answer) === 'new').length, 50);
      assert.equal((await state(who)).available, 0n);
    } finally {
      await pool.close();
    }
    await addsUp();
  });

  test('many accounts in any order come through without a deadlock', async () => {
    const customers = await Promise.all(Array.from({ length: 12 }, () => customer(10_000n)));
    const errors: unknown[] = [];
    const lanes = [0, 1, 2].map(async (lane) => {
      const own = newLedger(testDatabase.database);
      for (let round = 0; round < 8; round++) {
        const turned = customers.map((_, index) => customers[(index * (lane * 2 + 5) + round) % 12]!);
        const ids = await Promise.all(turned.map((who) => admitted(who, 1n, own)));
        await Promise.all(
          ids.map((id, index) =>
            index % 2
              ? own.settleTask(successOf(turned[index]!, id, 1n))
              : own.releaseTask(failureOf(turned[index]!, id)),
          ),
        );
      }
    });
    for (const lane of await Promise.allSettled(lanes)) if (lane.status === 'rejected') errors.push(lane.reason);
    assert.deepEqual(errors, []);
    const { rows } = await testDatabase.database.pool.query<{ deadlocks: bigint }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    assert.equal(rows[0]?.deadlocks, 0n);
    await addsUp();
  });

  test('a member whose constraint fires fails alone', async () => {
    const who = await customer(100n);
    const taken = await admitted(who, 1n);
    const answers = await Promise.allSettled([
      ledger.admitTask(admissionOf(who, 10n)),
      ledger.admitTask(admissionOf(who, 10n, { id: taken })),
      ledger.admitTask(admissionOf(who, 10n)),
      ledger.admitTask(admissionOf({ ...who, account: 'acc_none' as Customer['account'] }, 10n)),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'rejected'],
    );
    assert.equal((await state(who)).available, 79n);
    await addsUp();
  });

  test('more than may wait are refused as overloaded, and the others go on', async () => {
    const who = await customer(0n);
    const groups = new GroupCommitter(testDatabase.database, ledgerKey);
    const move = { account: who.account, decide: () => ({ outcome: 'done' }) };
    const answers = await Promise.allSettled(Array.from({ length: waitingMembersMax + 3 }, () => groups.commit(move)));
    const refused = answers.filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 3);
    assert.equal((refused[0] as PromiseRejectedResult).reason.code, 'overloaded');
    await groups.drained();
  });
});

describe('an idempotency key', () => {
  const binding = (key: string, body: number) => ({ idempotency: { key, bodyHash: Buffer.alloc(32, body) } });

  test('gives the same task to the same body and refuses another', async () => {
    const who = await customer(100n);
    const first = await ledger.admitTask(admissionOf(who, 10n, binding('k', 1)));
    assert.ok(first.admitted === 'new');
    const again = await ledger.admitTask(admissionOf(who, 10n, binding('k', 1)));
    assert.ok(again.admitted === 'before');
    assert.equal(again.taskId, first.taskId);
    assert.equal(codeOf(await ledger.admitTask(admissionOf(who, 10n, binding('k', 2)))), 'idempotency_key_reused');
    assert.equal((await state(who)).available, 90n);
    assert.equal((await state(who)).counters.calls.total, 1n);
  });

  test('binds one task among many asked for at once, over several processes', async () => {
    const who = await customer(1000n);
    const other = newLedger(testDatabase.database);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 ? ledger : other).admitTask(admissionOf(who, 10n, binding('once', 1))),
      ),
    );
    assert.equal(answers.filter(({ admitted: how }) => how === 'new').length, 1);
    assert.equal(new Set(answers.map((answer) => (answer.admitted === 'no' ? 'no' : answer.taskId))).size, 1);
    assert.equal((await state(who)).held, 10n);
  });

  test('belongs to its account', async () => {
    const [one, other] = [await customer(10n), await customer(10n)];
    assert.equal(codeOf(await ledger.admitTask(admissionOf(one, 1n, binding('mine', 1)))), 'new');
    assert.equal(codeOf(await ledger.admitTask(admissionOf(other, 1n, binding('mine', 2)))), 'new');
  });

  test('is bound to nothing by a refused call', async () => {
    const who = await customer(5n);
    const refused = await ledger.admitTask(admissionOf(who, 10n, binding('poor', 1)));
    assert.equal(codeOf(refused), 'insufficient_balance');
    assert.equal(codeOf(await ledger.admitTask(admissionOf(who, 5n, binding('poor', 2)))), 'new');
  });

  test('stays bound to a failed task, and is free again after 24 hours', async () => {
    const who = await customer(100n);
    const first = await ledger.admitTask(admissionOf(who, 10n, binding('old', 1)));
    assert.ok(first.admitted === 'new');
    await ledger.releaseTask(failureOf(who, first.taskId));
    assert.equal(codeOf(await ledger.admitTask(admissionOf(who, 10n, binding('old', 1)))), 'before');
    const age = (hours: string) =>
      testDatabase.database.pool.query(
        `update idempotency_keys set created_at = clock_timestamp() - $2::interval where account_id = $1`,
        [who.account, hours],
      );
    await age('23 hours 59 minutes');
    assert.equal(codeOf(await ledger.admitTask(admissionOf(who, 10n, binding('old', 1)))), 'before');
    await age('24 hours 1 second');
    assert.equal(codeOf(await ledger.admitTask(admissionOf(who, 10n, binding('old', 2)))), 'new');
    assert.equal(codeOf(await ledger.admitTask(admissionOf(who, 10n, binding('old', 2)))), 'before');
  });

  test('answers nothing to an API key that was revoked', async () => {
    const who = await customer(100n);
    await ledger.admitTask(admissionOf(who, 10n, binding('gone', 1)));
    await revokeKey(administrator(testDatabase.database), who.key);
    assert.equal(codeOf(await ledger.admitTask(admissionOf(who, 10n, binding('gone', 1)))), 'invalid_api_key');
  });
});

describe('the chain', () => {
  test('is recomputed from the rows as the database gives them back, every kind of fact included', async () => {
    const who = await customer(1_000_000n);
    const id = await admitted(who, 620_000n);
    await ledger.settleTask(successOf(who, id, 615_432n, { thousandths: 12_400n, unit: 'second' }));
    const groups = new GroupCommitter(testDatabase.database, ledgerKey);
    const lines = [{ unit: 'input_token', units: 12, unit_price: 2, amount: 0.000024, note: '文\u2028"\\' }];
    const legs = { available: 0n, held: 0n, revenue: 0n, top_ups: 0n, adjustments: 0n, write_offs: 0n };
    await groups.commit({
      account: who.account,
      decide: () => ({
        outcome: undefined,
        entries: [
          {
            type: 'adjustment',
            legs: legs as never,
            subject: { transferId: newTransferId(), model: 'mo"del\n', requestId: 'req_\\' },
            sale: {
              lines: canonicalJson(lines),
              units: '0.001',
              unit: 'token',
              usageSource: 'estimated',
              priceVersion: 'v1',
            },
            reason: 'näh "\u2028',
          },
        ],
      }),
    });
    await addsUp();
  });

  test('reports a row of which anything was changed', async () => {
    const who = await customer(100n);
    await admitted(who, 10n);
    const { rows } = await testDatabase.database.pool.query<Record<string, unknown>>(
      'select * from entries where account_id = $1 order by seq',
      [who.account],
    );
    const texts = rows.map(canonicalOf);
    for (const column of Object.keys(rows[0] ?? {})) {
      const value = rows[0]?.[column];
      const other = value instanceof Date ? new Date(0) : typeof value === 'bigint' ? value + 1n : 'changed';
      const changed = canonicalOf({ ...rows[0], [column]: other });
      assert.equal(changed !== texts[0], column !== 'link', column);
    }
  });
});

test('no sequence of credits, admissions, ends and repeats makes or loses money', async (context) => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('credit' as const), amount: fc.integer({ min: 1, max: 60 }) }),
    fc.record({
      do: fc.constant('admit' as const),
      amount: fc.integer({ min: 0, max: 50 }),
      key: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
    }),
    fc.record({
      do: fc.constantFrom('settle' as const, 'release' as const),
      amount: fc.integer({ min: 0, max: 90 }),
      at: fc.nat(5),
    }),
  );
  const seed = Number(process.env['TEST_SEED'] ?? Date.now() % 2 ** 31);
  context.diagnostic(`seed ${seed} (set TEST_SEED to repeat it)`);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const fresh = newLedger(testDatabase.database);
      const who = await newCustomer(testDatabase.database, fresh, 0n);
      const model = { available: 0n, held: 0n, arrears: false };
      const tasks: { id: TaskId; hold: bigint; final: boolean }[] = [];
      const bound = new Map<string, TaskId>();
      for (const now of steps) {
        const amount = BigInt(now.amount);
        if (now.do === 'credit') {
          await fresh.credit(who.account, micros(amount), 'test');
          model.available += amount;
          model.arrears = false;
        } else if (now.do === 'admit') {
          const id = newTaskId('image');
          const idempotency = now.key && { key: now.key, bodyHash: Buffer.alloc(32) };
          const answer = await fresh.admitTask(admissionOf(who, amount, { id, ...(idempotency && { idempotency }) }));
          const before = now.key === undefined ? undefined : bound.get(now.key);
          const fits = !model.arrears && amount <= model.available;
          assert.equal(answer.admitted, before ? 'before' : fits ? 'new' : 'no');
          if (before || !fits) continue;
          model.available -= amount;
          model.held += amount;
          tasks.push({ id, hold: amount, final: false });
          if (now.key !== undefined) bound.set(now.key, id);
        } else {
          const task = tasks[now.at % Math.max(1, tasks.length)];
          if (!task) continue;
          const { ended } =
            now.do === 'settle'
              ? await fresh.settleTask(successOf(who, task.id, amount))
              : await fresh.releaseTask(failureOf(who, task.id));
          assert.equal(ended, !task.final);
          if (task.final) continue;
          task.final = true;
          model.held -= task.hold;
          const wanted = now.do === 'settle' ? amount : 0n;
          const funds = model.available + task.hold;
          model.available = wanted > funds ? 0n : funds - wanted;
          model.arrears ||= wanted > funds;
        }
        const { available, held, in_arrears } = await state(who);
        assert.deepEqual({ available, held, arrears: in_arrears }, model);
        const { rows } = await testDatabase.database.pool.query(
          `select coalesce(sum(d_available), 0)::bigint as available, coalesce(sum(d_held), 0)::bigint as held,
             coalesce(sum(d_available + d_held + d_revenue + d_top_ups + d_adjustments + d_write_offs), 0)::bigint as all
           from entries where account_id = $1`,
          [who.account],
        );
        assert.deepEqual(rows, [{ available, held, all: 0n }]);
      }
    }),
    { numRuns: 150, seed },
  );
  await addsUp();
});
