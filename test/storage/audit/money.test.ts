/** The audit of money: a busy ledger agrees with itself, and it reports by name any row that is changed by hand. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { micros } from '../../../src/domain/money.ts';
import { audit, type AuditReport } from '../../../src/audit/audit.ts';
import { moneyChecks } from '../../../src/audit/checks/all-checks.ts';
import type { Database } from '../../../src/postgres/database.ts';
import { CallLedger } from '../../../src/ledger/call-ledger.ts';
import { GroupCommitter } from '../../../src/ledger/commit/group-commit.ts';
import { type BusyLedger, makeBusyLedger } from '../../support/busy-ledger.ts';
import { admittedCall, callPrice } from '../../support/calls.ts';
import { freshDatabase, type TestDatabase } from '../../support/database.ts';
import { type Customer, ledgerKey } from '../../support/money.ts';
import { otherUuid, type Tampering, tamperingsOf, type Target, whileTampered } from '../../support/tampering.ts';

let made: TestDatabase;
let all: BusyLedger;
const otherKey = Buffer.alloc(32, 9);
before(async () => {
  made = await freshDatabase();
  all = await makeBusyLedger(made.database);
});
after(() => made.drop());

/** In pages so small that the ledger has some. */
const page_rows = 40;
const look = (since?: Date, ledgerKeys: readonly Buffer[] = [ledgerKey], pageRows = page_rows) =>
  audit({ database: made.database, ledgerKeys }, moneyChecks, { since, pageRows });
const wordsOf = ({ findings }: AuditReport) =>
  findings.map(({ check, subject, says }) => `${check} ${subject}: ${says}`);
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

/** What is tampered with: rows of every kind that the busy ledger has. */
const targets = (): Target[] => {
  const { busy, poor, idle, unusedKey } = all;
  const entry = (where: string): Target => ({
    table: 'entries',
    where: `(r.transfer_id, r.type) = (select transfer_id, type from entries where ${where} order by account_id, seq limit 1)`,
  });
  const hold = (where: string): Target => ({
    table: 'holds',
    where: `r.transfer_id = (select transfer_id from holds where ${where} order by transfer_id limit 1)`,
  });
  const account = ({ account: id }: Customer): Target => ({ table: 'accounts', where: 'r.id = $1', values: [id] });
  const key = (id: string): Target => ({ table: 'api_keys', where: 'r.id = $1', values: [id] });
  return [
    entry(`type = 'credit'`),
    entry(`type = 'hold' and task_id is not null`),
    entry(`type = 'capture' and lines is not null`),
    entry(`account_id = '${busy.account}' and seq = (select seq from accounts where id = account_id)`),
    entry('link is null'),
    entry(`type = 'write_off'`),
    entry(`type = 'adjustment'`),
    hold(`state = 'held' and owner is null`),
    hold(`state = 'held' and owner is not null`),
    hold(`state = 'captured' and subject like 'req_%'`),
    hold(`state = 'released' and subject not like 'req_%'`),
    ...[busy, poor, idle].map(account),
    key(busy.key),
    key(unusedKey),
  ];
};

/** What other checks compare: what people set of accounts and keys, which the audit log says too. */
const notMoney: Readonly<Record<string, readonly string[]>> = {
  accounts: ['name', 'status', 'created_at', 'webhook_url', 'low_balance'],
  api_keys: [
    ...['account_id', 'name', 'level', 'hash', 'seal', 'start', 'last4', 'models', 'call_limits', 'spend_limit'],
    ...['max_running_tasks', 'expires_at', 'revoked_at', 'created_at'],
    // Looked at only while `counted_at` lies in the future.
    'clock_back_at',
  ],
};

/** An account or key without money that is removed, added or renamed is known from the audit log alone. */
const hasNoMoney = ({ kind, column, row, table }: Tampering) =>
  (kind !== 'changed' || column === 'id') &&
  ((table === 'accounts' && row['seq'] === 0 && kind === 'removed') ||
    (table === 'api_keys' && row['calls_total'] === 0));

describe('a row changed by hand in any column, removed or added is reported by name:', () => {
  const names = [
    ...['a credit', `a task's hold`, `a call's capture`, 'the last entry', 'an entry without a link', 'a write-off'],
    ...['a correction', 'the hold of a task', 'the hold of an open call', 'the hold of a captured call'],
    ...['the hold of a released task', 'the busy account', 'the poor account', 'the idle account'],
    ...['the key that was used', 'the key that was not'],
  ];
  names.forEach((name, index) => {
    test(name, async () => {
      const target = targets()[index];
      assert.ok(target);
      const tamperings = await tamperingsOf(made, target, { except: notMoney[target.table] ?? [] });
      for (const tampering of tamperings.filter((each) => !hasNoMoney(each))) {
        await whileTampered(made, tampering, async () => {
          const words = wordsOf(await look());
          assert.ok(words.length > 0, `${tampering.says} was not found`);
          const culprits = namesOf(tampering);
          const isNamed = words.some((line) => culprits.some((culprit) => line.includes(culprit)));
          assert.ok(isNamed, `${tampering.says}: ${culprits.join(' or ')} is not named by\n${words.join('\n')}`);
        });
      }
      await agrees();
    });
  });

  test('the last entries of an account, cut off', async () => {
    const { account } = all.busy;
    const says = 'the last entries of an account';
    const text = `delete from entries where account_id = $1 and seq = (select max(seq) from entries where account_id = $1)`;
    await whileTampered(made, { says, table: 'entries', statements: [{ text, values: [account] }] }, async () => {
      assert.match(wordsOf(await look()).join('\n'), new RegExp(`${account}: entry \\d+ is missing at its end`));
    });
  });

  test('two legs of an entry, so that it still sums to zero', async () => {
    const text = `update entries r set d_revenue = d_revenue + 1, d_write_offs = d_write_offs - 1
      where (transfer_id, type) = (select transfer_id, type from entries where type = 'capture' limit 1)`;
    await whileTampered(made, { says: 'two legs', table: 'entries', statements: [{ text, values: [] }] }, async () => {
      assert.match(wordsOf(await look()).join('\n'), /\.capture: no capture moves that/);
    });
  });
});

/** What may be named as the culprit: the row itself, and for an entry its place in the account's order. */
function namesOf({ table, row }: Tampering): string[] {
  const text = (column: string) => String(row[column]);
  if (table === 'accounts' || table === 'api_keys') return [text('id')];
  if (table === 'holds') return [text('transfer_id'), otherUuid];
  return [`${text('transfer_id')}.`, `${otherUuid}.`, `entry ${text('seq')} is missing`];
}

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
