/**
 * Whether accounts, keys and people are as the log of acts left them, and credits and adjustments as the log says. All rows are
 * compared whatever `since` says: a row that nobody was to change has no time of its change.
 */
import * as z from 'zod';
import { logBegunAt } from './acts.ts';
import { batchesOf, type Check, type CheckContext } from './audit.ts';

export const factsCheck: Check = {
  name: 'facts',
  async run(context) {
    await compareRows(context);
    await compareCredits(context);
  },
};

// Which facts differ is told by name; their values may be a hash. Older acts have a webhook's address, newer ones its digest.
const rowsText = () => `with newest as (
    select distinct on (subject) subject, case when jsonb_typeof(facts) <> 'object' then '{}'
      when facts ->> 'webhook_url' not like 'sha256:%' then facts || jsonb_build_object('webhook_url', tollgate_address_digest(facts ->> 'webhook_url'))
      else facts end as facts
    from acts where subject is not null and facts is not null order by subject, seq desc
  ), stored as (
    select id as subject, tollgate_account_facts(a)${oddMoments('a', ['created_at'])} as facts from accounts a
    union all select id, tollgate_key_facts(k)${oddMoments('k', ['created_at', 'expires_at', 'revoked_at'])} from api_keys k
    union all select id, tollgate_person_facts(p)${oddMoments('p', ['created_at', 'disabled_at'])} from people p
  )
  select subject, s.facts is not null, n.facts is not null, array(
    select key from jsonb_each(s.facts) as f full join jsonb_each(n.facts) as g using (key)
    where f.value is distinct from g.value order by key)
  from stored s full join newest n using (subject) where s.facts is distinct from n.facts`;
/** The facts' own text of a moment is none for infinity, and for a year before Christ that of the same year after. */
const oddMoments = (row: string, columns: readonly string[]) =>
  columns
    .map(
      (column) => ` || case when not isfinite(${row}.${column}) or ${row}.${column} < '0001-01-01Z'
        then jsonb_build_object('${column}', ${row}.${column}::text) else '{}' end`,
    )
    .join('');
const rowsRow = z.tuple([z.string(), z.boolean(), z.boolean(), z.array(z.string())]);

async function compareRows({ client, found, looked }: CheckContext): Promise<void> {
  for await (const rows of batchesOf(client, rowsText())) {
    for (const row of rows) {
      const [subject, isStored, isLogged, names] = rowsRow.parse(row);
      if (!isStored) found(subject, 'the log has acts on it, but its row is gone');
      else if (!isLogged) found(subject, 'no act in the log made it');
      else found(subject, `its newest act says otherwise of ${names.join(', ')}`);
    }
  }
  const { rows } = await client.query(
    `select (select count(*) from accounts) + (select count(*) from api_keys) as customers, (select count(*) from people) as people`,
  );
  const [{ customers, people }] = z.tuple([z.object({ customers: z.bigint(), people: z.bigint() })]).parse(rows);
  looked('accounts and keys', Number(customers));
  looked('people', Number(people));
}

// As text: an act that was changed by hand may name anything. An entry and its act are of one transaction, but the
// moment of the one is read before that of the other; so each is asked for its counterpart by its own moment.
const creditsText = `with e as (
    select transfer_id::text as transfer, type, account_id, d_available::text as amount, reason, created_at
    from entries where type in ('credit', 'adjustment')
  ), a as (
    select seq, details ->> 'transfer_id' as transfer, account_id, details ->> 'amount' as amount, reason, at,
      case action when 'account.credited' then 'credit' else 'adjustment' end as type
    from acts where action in ('account.credited', 'account.adjusted')
  )
  select case when e.transfer is null then 'act_' || a.seq else e.transfer || '.' || e.type end,
    e.transfer is not null, a.seq, array_remove(array[
      case when e.type <> a.type then 'type' end, case when e.account_id is distinct from a.account_id then 'account' end,
      case when e.amount is distinct from a.amount then 'amount' end,
      case when e.reason is distinct from a.reason then 'reason' end], null)
  from e full join a on e.transfer = a.transfer
  where case when e.transfer is null then $2::timestamptz is null or a.at >= $2
      when a.seq is null then e.created_at >= $1 and ($2::timestamptz is null or e.created_at >= $2)
      else ($2::timestamptz is null or e.created_at >= $2)
        and (e.type, e.account_id, e.amount, e.reason) is distinct from (a.type, a.account_id, a.amount, a.reason) end`;
const creditsRow = z.tuple([z.string(), z.boolean(), z.bigint().nullable(), z.array(z.string())]);

async function compareCredits({ client, since, found }: CheckContext): Promise<void> {
  const begunAt = await logBegunAt(client);
  for await (const rows of batchesOf(client, creditsText, [begunAt ?? null, since ?? null])) {
    for (const row of rows) {
      const [subject, isEntered, act, names] = creditsRow.parse(row);
      if (!isEntered) found(subject, 'it credits or adjusts, but the ledger has no such entry');
      else if (act === null) found(subject, 'no act in the log credited or adjusted it');
      else found(subject, `act ${act} says otherwise of its ${names.join(', ')}`);
    }
  }
}
