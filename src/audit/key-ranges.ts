/** Tables in ranges of their keys, a page of rows each: a range means the same rows whenever it is read. */
import * as z from 'zod';
import type { CheckContext } from './check-context.ts';

/** From one key on, up to another one, which is not in it; null: to the end. */
type Range = readonly [from: string, to: string | null];

interface Key {
  table: string;
  column: string;
  type: 'uuid' | 'text' | 'bigint' | 'timestamptz';
  /** No key is below it. */
  first: string;
  /** A page has one in so many of the rows that others have: each is large, or has many rows of other tables. */
  share?: number;
  /** SQL of the last key that is read: what comes while the ranges are read is left to the next audit. */
  last?: string;
}

const textKey = (table: string, column = 'id'): Key => ({ table, column, type: 'text', first: '' });

/** What is read in ranges. Transfers are cut by their entries; holds and entries of a transfer are in the same range. */
const keys = {
  transfers: {
    table: 'entries',
    column: 'transfer_id',
    type: 'uuid' as const,
    first: '00000000-0000-0000-0000-000000000000',
  },
  acts: { table: 'acts', column: 'seq', type: 'bigint' as const, first: '-9223372036854775808' },
  tasks: { ...textKey('tasks'), share: 4 },
  accounts: { ...textKey('accounts'), share: 4 },
  body_recordings: textKey('body_recordings', 'account_id'),
  api_keys: textKey('api_keys'),
  people: textKey('people'),
  memberships: textKey('memberships', 'person_id'),
  sessions: textKey('sessions'),
  invitations: textKey('invitations'),
  files: textKey('files'),
  /** A batch has up to 50,000 lines, of which few have an answer that is a blob. */
  batches: { ...textKey('batches'), share: 64 },
  /** By their time, of which they have an index; an account may have any number of them. */
  idempotency_keys: {
    table: 'idempotency_keys',
    column: 'created_at',
    type: 'timestamptz' as const,
    first: '-infinity',
  },
} satisfies Readonly<Record<string, Key>>;

export type Ranged = keyof typeof keys;

/** All ranges of a table, the first keys first. Rows that come while they are read may be in one or not. */
export async function* rangesOf(
  { read, pageRows }: Pick<CheckContext, 'read' | 'pageRows'>,
  ranged: Ranged,
): AsyncGenerator<Range> {
  const { table, column, type, first, share = 1, last }: Key = keys[ranged];
  // The key under another name: `order by` would take the text of that name.
  const nextText = `select ${column}::text as next from ${table} where ${column} > $1::${type} and ($3::${type} is null or ${column} < $3)
    order by ${column} offset $2 limit 1`;
  const [end] = last === undefined ? [] : z.tuple([z.string().nullable()]).parse((await read(last))[0]);
  const past = end ? uuidAfter(end) : null;
  let from = first;
  for (;;) {
    const [row] = await read(nextText, [from, Math.ceil(pageRows() / share), past]);
    const next = row === undefined ? past : z.tuple([z.string()]).parse(row)[0];
    yield [from, next];
    if (row === undefined) return;
    from = next ?? from;
  }
}

/** Null: there is none. */
function uuidAfter(uuid: string): string | null {
  const hex = (BigInt(`0x${uuid.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0');
  return hex.length > 32 ? null : hex;
}

/** SQL: the column is in the range of the parameters `$1` and `$2`. */
export const inRange = (ranged: Ranged, column: string): string =>
  `(${column} >= $1::${keys[ranged].type} and ($2::${keys[ranged].type} is null or ${column} < $2::${keys[ranged].type}))`;

/** SQL of the rows of entries and of holds whose transfers are in the range. */
export const entriesInRange = `(select * from entries r where ${inRange('transfers', 'r.transfer_id')})`;
export const holdsInRange = `(select * from holds r where ${inRange('transfers', 'r.transfer_id')})`;
