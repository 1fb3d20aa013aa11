/** A connection that breaks around COMMIT: whatever was lost, there is one effect and its answer. */
import assert from 'node:assert/strict';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { micros } from '../../src/domain/money.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { LedgerGroups } from '../../src/storage/ledger/group.ts';
import { Ledger } from '../../src/storage/ledger/ledger.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import {
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
    const through = () => new Ledger(new LedgerGroups(database, ledgerKey));
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

    test('settles and releases once, each told that it was the one', async () => {
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

test('a database that is away is told as not_ready, and nothing happened', async () => {
  const gone = openDatabase('postgres://nobody@127.0.0.1:1/none', { onIdleError: () => undefined });
  try {
    const answer = newLedger(gone).credit('acc_x' as Customer['account'], micros(1n), 'test');
    await assert.rejects(answer, { code: 'not_ready' });
  } finally {
    await gone.close();
  }
});

interface Proxy {
  url: string;
  cutNext(cut: Cut): void;
  /** How many connections were cut since the last `cutNext`. */
  cuts(): number;
  close(): Promise<void>;
}

async function startProxy(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  let armed: Cut | undefined;
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
      if (armed !== undefined && bytes.includes('commit\0')) {
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
      if (swallowed.includes('COMMIT\0')) cut();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cutNext(cut) {
      armed = cut;
      cuts = 0;
    },
    cuts: () => cuts,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
