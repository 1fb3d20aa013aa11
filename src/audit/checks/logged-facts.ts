/**
 * Whether accounts, their recording of bodies, keys and people are as the audit log left them, and credits and adjustments
 * as the log says. All rows are compared whatever `since` says: a change by hand leaves no time of its change.
 */
import * as z from 'zod';
import { pagesOf, reportPages } from '../audit.ts';
import type { Check, CheckContext } from '../check-context.ts';
import { entriesInRange, inRange, type Ranged, rangesOf } from '../key-ranges.ts';

export const factsCheck: Check = {
  name: 'facts',
  async run(context) {
    await compareRows(context);
    await compareRecordings(context);
    await compareCredits(context);
  },
};

// Which facts differ is reported by name; their values may be a hash.
// A row and its act are written together, so a row agrees with its newest act at any moment.
const rowsText = (table: Ranged, facts: string) => `select s.subject, n.facts is not null, array(
    select key from jsonb_each(s.facts) as f full join jsonb_each(n.facts) as g using (key)
    where f.value is distinct from g.value order by key)
  from (select r.id as subject, ${facts} as facts from ${table} r where ${inRange(table, 'r.id')}) s
  left join lateral (
    select case when jsonb_typeof(a.facts) <> 'object' then '{}' else a.facts end as facts
    from acts a where a.subject = s.subject and a.facts is not null order by a.seq desc limit 1
  ) n on true where s.facts is distinct from n.facts`;
/** The newest acts on what is not there. */
const goneText = `select a.subject, 'the log has acts on it, but its row is gone' from acts a
  where ${inRange('acts', 'a.seq')} and a.subject is not null and a.facts is not null
    and not exists (select from accounts r where r.id = a.subject) and not exists (select from api_keys r where r.id = a.subject)
    and not exists (select from people r where r.id = a.subject)
    and not exists (select from acts b where b.subject = a.subject and b.seq > a.seq and b.facts is not null)`;
/** The facts' own text of a moment is none for infinity, and for a year before Christ that of the same year after. */
const oddMoments = (row: string, columns: readonly string[]) =>
  columns
    .map(
      (column) => ` || case when not isfinite(${row}.${column}) or ${row}.${column} < '0001-01-01Z'
        then jsonb_build_object('${column}', ${row}.${column}::text) else '{}' end`,
    )
    .join('');
const rowsRow = z.tuple([z.string(), z.boolean(), z.array(z.string())]);

const compared = [
  ['accounts', 'accounts and keys', `tollgate_account_facts(r)${oddMoments('r', ['created_at'])}`],
  [
    ...(['api_keys', 'accounts and keys'] as const),
    `tollgate_key_facts(r)${oddMoments('r', ['created_at', 'expires_at', 'revoked_at'])}`,
  ],
  ['people', 'people', `tollgate_person_facts(r)${oddMoments('r', ['created_at', 'disabled_at'])}`],
] as const;

async function compareRows(context: CheckContext): Promise<void> {
  const { read, found, looked } = context;
  for (const [table, what, facts] of compared) {
    const counted = `select count(*)::integer from ${table} r where ${inRange(table, 'r.id')}`;
    for await (const range of rangesOf(context, table)) {
      for (const row of await read(rowsText(table, facts), range)) {
        const [subject, isLogged, names] = rowsRow.parse(row);
        if (!isLogged) found(subject, 'no act in the log made it');
        else found(subject, `its newest act says otherwise of ${names.join(', ')}`);
      }
      const [row] = await read(counted, range);
      looked(what, z.tuple([z.int()]).parse(row)[0]);
    }
  }
  await reportPages(context, 'acts', goneText);
}

/** Names as the log lists them (`listedNames` in `recording-settings.ts`); what can't be a name is none there either. */
const listedNames = `array_to_string(array(select coalesce(nullif(replace(replace(name, '\\', '\\\\'), ',', '\\,'), ''), '\\0')
  from unnest(b.redacted_fields) with ordinality as n (name, at) order by at), ', ')`;
