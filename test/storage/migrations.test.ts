/** Migrations may be applied by several processes at once, again and again, and leave a database that guards itself. */
import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { micros } from '../../src/domain/money.ts';
import { migrateDatabase } from '../../src/postgres/migrations.ts';
import { newTransferId } from '../../src/postgres/new-ids.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import {
  admissionOf,
  assertLedgerAddsUp,
  type Customer,
  failureOf,
  newCustomer,
  newLedger,
  successOf,
} from '../support/money.ts';

let db: TestDatabase;
let who: Customer;
before(async () => {
  db = await freshDatabase({ isWhole: true });
  const ledger = newLedger(db.database);
  who = await newCustomer(db.database, ledger, 100n);
  for (const end of ['settle', 'release', undefined] as const) {
    const answer = await ledger.admitTask(admissionOf(who, 10n));
    assert.ok(answer.admitted === 'new');
    if (end === 'settle') await ledger.settleTask(successOf(who, answer.taskId, 4n));
    if (end === 'release') await ledger.releaseTask(failureOf(who, answer.taskId));
  }
});
after(() => db.drop());

const query = <T extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
  db.database.pool.query<T>(text, values);
const month = (at: Date) => at.toISOString().slice(0, 7).replace('-', '_');

describe('migrating', () => {
  test('an empty database by several processes at once ends in one schema', async () => {
    const name = `test_empty_${process.pid}_${Date.now()}`;
    await query(`create database ${name}`);
    const url = new URL(db.url);
    url.pathname = `/${name}`;
    try {
      await Promise.all([1, 2, 3].map(() => migrateDatabase(url.href)));
      await migrateDatabase(url.href);
    } finally {
      await query(`drop database ${name} with (force)`);
    }
  });

  test('again changes nothing', async () => {
    const tables = () => query('select relname, oid from pg_class where relnamespace = 2200 order by 1');
    const { rows: before } = await tables();
    await Promise.all([migrateDatabase(db.url), migrateDatabase(db.url)]);
    assert.deepEqual((await tables()).rows, before);
  });

  test('refuses a database that a newer version has migrated', async () => {
    await query(`insert into tollgate_migrations (name, sha256) values ('9999_newer.sql', '')`);
    await assert.rejects(migrateDatabase(db.url), /newer version/);
    await query(`delete from tollgate_migrations where name = '9999_newer.sql'`);
  });

  test('refuses a database to which a file was applied that has changed since', async () => {
    await query(`update tollgate_migrations set sha256 = 'x' || sha256 where name = '0002_ledger.sql'`);
    await assert.rejects(migrateDatabase(db.url), /0002_ledger\.sql was applied to this database with other contents/);
    await query(`update tollgate_migrations set sha256 = substr(sha256, 2) where name = '0002_ledger.sql'`);
    await migrateDatabase(db.url);
  });

  test('refuses a database of an unreleased version, and names the way out', async () => {
    await query(`alter table tollgate_migrations rename to set_aside; create schema drizzle;
      create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`);
    const wayOut =
      /unreleased version.*remove the data folder \(\.tollgate\), or name another one in TOLLGATE_DATA_DIR/;
    await assert.rejects(migrateDatabase(db.url), wayOut);
    await query(`drop schema drizzle cascade; alter table set_aside rename to tollgate_migrations`);
    await migrateDatabase(db.url);
  });

  describe('from a folder of files', () => {
    let folder: string;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'tollgate-migrations-'));
      await cp(join(import.meta.dirname, '../../migrations'), folder, { recursive: true });
    });
    after(() => rm(folder, { recursive: true }));

    test('applies the new one alone, whatever the line ends of the others', async () => {
      const accounts = join(folder, '0001_accounts.sql');
      await writeFile(accounts, (await readFile(accounts, 'utf8')).replaceAll('\n', '\r\n'));
      await writeFile(join(folder, '9000_added.sql'), 'create table added (id integer); insert into added values (1);');
      await migrateDatabase(db.url, folder);
      await migrateDatabase(db.url, folder);
      assert.deepEqual((await query('select id from added')).rows, [{ id: 1 }]);
    });

    test('leaves nothing of a file that fails, and all of those before it', async () => {
      await writeFile(join(folder, '9001_good.sql'), 'create table good (id integer)');
      await writeFile(join(folder, '9002_bad.sql'), 'create table half (id integer); select 1 / 0;');
      await assert.rejects(
        migrateDatabase(db.url, folder),
        /^Error: Migration 9002_bad\.sql failed: division by zero$/,
      );
      const { rows } = await query(`select to_regclass('good') is not null as good, to_regclass('half') as half`);
      assert.deepEqual(rows, [{ good: true, half: null }]);
    });

    test('gives up a file that waits for a lock for five seconds', async () => {
      await writeFile(join(folder, '9002_bad.sql'), 'lock table accounts in access exclusive mode');
      const reader = await db.database.longRunning.connect();
      try {
        await reader.query('begin');
        await reader.query('select 1 from accounts');
        await assert.rejects(migrateDatabase(db.url, folder), /9002_bad\.sql failed: .*lock timeout/);
      } finally {
        reader.release(new Error('its transaction goes with it'));
      }
    });

    after(() => query(`drop table added, good; delete from tollgate_migrations where name like '9%'`));
  });
});

