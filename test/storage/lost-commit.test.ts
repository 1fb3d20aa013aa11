/** A connection that breaks around COMMIT: whatever was lost, there is one effect and its answer. */
import assert from 'node:assert/strict';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { micros } from '../../src/domain/money.ts';
import { changeAccount } from '../../src/accounts/accounts.ts';
import { type Database, openDatabase } from '../../src/postgres/database.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { CallLedger } from '../../src/ledger/call-ledger.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { admittedCall, callPrice, entriesOf } from '../support/calls.ts';
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
  stateOf,
  successOf,
} from '../support/money.ts';
import { eventsOf } from '../support/webhooks.ts';

/** `before`: the COMMIT never reaches the server. `after`: the server has committed, and its answer is lost. */
type Cut = 'before' | 'after';

let direct: TestDatabase;
let proxy: Proxy;
let database: Database;
before(async () => {
  direct = await freshDatabase();
  proxy = await startProxy(direct.url);
  database = openDatabase(proxy.url, { onIdleError: () => undefined });
});
after(async () => {
  await database.close();
  await proxy.close();
  await direct.drop();
});

for (const cut of ['before', 'after'] as const) {
  describe(`a connection cut ${cut} the commit`, () => {
    const customer = () => newCustomer(direct.database, newLedger(direct.database), 100n);
    const through = () => new Ledger(new GroupCommitter(database, ledgerKey));
    const seen = async (who: Customer) => {
      const { available, held, counters } = await stateOf(direct.database, who);
      return { available, held, calls: counters.calls.total, running: counters.runningTasks };
    };

    test('credits once', async () => {
      const who = await customer();
      proxy.cutNext(cut);
      assert.equal(await through().credit(who.account, micros(7n), 'test'), 107n);
      assert.equal((await seen(who)).available, 107n);
      assert.equal(proxy.cuts(), 1);
    });

    test('admits once, and the caller learns it', async () => {
      const who = await customer();
      proxy.cutNext(cut);
      const answer = await through().admitTask(admissionOf(who, 10n));
      assert.equal(answer.admitted, 'new');
      assert.deepEqual(await seen(who), { available: 90n, held: 10n, calls: 1n, running: 1 });
      assert.equal(proxy.cuts(), 1);
    });

    test('settles and releases once, each reported as the one that did it', async () => {
      const who = await customer();
      for (const [end, available] of [
        ['settle', 90n],
        ['release', 90n],
      ] as const) {
        const ledger = through();
        const admitted = await ledger.admitTask(admissionOf(who, 10n));
        assert.ok(admitted.admitted === 'new');
        proxy.cutNext(cut);
        const { ended } = await (end === 'settle'
          ? ledger.settleTask(successOf(who, admitted.taskId, 10n))
          : ledger.releaseTask(failureOf(who, admitted.taskId)));
        assert.equal(ended, true);
        const { available: left, held, running } = await seen(who);
        assert.deepEqual({ left, held, running }, { left: available, held: 0n, running: 0 });
        assert.equal(proxy.cuts(), 1);
      }
    });

    test('holds, settles and releases calls once where one statement is the transaction', async () => {
      const who = await customer();
      const calls = new CallLedger(new GroupCommitter(database, ledgerKey));
      await calls.release(await admittedCall(calls, who, 10n), 'upstream_error'); // from here on the rows are known
      for (const step of ['hold', 'settle', 'release'] as const) {
        const hold = step === 'hold' ? undefined : await admittedCall(calls, who, 10n);
        proxy.cutNext(cut, 'statement');
        if (hold === undefined) await calls.release(await admittedCall(calls, who, 10n), 'upstream_error');
        else if (step === 'settle') assert.equal(await calls.settle(hold, callPrice(4n)), 4n);
        else await calls.release(hold, 'upstream_error');
        assert.equal(proxy.cuts(), 1, step);
      }
      const { available, held } = await seen(who);
      assert.deepEqual({ available, held }, { available: 96n, held: 0n });
      assert.equal((await entriesOf(direct.database, who)).filter((type) => type === 'capture').length, 1);
      await assertLedgerAddsUp(direct.database);
    });

    test('owes one event for a threshold that was crossed', async () => {
      const who = await customer();
      const changes = { webhookUrl: 'https://receiver.example/', lowBalance: micros(95n) };
      await changeAccount(administrator(direct.database), who.account, changes);
      proxy.cutNext(cut);
      assert.equal((await through().adjust(who.account, micros(-10n), 'test')).available, 90n);
      assert.equal(proxy.cuts(), 1);
      // The same where one statement would be the transaction, if it were not for the event.
      const calls = new CallLedger(new GroupCommitter(database, ledgerKey));
      await through().credit(who.account, micros(10n), 'test');
      const hold = await admittedCall(calls, who, 10n); // from here on the rows are known
      proxy.cutNext(cut);
      assert.equal(await calls.settle(hold, callPrice(10n)), 10n);
      assert.equal(proxy.cuts(), 1);
      const events = await eventsOf(direct.database, who.account);
      assert.deepEqual(
        events.map(({ data }) => data['balance']),
        [0.00009, 0.00009],
      );
    });

    test('does so for a whole group', async () => {
      const customers = [await customer(), await customer()];
      const ledger = through();
      proxy.cutNext(cut);
      const answers = await Promise.all(
        Array.from({ length: 24 }, (_, index) => ledger.admitTask(admissionOf(customers[index % 2]!, 10n))),
      );
      assert.equal(answers.filter(({ admitted }) => admitted === 'new').length, 20);
      for (const who of customers) {
        assert.deepEqual(await seen(who), { available: 0n, held: 100n, calls: 10n, running: 10 });
      }
      assert.equal(proxy.cuts(), 1);
      await assertLedgerAddsUp(direct.database);
    });
  });
}

