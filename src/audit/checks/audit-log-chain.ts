/**
 * Whether the log of administrative acts is whole: numbered from 1, each act chained to the one before, the last one the
 * head in `chains`. All of it is read whatever `since` says: acts are few, and everything else leans on them.
 */
import * as z from 'zod';
import { actsChain, actsGenesis, canonicalAct } from '../../ledger/audit-log.ts';
import { chainLink } from '../../ledger/chain.ts';
import { judgeActors } from './actors.ts';
import { pagesOf, reportPages } from '../audit.ts';
import type { Check, CheckContext } from '../check-context.ts';
import { inRange } from '../key-ranges.ts';

export const actsCheck: Check = {
  name: 'acts',
  async run(context) {
    const { head, upTo } = await headOfLog(context);
    const last = await followChain(context, upTo);
    compareHead(context, head, last);
    const others = await context.read('select 1 from chains where name <> $1', [actsChain]);
    if (others.length > 0) context.found(log, 'there are heads of other chains, of which none exists');
    await reportPages(context, 'acts', strangersText);
    await judgeActors(context);
  },
};

/** The subject of what is wrong with the log as a whole. */
const log = 'acts';

interface LastAct {
  seq: bigint;
  link: Buffer;
  count: bigint;
}

interface Head {
  seq: bigint;
  link: Buffer;
}

/** The head, and the number of the last act that was there with it: acts that come later are left to the next audit. */
async function headOfLog({ read }: CheckContext): Promise<{ head: Head | undefined; upTo: bigint }> {
  const [row] = await read(
    `select c.seq, c.head, coalesce((select seq from acts order by seq desc limit 1), 0)
     from (select) as one left join chains c on c.name = $1`,
    [actsChain],
  );
  const [seq, link, upTo] = headRow.parse(row);
  return { head: seq === null || link === null ? undefined : { seq, link }, upTo };
}

/** Each act is compared with the link stored before it, so that one that was changed is reported once, by its number. */
async function followChain(context: CheckContext, upTo: bigint): Promise<LastAct | undefined> {
  const { ledgerKeys, found, looked } = context;
  let last: LastAct | undefined;
  for await (const rows of pagesOf(context, 'acts', chainText, [upTo])) {
    for (const row of rows) {
      const [seq, at, isExact, actor, action, accountId, subject, facts, details, reason, link] = chainRow.parse(row);
      const tell = (says: string) => found(`act_${seq}`, says);
      if (seq !== (last?.seq ?? 0n) + 1n) {
        found(log, `act ${seq} follows ${last ? `act ${last.seq}` : 'nothing'}: acts between them are missing`);
      }
      if (!last && action !== 'log.begun') tell(`the log begins with ${action}, not with log.begun`);
      if (last && action === 'log.begun') tell('the log begins a second time');
      const text = canonicalAct({ seq, at, actor, action, accountId, subject, facts, details, reason });
      const isLinked = ledgerKeys.some((key) => chainLink(key, last?.link ?? actsGenesis(key), [text]).equals(link));
      if (!isLinked || !isExact) tell('what it says and the act before it do not give its link');
      last = { seq, link, count: (last?.count ?? 0n) + 1n };
    }
    looked('acts', rows.length);
  }
  return last;
}

function compareHead({ found }: CheckContext, head: Head | undefined, last: LastAct | undefined): void {
  if (!head) {
    found(log, last ? 'the log has lost its head' : 'there is no log of administrative acts');
    return;
  }
  if (!last) {
    found(log, `the log counts ${head.seq} acts, but there are none`);
    return;
  }
  if (head.seq !== last.seq || head.seq !== last.count) {
    found(log, `the log counts ${head.seq} acts; there are ${last.count}, the last one is act ${last.seq}`);
  }
  if (!head.link.equals(last.link)) found(log, `the head of the log is not the link of act ${last.seq}`);
}

/** Accounts, keys and people that acts name, and that are not there. */
const ranged = inRange('acts', 'seq');
const strangersText = `select 'act_' || seq, 'it names ' || named || ', which is not there' from (
    select seq, account_id as named from acts where ${ranged} union all select seq, subject from acts where ${ranged}
    union all select seq, substring(actor from 5) from acts where actor like 'key:%' and ${ranged}
    union all select seq, substring(actor from 8) from acts where actor like 'person:%' and ${ranged}
  ) n where named is not null and not exists (select 1 from accounts a where a.id = named)
    and not exists (select 1 from api_keys k where k.id = named)
    and not exists (select 1 from people p where p.id = named)
  group by seq, named order by seq`;

// An act's moment has whole milliseconds; a Date would hide what is beyond them.
const chainText = `select seq, at, at = date_trunc('milliseconds', at), actor, action, account_id, subject, facts, details, reason,
  link from acts where ${inRange('acts', 'seq')} and seq <= $3 order by seq`;
const chainRow = z.tuple([
  z.bigint(),
  z.date(),
  z.boolean(),
  z.string(),
  z.string(),
  z.string().nullable(),
  z.string().nullable(),
  z.unknown(),
  z.unknown(),
  z.string().nullable(),
  z.instanceof(Buffer),
]);
const headRow = z.tuple([z.bigint().nullable(), z.instanceof(Buffer).nullable(), z.bigint()]);
