/** The rows of one database in another of an older form: how a database of an earlier release is had. */
import type pg from 'pg';
import { onServer, type TestDatabase } from './database.ts';
import { untriggered } from './tampering.ts';

const tables = `select relname as table from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`;
const columns = `select column_name as column from information_schema.columns
  where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'`;
const keys = `select a.attname as column from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
  where i.indrelid = $1::regclass and i.indisprimary`;

/**
 * Copies all rows, as far as the other database has tables and columns for them, without its triggers and foreign keys.
 * Answers what is to be called when it has been migrated: that writes what there was no place for.
 */
export async function copyRows(from: TestDatabase, to: TestDatabase): Promise<() => Promise<void>> {
  const written = new Map<string, readonly string[]>();
  await replicating(to, async (client) => {
    for (const table of await namesOf(client, tables)) {
      const theirs = await namesOf(client, columns, table);
      const ours = await onServer(from.url, (source) => namesOf(source, columns, table));
      const shared = theirs.filter((name) => ours.includes(name));
      if (shared.length === 0) continue;
      await client.query(`delete from ${table}`);
      await insert(client, table, shared, await rowsOf(from, table));
      written.set(table, shared);
    }
  });
  return () =>
    replicating(to, async (client) => {
      for (const table of await namesOf(client, tables)) {
        const all = await namesOf(client, columns, table);
        const before = written.get(table);
        const rows = await rowsOf(from, table);
        if (before === undefined) {
          await client.query(`delete from ${table}`);
          await insert(client, table, all, rows);
          continue;
        }
        const added = all.filter((name) => !before.includes(name));
        if (added.length === 0) continue;
        const same = (await namesOf(client, keys, table)).map((name) => `t.${name} = r.${name}`).join(' and ');
        await client.query(
          `update ${table} t set ${added.map((name) => `${name} = r.${name}`).join(', ')}
           from jsonb_populate_recordset(null::${table}, $1) r where ${same}`,
          [rows],
        );
      }
    });
}

async function insert(client: pg.Client, table: string, names: readonly string[], rows: string): Promise<void> {
  const list = names.join(', ');
  await client.query(
    `insert into ${table} (${list}) overriding system value select ${list} from jsonb_populate_recordset(null::${table}, $1)`,
    [rows],
  );
}

/** As JSON text, so that no number is rounded on the way. */
async function rowsOf({ database }: TestDatabase, table: string): Promise<string> {
  const { rows } = await database.pool.query<{ all: string }>(
    `select coalesce(jsonb_agg(to_jsonb(t)), '[]')::text as all from ${table} t`,
  );
  return rows[0]?.all ?? '[]';
}

async function namesOf(client: pg.Client, text: string, table?: string): Promise<string[]> {
  const { rows } = await client.query<{ table?: string; column?: string }>(text, table === undefined ? [] : [table]);
  return rows.map((row) => row.table ?? row.column ?? '');
}

const replicating = ({ url }: TestDatabase, use: (client: pg.Client) => Promise<void>): Promise<void> =>
  onServer(url, (client) => untriggered(client, () => use(client)));
