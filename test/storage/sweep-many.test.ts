/** A process that died with many holds: one sweep at a time brings all of them back, in groups, and each once. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { after, before, test } from 'node:test';
import { type CallHold, CallLedger } from '../../src/ledger/call-ledger.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { type LeaseTimes, Owner } from '../../src/ledger/sweep.ts';
import { admittedCall } from '../support/calls.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { assertLedgerAddsUp, type Customer, ledgerKey, newCustomer, newLedger, stateOf } from '../support/money.ts';

let made: TestDatabase;
let calls: CallLedger;
before(async () => {
  made = await freshDatabase();
  calls = new CallLedger(new GroupCommitter(made.database, ledgerKey));
});
after(() => made.drop());

const quick: LeaseTimes = { renewalMs: 100, leaseSeconds: 1, admitsMsMax: 500, streamsMsMax: 800, sweepEveryMs: 10 };

class Sweeper {
  readonly swept: CallHold[] = [];
  readonly errors: unknown[] = [];
  readonly news = new EventEmitter();
  readonly owner: Owner;

  constructor(ledger: CallLedger) {
    this.owner = new Owner({
      ...{ database: made.database, calls: ledger, times: quick },
      onError: (error) => this.errors.push(error),
      onSwept: (hold) => {
        this.swept.push(hold);
        this.news.emit('swept');
      },
    });
  }
}

/** Methods work on the target's private parts, which a proxy has not. */
function ofItself(target: CallLedger, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === 'function' ? (value.bind(target) as unknown) : value;
}

/** Customers whose calls a process held that is gone. */
async function orphans(customers: number, each: number): Promise<Customer[]> {
  const owner = randomUUID();
  const all: Customer[] = [];
  for (let index = 0; index < customers; index++)
    all.push(await newCustomer(made.database, newLedger(made.database), 1000n));
  const holds = all.flatMap((who) => Array.from({ length: each }, () => admittedCall(calls, who, 10n, owner)));
  await Promise.all(holds);
  return all;
}

test('two processes release six hundred holds in few commits, each hold once', async () => {
  const customers = await orphans(20, 30);
  // Each with a ledger of its own, as processes have.
  const sweepers = [1, 2].map(() => new Sweeper(new CallLedger(new GroupCommitter(made.database, ledgerKey))));
  await Promise.all(sweepers.map(({ owner }) => owner.open()));
  const sweptCount = () => sweepers.reduce((sum, { swept }) => sum + swept.length, 0);
  while (sweptCount() < 600) await Promise.race(sweepers.map(({ news }) => once(news, 'swept')));
  await Promise.all(sweepers.map(({ owner }) => owner.close()));
  assert.equal(sweptCount(), 600);
  assert.deepEqual(
    sweepers.flatMap(({ errors }) => errors),
    [],
  );
  for (const who of customers) {
    const { available, held } = await stateOf(made.database, who);
    assert.deepEqual([available, held], [1000n, 0n]);
  }
  // All entries of a commit have one time.
  const { rows } = await made.database.pool.query<{ entries: bigint; commits: bigint }>(
    `select count(*) as entries, count(distinct created_at) as commits from entries where reason = 'owner_lost'`,
  );
  assert.equal(rows[0]?.entries, 600n);
  assert.ok(rows[0].commits < 20n, `${rows[0].commits} commits`);
});

test('while a sweep takes its time, no other one of the process begins, and closing waits for it', async () => {
  const [who] = await orphans(1, 3);
  let go = () => {};
  const mayRelease = new Promise<void>((resolve) => (go = resolve));
  const asked: string[] = [];
  const slow = new Proxy(calls, {
    get: (target, name) => {
      if (name !== 'release') return ofItself(target, name);
      return async (hold: CallHold, reason: string) => {
        asked.push(hold.transferId);
        sweeper.news.emit('asked');
        await mayRelease;
        await target.release(hold, reason);
      };
    },
  });
  const sweeper = new Sweeper(slow);
  await sweeper.owner.open();
  while (asked.length < 3) await once(sweeper.news, 'asked');
  await new Promise((resolve) => setTimeout(resolve, quick.sweepEveryMs * 10)); // in which others would begin
  assert.equal(asked.length, 3);
  let isClosed = false;
  const closed = sweeper.owner.close().then(() => (isClosed = true));
  await made.database.pool.query('select 1');
  assert.equal(isClosed, false);
  go();
  await closed;
  assert.equal(sweeper.swept.length, 3);
  assert.equal((await stateOf(made.database, who ?? assert.fail('no customer'))).held, 0n);
});

test('a release that fails is logged, and made by a later sweep', async () => {
  await orphans(1, 2);
  let fails = 1;
  const flaky = new Proxy(calls, {
    get: (target, name) => {
      if (name !== 'release') return ofItself(target, name);
      return (hold: CallHold, reason: string) =>
        fails-- > 0 ? Promise.reject(new Error('the database is away')) : target.release(hold, reason);
    },
  });
  const sweeper = new Sweeper(flaky);
  await sweeper.owner.open();
  while (sweeper.swept.length < 2) await once(sweeper.news, 'swept');
  await sweeper.owner.close();
  assert.deepEqual(
    sweeper.errors.map((error) => (error instanceof Error ? error.message : error)),
    ['the database is away'],
  );
});

test('the ledger adds up', () => assertLedgerAddsUp(made.database));
