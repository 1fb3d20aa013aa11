/**
 * The chains of entries: each account's entries are read in their order, numbers and running balances followed, and every
 * link made again from the one before. Where they end must be what the account's row, and those of its keys, said when
 * its head was read; what came later is left to the next audit.
 */
import * as z from 'zod';
import { AccountReplay, type ReplayedEntry } from './account-replay.ts';
import type { Check, CheckContext } from '../check-context.ts';
import { canonicalSql, withLines } from './canonical-entry.ts';
import { type Head, headsOf, msOf } from './account-heads.ts';

/**
 * With `since`, an account's entries are read from its last link before that moment on. It is trusted, with number and
 * balances beside it: it is a keyed hash over all before.
 */
export const chains: Check = {
  name: 'chains',
  async run(context) {
    context.looked('entries', 0);
    for await (const heads of headsOf(context)) {
      const walks = heads.map((head): Walk => ({
        head,
        replay: new AccountReplay(context, head),
        at: head.start?.seq ?? 0,
      }));
      await walkAll(context, walks);
      for (const { replay } of walks) replay.end();
    }
  },
};

interface Walk {
  head: Head;
  replay: AccountReplay;
  /** Up to this number entries were read or are being read. */
  at: number;
}

/** The next numbers of an account. */
interface Stretch {
  walk: Walk;
  after: number;
  upTo: number;
}

/** Reads small accounts together and large ones in parts; the next page is read while one is worked out. */
async function walkAll(context: CheckContext, walks: readonly Walk[]): Promise<void> {
  let first = 0;
  const plan = (): Stretch[] => {
    const stretches: Stretch[] = [];
    for (let room = context.pageRows(); room > 0;) {
      const walk = walks[first];
      if (!walk) break;
      const after = walk.at;
      walk.at = Math.min(walk.head.upTo, after + room);
      if (walk.at > after) stretches.push({ walk, after, upTo: walk.at });
      else first++;
      room -= walk.at - after;
    }
    return stretches;
  };
  let stretches = plan();
  let reading = readEntries(context, stretches);
  while (stretches.length > 0) {
    const rows = await reading;
    const last = stretches.at(-1)?.walk;
    const byAccount = new Map(stretches.map(({ walk }) => [walk.head.account, walk.replay]));
    stretches = plan();
    reading = readEntries(context, stretches);
    reading.catch(() => undefined); // thrown where it is awaited
    for (const row of rows) byAccount.get(z.string().parse(row[0]))?.add(entryOf(row));
    context.looked('entries', rows.length);
    if (last && rows.at(-1)?.[0] !== last.head.account) await skipGap(context, last);
  }
}

async function readEntries({ read }: CheckContext, stretches: readonly Stretch[]): Promise<unknown[][]> {
  if (stretches.length === 0) return [];
  return read(entriesText, [
    stretches.map(({ walk }) => walk.head.account),
    stretches.map(({ after }) => after),
    stretches.map(({ upTo }) => upTo),
  ]);
}

/** Numbers without entries are reported when the next one comes; a large gap must not keep the audit busy. */
async function skipGap({ read }: CheckContext, walk: Walk): Promise<void> {
  const text = 'select seq from entries where account_id = $1 and seq > $2 order by seq limit 1';
  const [row] = await read(text, [walk.head.account, walk.at]);
  const next = row === undefined ? walk.head.upTo : Number(z.tuple([z.bigint()]).parse(row)[0]) - 1;
  walk.at = Math.min(walk.head.upTo, Math.max(walk.at, next));
}

// Amounts come as digits. Each account's entries are found along the index of its numbers, in every partition.
const entriesText = `select e.* from unnest($1::text[], $2::bigint[], $3::bigint[]) with ordinality as s(account, after, up_to, nth)
  cross join lateral (
    select e.account_id, e.seq, e.available_after::text, e.held_after::text, e.link, ${canonicalSql}, e.lines::text,
      e.d_available::text, e.d_held::text, e.transfer_id::text, e.type, e.key_id, ${msOf('e.created_at')}, e.d_revenue, e.reason
    from entries e where e.account_id = s.account and e.seq > s.after and e.seq <= s.up_to offset 0
  ) e order by s.nth, e.seq`;

// By hand: a schema would take as long as the hash.
function entryOf(row: readonly unknown[]): ReplayedEntry {
  const [, seq, available, held, link, canonical, lines, deltaAvailable, deltaHeld, transfer, type, key, createdMs] =
    row;
  const [revenue, reason] = row.slice(13);
  if (typeof seq !== 'bigint' || typeof createdMs !== 'number' || typeof revenue !== 'bigint')
    throw new TypeError('an entry is read as numbers');
  return {
    seq: Number(seq),
    available: textOf(available),
    held: textOf(held),
    link: linkOf(link),
    text: withLines(textOf(canonical), textOrNull(lines)),
    deltaAvailable: textOf(deltaAvailable),
    deltaHeld: textOf(deltaHeld),
    transfer: textOf(transfer),
    type: textOf(type),
    key: textOrNull(key),
    createdMs,
    revenue,
    reason: textOrNull(reason),
  };
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('an entry is read as text');
  return value;
}

const textOrNull = (value: unknown): string | null => (value === null ? null : textOf(value));

function linkOf(value: unknown): Buffer | null {
  if (value !== null && !Buffer.isBuffer(value)) throw new TypeError('a link is bytes');
  return value;
}
