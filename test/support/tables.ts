/** What a database holds, as text, to look for what it must not hold. */
import * as z from 'zod';
import type { Database } from '../../src/postgres/database.ts';

/** Every row of every table as JSON; bytes as the text that they are, where they are one. */
export async function allRows(database: Database): Promise<string> {
  const tables = await database.pool.query(`select tablename from pg_tables where schemaname = 'public'`);
  const texts: string[] = [];
  for (const { tablename } of z.array(z.object({ tablename: z.string() })).parse(tables.rows)) {
    const { rows } = await database.pool.query(`select * from "${tablename}"`);
    const readable = (_: string, value: unknown): unknown => {
      if (typeof value === 'bigint') return value.toString();
      const bytes = z.object({ type: z.literal('Buffer'), data: z.array(z.number()) }).safeParse(value);
      if (!bytes.success) return value;
      const buffer = Buffer.from(bytes.data.data);
      return [buffer.toString('latin1'), buffer.toString('base64'), buffer.toString('hex')];
    };
    texts.push(`${tablename} ${JSON.stringify(rows, readable)}`);
  }
  return texts.join('\n');
}