test("another process's settlement of the same call is not taken for one that was lost", async () => {
  const who = await newCustomer(direct.database, newLedger(direct.database), 100n);
  const calls = new CallLedger(new GroupCommitter(database, ledgerKey));
  const hold = await admittedCall(calls, who, 10n); // from here on the rows are known
  const another = new CallLedger(new GroupCommitter(direct.database, ledgerKey));
  assert.equal(await another.settle(hold, callPrice(1n)), 1n);
  proxy.cutNext('before', 'statement');
  assert.equal(await calls.settle(hold, callPrice(4n)), 0n);
  assert.equal(proxy.cuts(), 1);
  assert.equal((await stateOf(direct.database, who)).available, 99n);
});

test('a group whose next attempt fails for another reason still learns that it was committed', async () => {
  const who = await newCustomer(direct.database, newLedger(direct.database), 100n);
  const holdLock = async () => {
    const client = await direct.database.pool.connect();
    await client.query('begin');
    const locked = client.query('select 1 from accounts where id = $1 for update', [who.account]);
    return { client, locked, release: () => client.query('commit').finally(() => client.release()) };
  };
  const first = await holdLock();
  await first.locked;
  proxy.cutNext('after');
  const ledger = new Ledger(new GroupCommitter(database, ledgerKey));
  const answers = Promise.all([10n, 20n].map((hold) => ledger.admitTask(admissionOf(who, hold))));
  await untilWaiting(1);
  const second = await holdLock();
  await untilWaiting(2);
  await first.release(); // the group commits, its answer is lost, and what it tries next waits for the second lock
  await second.locked;
  const cancel = `select pg_cancel_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await direct.database.pool.query(cancel)).rowCount === 0);
  await untilWaiting(1);
  await second.release();
  assert.deepEqual(
    (await answers).map(({ admitted }) => admitted),
    ['new', 'new'],
  );
  assert.equal(proxy.cuts(), 1);
  assert.equal((await stateOf(direct.database, who)).held, 30n);
});

/** Resolves once so many sessions wait for a lock. */
async function untilWaiting(count: number): Promise<void> {
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await direct.database.pool.query(waiting)).rowCount !== count);
}

test('a backend that is terminated while it waits for a lock does no harm', async () => {
  const who = await newCustomer(direct.database, newLedger(direct.database), 100n);
  const blocker = await direct.database.pool.connect();
  await blocker.query('begin');
  await blocker.query('select 1 from accounts where id = $1 for update', [who.account]);
  const answer = newLedger(direct.database).admitTask(admissionOf(who, 10n));
  for (let killed = 0; killed === 0;) {
    const { rowCount } = await direct.database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    killed = rowCount ?? 0;
  }
  await blocker.query('commit');
  blocker.release();
  assert.equal((await answer).admitted, 'new');
  assert.equal((await stateOf(direct.database, who)).held, 10n);
});

test('a database that is away is reported as not_ready, and nothing happened', async () => {
  const gone = openDatabase('postgres://stranger@127.0.0.1:1/none', { onIdleError: () => undefined });
  try {
    const answer = newLedger(gone).credit('acc_x' as Customer['account'], micros(1n), 'test');
    await assert.rejects(answer, { code: 'not_ready' });
  } finally {
    await gone.close();
  }
});

interface Proxy {
  url: string;
  /** Around the next COMMIT, or around the next statement that is a transaction by itself. */
  cutNext(cut: Cut, around?: 'commit' | 'statement'): void;
  /** How many connections were cut since the last `cutNext`. */
  cuts(): number;
  close(): Promise<void>;
}

async function startProxy(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  let armed: Cut | undefined;
  let [sent, answered] = ['', ''];
  let cuts = 0;
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let swallowed: Buffer | undefined;
    const cut = () => {
      cuts += 1;
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (bytes) => {
      if (armed !== undefined && bytes.includes(sent)) {
        if (armed === 'after') swallowed = Buffer.alloc(0);
        const now = armed;
        armed = undefined;
        if (now === 'before') {
          cut();
          return;
        }
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (!swallowed) {
        client.write(bytes);
        return;
      }
      swallowed = Buffer.concat([swallowed, bytes]);
      if (swallowed.includes(answered)) cut();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cutNext(cut, around = 'commit') {
      armed = cut;
      [sent, answered] = around === 'commit' ? ['commit\0', 'COMMIT\0'] : ['write-money', 'SELECT 1\0'];
      cuts = 0;
    },
    cuts: () => cuts,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
