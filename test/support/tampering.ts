/**
 * Rows changed by hand: each column of a row to another value, a row removed, a row slipped in. Each tampering is done
 * with triggers and foreign keys off, looked at, and undone, so that one busy database serves for all of them.
 */
import assert from 'node:assert/strict';
import pg from 'pg';
import { onServer, type TestDatabase } from './database.ts';

/** What a `uuid` is changed to; a row whose name it is is found by it. */
export const otherUuid = '0190a3c4-0000-7000-8000-00000000beef';

/** The row of a table that is tampered with: that which `where` finds (SQL on the alias `r`), exactly one. */
export interface Target {
  table: string;
  where: string;
  values?: readonly unknown[];
}

export interface Tampering {
  /** What is done, for a test's message: `entries.reason: another value`. */
  says: string;
  table: string;
  /** The column that is changed; none if the whole row is. */
  column?: string;
  kind: 'changed' | 'removed' | 'added';
  /** The row as it is before; of an added row, that which it was copied from. */
  row: Readonly<Record<string, unknown>>;
  /** Candidates: the first that the constraints let pass is what is done. If none passes, the constraint is dropped. */
  statements: readonly { text: string; values: readonly unknown[] }[];
}

/**
 * Every way to change a row in one column, to remove it and to add a copy of it. `copied` are the columns that a copy
 * has otherwise (SQL); by default the first one of the primary key and all of other unique indexes.
 */
export async function tamperingsOf(
  database: TestDatabase,
  target: Target,
  { except = [], copied }: { except?: readonly string[]; copied?: Readonly<Record<string, string>> } = {},
): Promise<Tampering[]> {
  return onServer(database.url, async (client) => {
    const { table, where, values = [] } = target;
    const found = await client.query<Row>(
      `select to_jsonb(r) as row, r.ctid, r.tableoid from ${table} r where ${where}`,
      [...values],
    );
    assert.equal(found.rows.length, 1, `one row of ${table} where ${where}`);
    const row = found.rows[0]!['row'] as Row;
    const columns = await columnsOf(client, table);
    const words = await wordsOfChecks(client, table);
    const changes = columns
      .filter(({ name }) => !except.includes(name))
      .flatMap((column) => changesOf(column, row[column.name] ?? null, words))
      .map(({ says, column, sql }): Tampering => ({
        ...{ says: `${table}.${column}: ${says}`, table, column, kind: 'changed', row },
        statements: sql.map((value) => ({
          text: `update ${table} r set ${column} = ${value} where ${where} and r.${column} is distinct from (${value})`,
          values,
        })),
      }));
    const others = copied ?? (await otherwise(client, table, columns));
    const names = columns.map(({ name }) => name);
    const removed: Tampering = {
      ...{ says: `${table}: a row removed`, table, kind: 'removed', row },
      statements: [{ text: `delete from ${table} r where ${where}`, values }],
    };
    const added: Tampering = {
      ...{ says: `${table}: a row added`, table, kind: 'added', row },
      statements: [
        {
          text: `insert into ${table} (${names.join(', ')})
            select ${names.map((name) => others[name] ?? `r.${name}`).join(', ')} from ${table} r where ${where}`,
          values,
        },
      ],
    };
    return [...changes, removed, added];
  });
}

/** Tampers, calls back, and undoes it. Nothing else may write to the table meanwhile. */
export async function whileTampered(
  database: TestDatabase,
  tampering: Pick<Tampering, 'says' | 'table' | 'statements'>,
  look: () => Promise<void>,
): Promise<void> {
  await onServer(database.url, async (client) => {
    const { table } = tampering;
    await client.query(`create table tampering_saved as table ${table}`);
    const dropped = await tamper(client, tampering);
    try {
      await look();
    } finally {
      await untriggered(client, async () => {
        await client.query(`delete from ${table}`);
        await client.query(`insert into ${table} select * from tampering_saved`);
        for (const { name, definition } of dropped) {
          await client.query(`alter table ${table} add constraint ${name} ${definition}`);
        }
        await client.query('drop table tampering_saved');
      });
    }
  });
}

interface Constraint {
  name: string;
  definition: string;
}

/** Returns the constraints that stood against it and were dropped. */
async function tamper(
  client: pg.Client,
  { says, table, statements }: Pick<Tampering, 'says' | 'table' | 'statements'>,
): Promise<Constraint[]> {
  let refused: string | undefined;
  for (const { text, values } of statements) {
    const answer = await attempt(client, text, values);
    if (answer === 'done') return [];
    refused = answer.constraint ?? refused;
  }
  const dropped: Constraint[] = [];
  const [first] = statements;
  assert.ok(first);
  // An attacker who changes rows by hand may drop constraints as well.
  while (refused !== undefined) {
    const name = refused;
    const { rows } = await client.query<{ definition: string }>(
      'select pg_get_constraintdef(oid) as definition from pg_constraint where conrelid = $1::regclass and conname = $2',
      [table, name],
    );
    assert.ok(rows[0], `${says}: refused by ${name}`);
    dropped.push({ name, definition: rows[0].definition });
    await client.query(`alter table ${table} drop constraint ${name}`);
    const answer = await attempt(client, first.text, first.values);
    if (answer === 'done') return dropped;
    refused = answer.constraint;
  }
  assert.fail(`${says}: nothing was changed`);
}

