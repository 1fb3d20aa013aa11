/** Parameters as text: PostgreSQL itself prints what was sent to it in binary. */
import type pg from 'pg';
import { z } from 'zod';
import { type PrintedStatement, typesIn } from './replay-script.ts';
import type { SentStatement } from './recorder.ts';

const printedRow = z.array(z.string().nullable());
const stringsSchema = z.array(z.string());

/** The same statements with their parameters as literals could say them. */
export async function printed(pool: pg.Pool, sent: readonly SentStatement[]): Promise<PrintedStatement[]> {
  const all: PrintedStatement[] = [];
  for (const statement of sent) all.push({ ...statement, parameters: await parametersOf(pool, statement) });
  return all;
}

async function parametersOf(pool: pg.Pool, statement: SentStatement): Promise<(string | null)[]> {
  const { values } = statement;
  const types = typesIn(statement);
  const binary = values.flatMap((value, at) => (Buffer.isBuffer(value) ? [{ value, type: types.get(at) ?? '' }] : []));
  const { rows } =
    binary.length === 0
      ? { rows: [[]] }
      : await pool.query<unknown[]>({
          text: `select ${binary.map(({ type }, at) => `$${at + 1}::${type}::text`).join(', ')}`,
          values: binary.map(({ value }) => value),
          rowMode: 'array',
        });
  const texts = printedRow.parse(rows[0]);
  return values.map((value) => (Buffer.isBuffer(value) ? (texts.shift() ?? null) : plain(value)));
}

function plain(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `{${stringsSchema.parse(value).join(',')}}`; // of ids
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return String(value);
  throw new Error(`no text for ${typeof value}`);
}
