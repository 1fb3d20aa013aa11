/** Entries by themselves: each sums to zero and moves money as its type does, and so all of them together sum to zero. */
import * as z from 'zod';
import { type EntryType, type LedgerAccount, ledgerAccounts } from '../../domain/billing/postings.ts';
import { report, sentences } from '../audit.ts';
import type { Check } from '../check-context.ts';
import { entriesInRange, rangesOf } from '../key-ranges.ts';

/** With `since`, of the entries since then; the sum is over all. */
export const entryRules: Check = {
  name: 'entries',
  async run(context) {
    const { read, since, found } = context;
    let sum = 0n;
    for await (const range of rangesOf(context, 'transfers')) {
      const [row] = await read(sumSql, range);
      sum += BigInt(z.tuple([z.string()]).parse(row)[0]);
      await report(context, wrongSql, [...range, since ?? null]);
    }
    if (sum !== 0n) found('ledger', `all entries together sum to ${sum} micro-units, not to zero`);
  },
};

const legsSum = ledgerAccounts.map((account) => `e.d_${account}`).join(' + ');
// As numeric, which has no bounds: two entries of 2^63 - 1 are still a sum.
const sumSql = `select coalesce(sum(${ledgerAccounts.map((account) => `d_${account}::numeric`).join(' + ')}), 0)::text as sum
  from ${entriesInRange} e`;

/** What an entry of each type moves: out of the first accounts, into the others; nothing is moved the other way. */
const moves: Record<EntryType, { from: readonly LedgerAccount[]; to: readonly LedgerAccount[] }> = {
  credit: { from: ['top_ups'], to: ['available'] },
  hold: { from: ['available'], to: ['held'] },
  capture: { from: ['held', 'available'], to: ['revenue'] },
  release: { from: ['held'], to: ['available'] },
  adjustment: { from: [], to: [] },
  write_off: { from: ['write_offs'], to: ['revenue'] },
};

const isMovedWrongly = Object.entries(moves)
  .map(([type, { from, to }]) => {
    const wrong = ledgerAccounts.flatMap((account) => {
      if (type === 'adjustment') return ['available', 'adjustments'].includes(account) ? [] : `e.d_${account} <> 0`;
      if (from.includes(account)) return `e.d_${account} > 0`;
      return to.includes(account) ? `e.d_${account} < 0` : `e.d_${account} <> 0`;
    });
    return `when '${type}' then ${wrong.join(' or ')}`;
  })
  .join(' ');

const ofNoKey = `e.type in ('credit', 'adjustment')`;
const legsText = ledgerAccounts.map((account) => `'${account} ' || e.d_${account}`).join(` || ', ' || `);

const newInRange = `(select * from ${entriesInRange} e where $3::timestamptz is null or e.created_at >= $3)`;

const wrongSql = `select subject, says from (
    select e.transfer_id || '.' || e.type, ${sentences(
      [`${legsSum} <> 0`, `format('its legs sum to %s micro-units, not to zero', ${legsSum})`],
      [`case e.type ${isMovedWrongly} else true end`, `format('no %s moves that: %s', e.type, ${legsText})`],
      [
        `${ofNoKey} and (e.key_id is not null or e.task_id is not null)`,
        `format('a %s is of no key and no task, and this one is of %s', e.type, concat_ws(', ', e.key_id, e.task_id))`,
      ],
      [`not ${ofNoKey} and e.key_id is null`, `format('a %s without a key', e.type)`],
    )} from ${newInRange} e
  ) as e (subject, says) where e.says <> ''
  union all
  select e.account_id, format('there is no such account, and entries are of it: %s, such as %s', count(*), min(e.transfer_id || '.' || e.type))
  from ${newInRange} e where not exists (select from accounts a where a.id = e.account_id) group by e.account_id`;