/** `done` if it changed one row; else what refused it, if anything did. */
async function attempt(
  client: pg.Client,
  text: string,
  values: readonly unknown[],
): Promise<'done' | { constraint: string | undefined }> {
  try {
    const rowCount = await untriggered(client, async () => (await client.query(text, [...values])).rowCount);
    return rowCount === 1 ? 'done' : { constraint: undefined };
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code?.startsWith('23')) return { constraint: error.constraint };
    throw error;
  }
}

/** In a transaction without triggers and foreign keys. */
export async function untriggered<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin; set local session_replication_role = replica');
  try {
    const outcome = await work();
    await client.query('commit');
    return outcome;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

interface Column {
  name: string;
  type: string;
  isNullable: boolean;
}

async function columnsOf(client: pg.Client, table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select column_name as name, data_type as type, is_nullable = 'YES' as "isNullable"
     from information_schema.columns where table_schema = 'public' and table_name = $1 order by ordinal_position`,
    [table],
  );
  assert.ok(rows.length > 0, `a table ${table}`);
  return rows;
}

/** The words that check constraints name: what a column of few words can be changed to. */
async function wordsOfChecks(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ definition: string }>(
    `select pg_get_constraintdef(oid) as definition from pg_constraint where conrelid = $1::regclass and contype = 'c'`,
    [table],
  );
  return rows.flatMap(({ definition }) => [...definition.matchAll(/'(\w+)'::text/g)].map(([, word = '']) => word));
}

interface Change {
  says: string;
  column: string;
  sql: readonly string[];
}

function changesOf({ name: column, type, isNullable }: Column, value: unknown, words: readonly string[]): Change[] {
  const wordValues = words.map((word) => `'${word}'`);
  if (value === null) return [{ says: 'a value where none was', column, sql: valuesOfType(type, wordValues) }];
  const changes: Change[] = [{ says: 'another value', column, sql: othersOf(`r.${column}`, type, wordValues) }];
  if (type.startsWith('timestamp')) {
    changes.push({ says: 'a microsecond later', column, sql: [`r.${column} + interval '1 microsecond'`] });
  }
  if (isNullable) changes.push({ says: 'no value', column, sql: ['null'] });
  return changes;
}

/** Other values than that of a column, as SQL. */
function othersOf(value: string, type: string, words: readonly string[]): string[] {
  switch (type) {
    case 'text':
      return [`${value} || 'x'`, ...words];
    case 'bigint':
    case 'integer':
    case 'numeric':
      return [`${value} + 1`, `${value} - 1`];
    case 'boolean':
      return [`not ${value}`];
    case 'bytea':
      return [`set_byte(${value}, 0, get_byte(${value}, 0) # 1)`];
    case 'timestamp with time zone':
      return [`${value} + interval '1 hour'`];
    case 'jsonb':
      return [`jsonb_build_array(${value})`];
    case 'ARRAY':
      return [`${value} || ${value}[1:1]`];
    default:
      return valuesOfType(type, words);
  }
}

function valuesOfType(type: string, words: readonly string[]): string[] {
  const values: Readonly<Record<string, string[]>> = {
    text: [`'x'`, ...words],
    bigint: ['1'],
    integer: ['1'],
    numeric: ['1'],
    boolean: ['true'],
    uuid: [`'${otherUuid}'`],
    bytea: [`decode(repeat('ab', 32), 'hex')`],
    'timestamp with time zone': [`timestamptz '2026-01-02T03:04:05Z'`],
    jsonb: [`'["x"]'`],
    ARRAY: [`array['x']`],
  };
  return values[type] ?? assert.fail(`no value of type ${type}`);
}

/** What a copy of a row has otherwise, so that unique indexes let it in. */
async function otherwise(
  client: pg.Client,
  table: string,
  columns: readonly Column[],
): Promise<Readonly<Record<string, string>>> {
  const { rows } = await client.query<{ names: string[] }>(
    `select case when i.indisprimary then (array_agg(a.attname::text order by array_position(i.indkey::smallint[], a.attnum)))[1:1]
       else array_agg(a.attname::text) end as names
     from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
     where i.indrelid = $1::regclass and i.indisunique group by i.indexrelid, i.indisprimary, i.indkey`,
    [table],
  );
  const unique = new Set(rows.flatMap(({ names }) => names));
  return Object.fromEntries(
    columns
      .filter(({ name }) => unique.has(name))
      .map(({ name, type }) => [name, othersOf(`r.${name}`, type, [])[0] ?? 'null']),
  );
}

type Row = Record<string, unknown>;