// The log has this setting in the details of its newest act. Those of accounts without one are compared, too: a row that was
// slipped in, and one that is gone.
const recordingsText = `with s as (
    select r.id as account, case when b.account_id is not null then jsonb_build_object('record_bodies', b.is_on::text,
      'retention_days', b.retention_days::text, 'redacted_fields', ${listedNames}) end as settings
    from accounts r left join body_recordings b on b.account_id = r.id where ${inRange('accounts', 'r.id')}
  )
  select s.account, s.settings is not null, n.details is not null, array(
    select key from jsonb_each(s.settings) as f full join jsonb_each(n.details) as g using (key)
    where f.value is distinct from g.value order by key)
  from s left join lateral (
    select case when jsonb_typeof(a.details) = 'object' then a.details else '{}' end as details
    from acts a where a.account_id = s.account and a.action = 'body_recording.changed' order by a.seq desc limit 1
  ) n on true where s.settings is distinct from n.details`;
const strayText = `select 'body_recordings of ' || b.account_id, 'its account is not there' from body_recordings b
  where ${inRange('body_recordings', 'b.account_id')} and not exists (select from accounts r where r.id = b.account_id)`;
const recordingsRow = z.tuple([z.string(), z.boolean(), z.boolean(), z.array(z.string())]);

async function compareRecordings(context: CheckContext): Promise<void> {
  const { read, found } = context;
  for await (const range of rangesOf(context, 'accounts')) {
    for (const row of await read(recordingsText, range)) {
      const [account, isThere, isLogged, names] = recordingsRow.parse(row);
      const subject = `body_recordings of ${account}`;
      if (!isLogged) found(subject, 'no act in the log made it');
      else if (!isThere) found(subject, 'the log has acts on it, but its row is gone');
      else found(subject, `its newest act says otherwise of ${names.join(', ')}`);
    }
  }
  await reportPages(context, 'body_recordings', strayText);
}

const booking = `a.action in ('account.credited', 'account.adjusted')`;
const bookedType = `case a.action when 'account.credited' then 'credit' else 'adjustment' end`;
// As text: an act that was changed by hand may name anything. An entry and its act are of one transaction, but the moment
// of the one is read before that of the other; so each is asked for its counterpart by its own moment. The acts of an
// account are found by an index, and those of all the page's accounts are read at once.
const creditsText = `with e as materialized (
    select transfer_id::text as transfer, type, account_id, d_available::text as amount, reason, created_at
    from ${entriesInRange} r where type in ('credit', 'adjustment') and ($3::timestamptz is null or created_at >= $3)
  ), booked as materialized (
    select a.seq, a.details ->> 'transfer_id' as transfer, a.details ->> 'amount' as amount, a.reason, ${bookedType} as type
    from (select distinct account_id from e) n
    cross join lateral (select * from acts where account_id = n.account_id offset 0) a where ${booking}
  )
  select e.transfer || '.' || e.type, a.seq, array_remove(array[
      case when e.type <> a.type then 'type' end, case when e.amount is distinct from a.amount then 'amount' end,
      case when e.reason is distinct from a.reason then 'reason' end], null)
  from e left join booked a on a.transfer = e.transfer
  where a.seq is null or (e.type, e.amount, e.reason) is distinct from (a.type, a.amount, a.reason)`;
const creditsRow = z.tuple([z.string(), z.bigint().nullable(), z.array(z.string())]);

const unbookedText = `select 'act_' || a.seq, 'it credits or adjusts, but the ledger has no such entry' from acts a
  where ${inRange('acts', 'a.seq')} and ${booking} and ($3::timestamptz is null or a.at >= $3)
    and not exists (select from entries e where e.type in ('credit', 'adjustment') and e.transfer_id = case
      when a.details ->> 'transfer_id' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then (a.details ->> 'transfer_id')::uuid end)`;

async function compareCredits(context: CheckContext): Promise<void> {
  const { since, found } = context;
  for await (const rows of pagesOf(context, 'transfers', creditsText, [since ?? null], { joins: 'whole' })) {
    for (const row of rows) {
      const [subject, act, names] = creditsRow.parse(row);
      if (act === null) found(subject, 'no act in the log credited or adjusted it');
      else found(subject, `act ${act} says otherwise of its ${names.join(', ')}`);
    }
  }
  await reportPages(context, 'acts', unbookedText, [since ?? null]);
}
