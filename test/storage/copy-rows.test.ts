/** Rows in the binary format of COPY, read back from PostgreSQL. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CopyRows, copyRows } from '../../src/postgres/copy-rows.ts';
import { inTransaction } from '../../src/postgres/transaction.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/process.ts';

let made: TestDatabase;
before(async () => {
  made = await freshDatabase();
  await made.database.pool.query(
    'create table copied (n integer, words text, big bigint, at timestamptz, good boolean, things jsonb)',
  );
});
after(() => made.drop());

interface Row {
  n: number | undefined;
  words: string | undefined;
  big: number | bigint | undefined;
  at: Date;
  good: boolean;
  things: unknown;
}

const rowsOf = (all: readonly Row[]): CopyRows => {
  const rows = new CopyRows();
  for (const { n, words, big, at, good, things } of all) {
    rows.begin(6);
    rows.integer(n);
    rows.text(words);
    rows.bigint(big);
    rows.moment(at);
    rows.boolean(good);
    rows.json(things);
  }
  return rows;
};
const write = (rows: CopyRows) => inTransaction(made.database, (client) => copyRows(client, 'copied', rows));

async function read(): Promise<unknown[]> {
  const { rows } = await made.database.pool.query<Record<string, unknown>>('delete from copied returning *');
  return rows;
}

const at = new Date('2026-11-21T08:09:10.123Z');

test('every type arrives as it was, nulls too', async () => {
  const things = [{ provider: 'a', fault: 'It said "文字 🦊".' }];
  await write(
    rowsOf([
      { n: -5, words: "文字 🦊 '\\\n\t", big: 2 ** 52 + 1, at, good: true, things },
      {
        n: undefined,
        words: undefined,
        big: undefined,
        at: new Date('2000-01-01T00:00:00Z'),
        good: false,
        things: undefined,
      },
      { n: 2 ** 31 - 1, words: '', big: -(2n ** 63n), at, good: false, things: {} },
    ]),
  );
  assert.deepEqual(await read(), [
    { n: -5, words: "文字 🦊 '\\\n\t", big: 2n ** 52n + 1n, at, good: true, things },
    { n: null, words: null, big: null, at: new Date('2000-01-01T00:00:00Z'), good: false, things: null },
    { n: 2 ** 31 - 1, words: '', big: -(2n ** 63n), at, good: false, things: {} },
  ]);
});

test('short and long texts, ASCII and not, and numbers of any size arrive as they are', async () => {
  const long = 'a name that is longer than those which are written letter by letter';
  const texts = ['req_0198', 'naïve', 'ends in é', long, `${long} 字`, '\u007f', '\u0080', '\ud800'];
  const numbers = [
    0n,
    -1n,
    2n ** 32n - 1n,
    2n ** 32n,
    2n ** 53n - 1n,
    2n ** 53n + 1n,
    2n ** 63n - 1n,
    -(2n ** 53n) - 1n,
  ];
  await write(
    rowsOf(texts.map((words, n) => ({ n, words, big: numbers[n], at, good: true, things: undefined }) satisfies Row)),
  );
  const found = (await read()) as { n: number; words: string; big: bigint }[];
  assert.deepEqual(
    found.sort((one, other) => one.n - other.n).map(({ words, big }) => [words, big]),
    texts.map((words, n) => [words === '\ud800' ? '\ufffd' : words, numbers[n]]),
  );
});

test('rows of any length fit, however many there are', async () => {
  const words = '字'.repeat(40_000);
  const all = Array.from({ length: 500 }, (_, n) => ({
    ...{ n, words: n % 100 === 0 ? words : 'short', big: n, at, good: true },
    things: n % 150 === 0 ? { words } : undefined,
  }));
  const rows = rowsOf(all);
  assert.equal(rows.count, 500);
  await write(rows);
  const found = (await read()) as { n: number; words: string; things: unknown }[];
  assert.deepEqual(
    found.map(({ n, words, things }) => [n, words.length, things === null]),
    all.map(({ n, words, things }) => [n, words.length, things === undefined]),
  );
});

test('rows that the database refuses leave nothing, their error is thrown, and they can be written again', async () => {
  const rows = rowsOf([{ n: 1, words: 'fits', big: 1, at, good: true, things: undefined }]);
  await made.database.pool.query('alter table copied add constraint small check (n < 1)');
  await assert.rejects(write(rows), { code: '23514' });
  assert.deepEqual(await read(), []);
  await made.database.pool.query('alter table copied drop constraint small');
  await write(rows);
  assert.equal((await read()).length, 1);
});

test('a statement that takes too long is ended, and its connection with it', async () => {
  const rows = rowsOf([{ n: 1, words: 'waits', big: 1, at, good: true, things: undefined }]);
  const other = await made.database.pool.connect();
  await other.query('begin');
  await other.query('lock table copied');
  const written = inTransaction(made.database, async (client) => {
    await client.query("set local statement_timeout = '100ms'");
    await copyRows(client, 'copied', rows);
  });
  await assert.rejects(written, { code: '57014' });
  await other.query('commit');
  other.release();
  assert.deepEqual(await read(), []);
});

test('a connection that ends in the middle ends the copy with an error, and leaves nothing', async () => {
  const { pool } = made.database;
  const rows = rowsOf([{ n: 1, words: 'cut off', big: 1, at, good: true, things: undefined }]);
  const other = await pool.connect();
  await other.query('begin');
  await other.query('lock table copied');
  const copying = "query like 'copy copied%' and wait_event_type = 'Lock' and datname = current_database()";
  const written = inTransaction(made.database, (client) => copyRows(client, 'copied', rows));
  const ended = until('the copy to wait', async () => {
    const { rowCount } = await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where ${copying} and pid <> pg_backend_pid()`,
    );
    return (rowCount ?? 0) > 0 ? true : undefined;
  });
  await assert.rejects(written, { code: '57P01' });
  await ended;
  await other.query('commit');
  other.release();
  assert.deepEqual(await read(), []);
});
