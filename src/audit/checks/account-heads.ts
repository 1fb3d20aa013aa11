/**
 * The heads of accounts: what their rows, and those of their keys, say at one moment, and the number of the newest entry
 * then. Entries up to that number never change, so whatever is worked out from them later is of that moment, too.
 */
import * as z from 'zod';
import { windows } from '../../domain/accounts/key-rules.ts';
import { pagesOf, sentences } from '../audit.ts';
import type { CheckContext } from '../check-context.ts';
import type { ChainState } from './chain-reader.ts';
import { inRange } from '../key-ranges.ts';

export interface Head {
  account: string;
  /** What its row says. */
  state: ChainState;
  inArrears: boolean;
  /** What is wrong with whether it is said to be low; else an empty text. */
  saysOfLow: string;
  /** The number of the newest entry, which may be another one than its row counts. */
  upTo: number;
  /** Where to begin in an audit of newer entries: the last link before, which is trusted with what is beside it. */
  start: ChainState | undefined;
  keys: readonly KeyHead[];
}

/** What a key's row says of its counters. */
export interface KeyHead {
  id: string;
  /** Milliseconds since the epoch, with fractions; null: it never counted. */
  countedMs: number | null;
  /** In the order of `windows`. */
  calls: readonly bigint[];
  spent: readonly bigint[];
  /** The numbers of the entries with which the windows began; 0 where that is not known. */
  since: readonly bigint[];
}

/** The heads of all accounts, a page in one snapshot. */
export async function* headsOf(context: CheckContext): AsyncGenerator<Head[]> {
  const { since, pageRows } = context;
  const near = pageRows();
  for await (const rows of pagesOf(context, 'accounts', headsText, [since ?? null, near])) {
    const heads = rows.map(headOf);
    if (since) {
      for (const head of heads) head.start ??= await startBefore(context, head, since, head.state.seq - near);
    }
    yield heads;
  }
}

/** Goes back, a page of numbers at a time, to the last link from before that moment; undefined: there is none. */
async function startBefore(
  { read, pageRows }: CheckContext,
  { account }: Head,
  since: Date,
  from: number,
): Promise<ChainState | undefined> {
  for (let upTo = from; upTo > 0; upTo -= pageRows()) {
    const [row] = await read(
      `select ${startColumns} from entries e where e.account_id = $1 ${startOf('$2', '$3', '$4')}`,
      [...[account, upTo - pageRows(), upTo, since]],
    );
    if (row) return stateOf(row);
  }
  return undefined;
}

const startColumns = 'e.seq, e.available_after::text, e.held_after::text, e.link';
const startOf = (after: string, upTo: string, since: string) => `and e.seq > ${after} and e.seq <= ${upTo}
    and e.link is not null and e.created_at < ${since}::timestamptz order by e.seq desc limit 1`;

/** SQL of milliseconds since the epoch, exact to the microsecond. */
export const msOf = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;

const counters = (name: string) =>
  `jsonb_build_array(${windows.map((window) => `k.${name}_${window}::text`).join(', ')})`;

const headsText = `select a.id, a.in_arrears, ${sentences([
  'a.is_low <> coalesce(a.available + a.held < a.low_balance, false)',
  `format('%s micro-units and a threshold of %s: it is %s, and is said to be otherwise', a.available + a.held,
      coalesce(a.low_balance::text, 'none'), case when a.is_low then 'not low' else 'low' end)`,
])},
    coalesce((select e.seq from entries e where e.account_id = a.id order by e.seq desc limit 1), 0),
    coalesce((select jsonb_agg(jsonb_build_object('id', k.id, 'countedMs', ${msOf('k.counted_at')}::text,
      'calls', ${counters('calls')}, 'spent', ${counters('spent')}, 'since', ${counters('since')})) from api_keys k where k.account_id = a.id), '[]'),
    a.seq, a.available::text, a.held::text, a.chain, s.seq, s.available_after, s.held_after, s.link
  from accounts a left join lateral (
    select ${startColumns} from entries e where $3::timestamptz is not null and e.account_id = a.id
      ${startOf('a.seq - $4::integer', 'a.seq', '$3')}
  ) s on true where ${inRange('accounts', 'a.id')} order by a.id`;

const amounts = z.array(z.string().transform((digits) => BigInt(digits)));
const keyHead = z.object({
  ...{ id: z.string(), calls: amounts, spent: amounts, since: amounts },
  countedMs: z
    .string()
    .nullable()
    .transform((ms) => (ms === null ? null : Number(ms))),
});
const state = [z.bigint(), z.string(), z.string(), z.instanceof(Buffer).nullable()] as const;
const stateRow = z.tuple(state);
const headRow = z
  .tuple([z.string(), z.boolean(), z.string(), z.bigint(), z.array(keyHead), ...state])
  .rest(z.unknown());

function headOf(row: unknown[]): Head {
  const [account, inArrears, saysOfLow, upTo, keys] = headRow.parse(row);
  const start = row.slice(-state.length);
  return {
    ...{ account, inArrears, saysOfLow, keys, upTo: Number(upTo) },
    state: stateOf(row.slice(-2 * state.length, -state.length)),
    start: start[0] === null ? undefined : stateOf(start),
  };
}

function stateOf(row: unknown[]): ChainState {
  const [seq, available, held, link] = stateRow.parse(row);
  return { seq: Number(seq), available, held, link };
}