describe('partitions', () => {
  for (const table of ['entries', 'holds']) {
    test(`${table} of this month lie in the month's own`, async () => {
      const { rows } = await query<{ part: string }>(`select distinct tableoid::regclass::text as part from ${table}`);
      assert.deepEqual(rows, [{ part: `${table}_${month(new Date())}` }]);
    });

    test(`there are those of the next two months for ${table}`, async () => {
      const { rows } = await query<{ part: string }>(
        `select inhrelid::regclass::text as part from pg_inherits where inhparent = '${table}'::regclass order by 1`,
      );
      const now = new Date();
      const wanted = Array.from(
        { length: 3 },
        (_, ahead) => `${table}_${month(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1)))}`,
      );
      assert.deepEqual(
        rows.map(({ part }) => part),
        [...wanted, `${table}_rest`],
      );
    });
  }

  test('are cut at the first millisecond of a month in UTC, by the time in a UUIDv7', async () => {
    const insert = (at: Date, table: 'holds') =>
      query<{ part: string }>(
        `insert into ${table} (transfer_id, account_id, key_id, subject, amount, state, created_at)
         values ($1, $2, $3, 'test', 0, 'released', $4) returning tableoid::regclass::text as part`,
        [uuidAt(at), who.account, who.key, at],
      );
    const now = new Date();
    const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
    const last = new Date(next.getTime() - 1);
    assert.equal((await insert(next, 'holds')).rows[0]?.part, `holds_${month(next)}`);
    assert.equal((await insert(last, 'holds')).rows[0]?.part, `holds_${month(now)}`);
  });

  test('a row of a far month goes to the rest, and that month does without a partition later', async () => {
    const now = new Date();
    const far = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 14, 15));
    const { rows } = await query<{ part: string }>(
      `insert into holds (transfer_id, account_id, key_id, subject, amount, state, created_at)
       values ($1, $2, $3, 'test', 0, 'released', $4) returning tableoid::regclass::text as part`,
      [uuidAt(far), who.account, who.key, far],
    );
    assert.equal(rows[0]?.part, 'holds_rest');
    await query('select tollgate_ensure_partitions(15)');
    const made = await query(`select 1 where to_regclass('holds_${month(far)}') is not null`);
    assert.equal(made.rowCount, 0);
    const after = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 15, 15));
    assert.equal((await query(`select 1 where to_regclass('holds_${month(after)}') is not null`)).rowCount, 1);
  });

  test('all entries of a transfer share a partition with its hold', async () => {
    const { rows } = await query(
      `select e.transfer_id from entries e join holds h using (transfer_id)
       where replace(e.tableoid::regclass::text, 'entries', '') <> replace(h.tableoid::regclass::text, 'holds', '')`,
    );
    assert.deepEqual(rows, []);
  });
});

