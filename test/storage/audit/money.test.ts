/** The audit of money: a busy ledger agrees with itself, whatever part of it is read. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { micros } from '../../../src/domain/money.ts';
import { audit } from '../../../src/audit/audit.ts';
import { moneyChecks } from '../../../src/audit/checks/all-checks.ts';
import type { Database } from '../../../src/postgres/database.ts';
import { CallLedger } from '../../../src/ledger/call-ledger.ts';
import { GroupCommitter } from '../../../src/ledger/commit/group-commit.ts';
import { type BusyLedger, makeBusyLedger } from '../../support/busy-ledger.ts';
import { admittedCall, callPrice } from '../../support/calls.ts';
import { freshDatabase, type TestDatabase } from '../../support/database.ts';
import { ledgerKey } from '../../support/money.ts';
import { auditMoney, wordsOf } from '../../support/money-audit.ts';
import { whileTampered } from '../../support/tampering.ts';

let made: TestDatabase;
let all: BusyLedger;
const otherKey = Buffer.alloc(32, 9);
before(async () => {
  made = await freshDatabase();
  all = await makeBusyLedger(made.database);
});
after(() => made.drop());

const look = (since?: Date, ledgerKeys?: readonly Buffer[], pageRows?: number) =>
  auditMoney(made, since, ledgerKeys, pageRows);
const agrees = async (since?: Date) => assert.deepEqual(wordsOf(await look(since)), []);
const count = async (table: string) =>
  (await made.database.pool.query<{ n: number }>(`select count(*)::integer as n from ${table}`)).rows[0]!.n;

test('a ledger that has seen everything agrees, and all of it was looked at', async () => {
  const report = await look();
  assert.deepEqual(wordsOf(report), []);
  assert.equal(report.agrees, true);
  const { entries, holds, keys } = report.looked;
  assert.deepEqual(
    { entries, holds, keys },
    { entries: await count('entries'), holds: await count('holds'), keys: await count('api_keys') },
  );
});

test('what is older than `since` is trusted, what is newer is not', async () => {
  const { rows } = await made.database.pool.query<{ at: Date }>('select clock_timestamp() as at');
  const at = rows[0]!.at;
  await agrees(at);
  assert.deepEqual((await look(at)).looked['entries'], 0);
  const hold = await admittedCall(all.calls, all.busy, 100n, all.owner);
  await all.calls.settle(hold, callPrice(30n));
  await all.ledger.credit(all.poor.account, micros(7n), 'newer');
  await agrees(at);
  assert.equal((await look(at)).looked['entries'], 4);
  for (const [where, isFound] of [
    [`type = 'credit' and reason = 'newer'`, true],
    [`type = 'write_off' and reason is null`, false],
  ] as const) {
    const text = `update entries set reason = 'changed' where ctid = (select ctid from entries where ${where} limit 1)`;
    await whileTampered(made, { says: where, table: 'entries', statements: [{ text, values: [] }] }, async () => {
      assert.equal((await look(at)).agrees, !isFound, where);
      assert.equal((await look()).agrees, false, where);
    });
  }
});

test('any of the secrets may have made a link, no other', async () => {
  const rotated = new CallLedger(new GroupCommitter(made.database, otherKey));
  const hold = await admittedCall(rotated, all.busy, 100n, all.owner);
  await all.calls.settle(hold, callPrice(30n));
  assert.deepEqual(wordsOf(await look(undefined, [otherKey, ledgerKey])), []);
  const words = wordsOf(await look());
  assert.ok(words.length === 1 && words[0]!.includes(`${hold.transferId}.hold`), words.join('\n'));
});

test('pages of any size say the same', async () => {
  for (const pageRows of [1, 2, 3, 7]) {
    const { findings, looked } = await look(undefined, [otherKey, ledgerKey], pageRows);
    assert.deepEqual(findings, []);
    assert.deepEqual(looked, (await look(undefined, [otherKey, ledgerKey])).looked);
  }
  const { rows } = await made.database.pool.query<{ at: Date }>(
    'select created_at as at from entries order by created_at offset 50 limit 1',
  );
  for (const pageRows of [3, 1_000]) {
    const newer = await look(rows[0]!.at, [otherKey, ledgerKey], pageRows);
    assert.deepEqual(wordsOf(newer), []);
    assert.ok((newer.looked['entries'] ?? 0) > 0);
  }
});

test('no snapshot of the audit is kept from one page to the next', async () => {
  const seen = watchReads(made.database);
  const { looked } = await audit({ database: seen.database, ledgerKeys: [otherKey, ledgerKey] }, moneyChecks, {
    pageRows: 10,
  });
  assert.ok((looked['entries'] ?? 0) > 3 * 10);
  assert.ok(seen.transactions.length > 10);
  const largest = Math.max(...seen.transactions.map(({ rows }) => rows));
  assert.ok(largest <= 10, `one transaction read ${largest} rows`);
  assert.deepEqual(
    seen.transactions.filter(({ isOpen }) => isOpen),
    [],
  );
});

/** Counts the rows that each transaction on a long-running connection reads. */
function watchReads(database: Database) {
  const transactions: { rows: number; isOpen: boolean }[] = [];
  const longRunning = new Proxy(database.longRunning, {
    get(pool, name) {
      if (name !== 'connect') return Reflect.get(pool, name) as unknown;
      return async () => {
        const client = await pool.connect();
        return new Proxy(client, {
          get(target, name) {
            if (name === 'release') return target.release.bind(target);
            if (name !== 'query') return Reflect.get(target, name) as unknown;
            return async (query: string | { text: string }, values?: unknown[]) => {
              const text = typeof query === 'string' ? query : query.text;
              if (text.startsWith('begin')) transactions.push({ rows: 0, isOpen: true });
              const answer = (await target.query(query as string, values)) as { rows?: unknown[] };
              const current = transactions.at(-1);
              if (current) current.rows += answer.rows?.length ?? 0;
              if (current && /^(commit|rollback)$/.test(text)) current.isOpen = false;
              return answer;
            };
          },
        });
      };
    },
  });
  return { database: { ...database, longRunning }, transactions };
}

test('a gateway at work does not disturb the audit', async () => {
  let isLooking = true;
  let moves = 0;
  const work = async () => {
    while (isLooking) {
      const hold = await admittedCall(all.calls, all.busy, 100n, all.owner);
      await all.calls.settle(hold, callPrice(1n));
      moves++;
    }
  };
  const traffic = Promise.all([work(), work(), work()]);
  try {
    for (let audits = 0; audits < 3 || moves < 3; audits++) {
      assert.deepEqual(wordsOf(await look(undefined, [otherKey, ledgerKey], 20)), []);
    }
  } finally {
    isLooking = false;
    await traffic;
  }
});

test('a call whose process is gone for long should have been swept', async () => {
  const gone = await admittedCall(all.calls, all.busy, 100n, randomUUID());
  const words = wordsOf(await look(undefined, [otherKey, ledgerKey]));
  assert.ok(
    words.length === 1 && words[0]!.includes(`${gone.transferId}: it is held by the process`),
    words.join('\n'),
  );
  await all.calls.release(gone, 'owner_lost');
});
