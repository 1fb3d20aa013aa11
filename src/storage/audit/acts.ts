/**
 * Whether the log of administrative acts is whole: numbered from 1, each act chained to the one before, the last one the
 * head in `chains`. All of it is read whatever `since` says: acts are few, and everything else leans on them.
 */
import type pg from 'pg';
import * as z from 'zod';
import { acts_chain, actsGenesis, canonicalAct } from '../acts.ts';
import { chainLink } from '../ledger/chain.ts';
import { judgeActors } from './actors.ts';
import { batchesOf, type Check, type CheckContext } from './audit.ts';

export const actsCheck: Check = {
  name: 'acts',
  async run(context) {
    const last = await followChain(context);
    await compareHead(context, last);
    const { rowCount } = await context.client.query('select 1 from chains where name <> $1', [acts_chain]);
    if (rowCount !== 0) context.found(log, 'there are heads of other chains, of which none exists');
    await findStrangers(context);
    await judgeActors(context);
  },
};

/** When the log began: what is older is neither in it nor sealed. From the first act, whose moment is signed. */
export async function logBegunAt(client: pg.ClientBase): Promise<Date | undefined> {
  const { rows } = await client.query('select at from acts order by seq limit 1');
  return rows[0] === undefined ? undefined : z.object({ at: z.date() }).parse(rows[0]).at;
}

/** The subject of what is wrong with the log as a whole. */
const log = 'acts';

interface LastAct {
  seq: bigint;
  link: Buffer;
  count: bigint;
}

/** Each act is compared with the link stored before it, so that one that was changed is told once and by its number. */
async function followChain({ client, ledgerKeys, found, looked }: CheckContext): Promise<LastAct | undefined> {
  let last: LastAct | undefined;
  let isKeyed = false;
  for await (const rows of batchesOf(client, chainText)) {
    for (const row of rows) {
      const [seq, at, isExact, actor, action, accountId, subject, facts, details, reason, link] = chainRow.parse(row);
      const tell = (says: string) => found(`act_${seq}`, says);
      if (seq !== (last?.seq ?? 0n) + 1n) {
        found(log, `act ${seq} follows ${last ? `act ${last.seq}` : 'nothing'}: acts between them are missing`);
      }
      if (!last && action !== 'log.begun') tell(`the log begins with ${action}, not with log.begun`);
      if (last && action === 'log.begun') tell('the log begins a second time');
      if (action === 'log.keyed' && isKeyed) tell('rights from before they were keyed were taken over a second time');
      isKeyed ||= action === 'log.keyed' || (action === 'log.begun' && keyedFromTheStart(details));
      const text = canonicalAct({ seq, at, actor, action, accountId, subject, facts, details, reason });
      const isLinked = ledgerKeys.some((key) => chainLink(key, last?.link ?? actsGenesis(key), [text]).equals(link));
      if (!isLinked || !isExact) tell('what it says and the act before it do not give its link');
      last = { seq, link, count: (last?.count ?? 0n) + 1n };
    }
    looked('acts', rows.length);
  }
  return last;
}

const keyedFromTheStart = (details: unknown): boolean =>
  z.object({ rights: z.literal('keyed') }).safeParse(details).success;

async function compareHead({ client, found }: CheckContext, last: LastAct | undefined): Promise<void> {
  const { rows } = await client.query(
    'select seq, head, begun_at = (select at from acts order by seq limit 1) as began_then from chains where name = $1',
    [acts_chain],
  );
  if (rows[0] === undefined) {
    found(log, last ? 'the log has lost its head' : 'there is no log of administrative acts');
    return;
  }
  const head = headRow.parse(rows[0]);
  if (!last) {
    found(log, `the log counts ${head.seq} acts, but there are none`);
    return;
  }
  if (head.seq !== last.seq || head.seq !== last.count) {
    found(log, `the log counts ${head.seq} acts; there are ${last.count}, the last one is act ${last.seq}`);
  }
  if (!head.head.equals(last.link)) found(log, `the head of the log is not the link of act ${last.seq}`);
  if (head.began_then !== true) found(log, 'the log says of itself that it began at another time than its first act');
}

/** Accounts, keys and people that acts name, and that are not there. */
async function findStrangers({ client, found }: CheckContext): Promise<void> {
  const text = `select seq, named from (
      select seq, account_id as named from acts union all select seq, subject from acts
      union all select seq, substring(actor from 5) from acts where actor like 'key:%'
      union all select seq, substring(actor from 8) from acts where actor like 'person:%'
    ) n where named is not null and not exists (select 1 from accounts a where a.id = named)
      and not exists (select 1 from api_keys k where k.id = named)
      and not exists (select 1 from people p where p.id = named)
    group by seq, named order by seq`;
  for await (const rows of batchesOf(client, text)) {
    for (const row of rows) {
      const [seq, named] = z.tuple([z.bigint(), z.string()]).parse(row);
      found(`act_${seq}`, `it names ${named}, which is not there`);
    }
  }
}

// An act's moment has whole milliseconds; a Date would hide what is beyond them.
const chainText = `select seq, at, at = date_trunc('milliseconds', at), actor, action, account_id, subject, facts, details, reason,
  link from acts order by seq`;
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
const headRow = z.object({ seq: z.bigint(), head: z.instanceof(Buffer), began_then: z.boolean().nullable() });
