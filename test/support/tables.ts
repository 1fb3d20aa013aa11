/** What a database holds, as text, to look for what it must not hold. */
import * as z from 'zod';
import type { Database } from '../../src/postgres/database.ts';

/** Every row of every table as JSON; bytes as the text that they are, where they are one. */
export async function allRows(database: Database): Promise<string> {
  const tables = await database.pool.query(`select tablename from pg_tables where schemaname = 'public'`);
  const texts: string[] = [];
  for (const { tablename } of z.array(z.object({ tablename: z.string() })).parse(tables.rows)) {
    const { rows } = await database.pool.query<Record<string, unknown>>(`select * from "${tablename}"`);
    texts.push(`${tablename} ${JSON.stringify(rows.map(readable), digits)}`);
  }
  return texts.join('\n');
}

/** Bytes stand in columns of their own. */
const readable = (row: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      Buffer.isBuffer(value) ? [value.toString('latin1'), value.toString('base64'), value.toString('hex')] : value,
    ]),
  );
const digits = (_: string, value: unknown) => (typeof value === 'bigint' ? value.toString() : value);
