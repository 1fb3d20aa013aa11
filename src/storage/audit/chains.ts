/**
 * The chains of entries: each account's entries are read in their order, numbers and running balances followed, and every
 * link made again from the one before. Where they end must be what the account's row says.
 */
import { ChainReader } from './chain-reader.ts';
import { batchesOf, type Check } from './audit.ts';
import { canonicalSql, withLines } from './canonical.ts';

/**
 * With `since`, an account's entries are read from its last link before that moment on. It is trusted, with number and
 * balances beside it: it is a keyed hash over all before.
 */
export const chains: Check = {
  name: 'chains',
  async run(context) {
    const { client, since, looked } = context;
    let reader: ChainReader | undefined;
    const batches = since ? batchesOf(client, newerSql, [since]) : batchesOf(client, allSql);
    for await (const rows of batches) {
      let entries = 0;
      for (const row of rows) {
        const account = textOf(row[0]);
        if (reader?.account !== account) {
          reader?.end();
          reader = new ChainReader(context, account);
        }
        const kind = row[1];
        const state = { seq: Number(row[2]), available: textOf(row[3]), held: textOf(row[4]), link: linkOf(row[5]) };
        if (kind === account_kind) reader.accountIs(state);
        else if (kind === start_kind) reader.startAt(state);
        else {
          entries++;
          const text = withLines(textOf(row[6]), row[7] === null ? null : textOf(row[7]));
          reader.add({ ...state, text, deltaAvailable: textOf(row[8]), deltaHeld: textOf(row[9]) });
        }
      }
      looked('entries', entries);
    }
    reader?.end();
  },
};

const account_kind = 0;
const start_kind = 1;

// Amounts come as digits. Each account's row comes before its entries, both by the order of an index.
const accountsSql = `select a.id as account_id, ${account_kind} as kind, a.seq, a.available::text, a.held::text, a.chain as link,
    null as canonical, null as lines, null as d_available, null as d_held
  from accounts a`;
const entrySql = `e.seq, e.available_after::text, e.held_after::text, e.link, ${canonicalSql}, e.lines::text,
    e.d_available::text, e.d_held::text`;

const allSql = `${accountsSql}
  union all select e.account_id, 2, ${entrySql} from entries e
  order by account_id, kind, seq`;

const newerSql = `with starts as materialized (
    select a.id as account_id, coalesce(s.seq, 0) as seq, s.available_after, s.held_after, s.link
    from accounts a left join lateral (
      select e.seq, e.available_after, e.held_after, e.link from entries e
      where e.account_id = a.id and e.link is not null and e.created_at < $1 order by e.seq desc limit 1
    ) s on true
  )
  ${accountsSql}
  union all select account_id, ${start_kind}, seq, available_after::text, held_after::text, link, null, null, null, null
    from starts where link is not null
  union all select e.account_id, 2, ${entrySql} from starts s join entries e on e.account_id = s.account_id and e.seq > s.seq
  union all select e.account_id, 2, ${entrySql} from entries e
    where e.created_at >= $1 and not exists (select from accounts a where a.id = e.account_id)
  order by account_id, kind, seq`;

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('an entry is read as text');
  return value;
}

function linkOf(value: unknown): Buffer | null {
  if (value !== null && !Buffer.isBuffer(value)) throw new TypeError('a link is bytes');
  return value;
}