describe('the database refuses', () => {
  const part = month(new Date());
  for (const statement of [
    ...['entries', `entries_${part}`].flatMap((table) => [
      `update ${table} set reason = 'changed'`,
      `delete from ${table}`,
      `truncate ${table}`,
    ]),
    'truncate entries_rest',
    'delete from accounts',
    'truncate accounts cascade',
    'delete from api_keys',
    'truncate api_keys cascade',
    'delete from holds',
    `delete from holds_${part}`,
    'truncate holds cascade',
    `truncate holds_${part} cascade`,
    'truncate holds_rest cascade',
  ]) {
    test(statement, () => assert.rejects(query(statement), /append-only/));
  }

  for (const [what, statement] of [
    ['opening a closed hold', `update holds set state = 'held' where state = 'captured'`],
    ['closing a hold twice', `update holds set state = 'released' where state = 'captured'`],
    ['another amount of an open hold', `update holds set amount = amount + 1 where state = 'held'`],
    ['another state of a final task', `update tasks set state = 'failed', error_code = 'x' where state = 'succeeded'`],
    ['a task that is accepted again', `update tasks set state = 'accepted' where state = 'failed'`],
  ] as const) {
    test(what, () => assert.rejects(query(statement), /is already|can't become/));
  }

  const entry = (columns: Record<string, unknown>) => {
    const row = {
      transfer_id: newTransferId(),
      type: 'credit',
      account_id: who.account,
      seq: 1,
      created_at: new Date(),
      d_available: 0,
      d_held: 0,
      d_revenue: 0,
      d_top_ups: 0,
      d_adjustments: 0,
      d_write_offs: 0,
      available_after: 0,
      held_after: 0,
      ...columns,
    };
    const names = Object.keys(row);
    return query(
      `insert into entries (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
      Object.values(row),
    );
  };
  for (const [constraint, insert] of [
    ['entries_sum_to_zero', () => entry({ d_available: 5, d_top_ups: -4 })],
    ['entries_never_below_zero', () => entry({ available_after: -1 })],
    ['entries_never_below_zero', () => entry({ held_after: -1 })],
    ['entries_type', () => entry({ type: 'gift' })],
    ['accounts_never_below_zero', () => query('update accounts set available = -1')],
    ['accounts_never_below_zero', () => query('update accounts set held = -1')],
    ['accounts_status', () => query(`update accounts set status = 'odd'`)],
    ['accounts_chain_length', () => query(`update accounts set chain = 'x'`)],
    ['api_keys_counters', () => query('update api_keys set running_tasks = -1')],
    ['api_keys_level', () => query(`update api_keys set level = 'root'`)],
    [
      'holds_amount',
      () =>
        query(
          `insert into holds select $1, account_id, key_id, subject, -1, state, owner, created_at from holds limit 1`,
          [newTransferId()],
        ),
    ],
    [
      'tasks_final_has_time',
      () => query(`update tasks set state = 'cancelled', error_code = 'cancelled' where finished_at is null`),
    ],
    ['tasks_final_has_time', () => query(`update tasks set finished_at = now() where state = 'accepted'`)],
    [
      'tasks_success_has_result',
      () => query(`update tasks set state = 'succeeded', finished_at = now() where finished_at is null`),
    ],
    ['tasks_success_has_result', () => query(`update tasks set cost = 1, files = '[]' where finished_at is null`)],
    [
      'tasks_failure_has_error',
      () => query(`update tasks set state = 'failed', finished_at = now() where finished_at is null`),
    ],
    ['tasks_hold', () => query(`update tasks set transfer_id = $1 where finished_at is null`, [newTransferId()])],
  ] as const) {
    test(`what breaks ${constraint}`, async () => {
      await assert.rejects(insert(), (error: { constraint?: string }) => {
        assert.match(error.constraint ?? '', new RegExp(constraint));
        return true;
      });
    });
  }

  test('and after all that the ledger still adds up', async () => {
    await newLedger(db.database).credit(who.account, micros(1n), 'test');
    await assertLedgerAddsUp(db.database);
  });
});

/** A UUIDv7 of this millisecond with no random bits: the smallest there is. */
function uuidAt(at: Date): string {
  const hex = at.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
