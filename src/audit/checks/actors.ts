/**
 * Whether the actor that an act names was there and had the right, at that place in the log: by what the log itself says
 * of people and keys until then. And whether a person came by a right, a role or a password by an act that gives it.
 */
import { reportPages } from '../audit.ts';
import type { CheckContext } from '../check-context.ts';
import { inRange } from '../key-ranges.ts';

/** A right is read when a request comes, and its act written a little later; it may have been taken away in between. */
const lateSecondsMax = 60;
/** Of the states of a person or key before an act: more changes don't fit into that time. */
const statesMax = 20;

/** What owners do in their own account; all else is for operators. */
const ofOwners = [
  ...['account.changed', 'webhook_secret.rotated', 'event.replayed', 'task.cancelled', 'batch.cancelled'],
  ...['body_recording.changed', 'bodies.deleted', 'body.read'],
  ...['key.created', 'key.changed', 'key.revoked'],
  ...['person.invited', 'person.changed', 'person.removed', 'invitation.revoked'],
];

/** Reads the log itself, all of it after its beginning. An act is judged by those before it alone, which never change. */
export async function judgeActors(context: CheckContext): Promise<void> {
  for (const text of [actorsText, changesText]) await reportPages(context, 'acts', text);
}

// Facts that were changed by hand are reported elsewhere; here they must not break anything.
/** The states of a subject before the act `a`, each until the next one. */
const statesBefore = (subject: string) => `select s.facts, lag(s.at) over (order by s.seq desc) as until
  from acts s where s.subject = ${subject} and s.seq < a.seq and jsonb_typeof(s.facts) = 'object'
  order by s.seq desc limit ${statesMax}`;
const stillKnown = `(s.until is null or s.until >= a.at - interval '${lateSecondsMax} seconds')`;

const mayAsPerson = `s.facts ->> 'disabled_at' is null and (
    s.facts -> 'is_operator' = 'true'
    or a.action = 'password.changed' and coalesce(a.subject, a.details ->> 'person') = substring(a.actor from 8)
    or a.action in (${ofOwners.map((action) => `'${action}'`).join(', ')})
      and s.facts -> 'memberships' -> a.account_id ->> 'role' = 'owner')`;
const mayAsKey = `s.facts ->> 'revoked_at' is null and s.facts ->> 'level' = 'admin'
    and s.facts ->> 'account_id' = a.account_id
    and coalesce(s.facts ->> 'expires_at' > to_char(
      (a.at - interval '${lateSecondsMax} seconds') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), true)`;

const judged = `a.seq > 1 and ${inRange('acts', 'a.seq')}`;

const actorsText = `select 'act_' || a.seq, a.actor || ' did it, and had no right to by what the log said until then: ' || a.action
  from acts a
  where ${judged} and (
    a.actor like 'person:%' and not exists (
      select from (${statesBefore('substring(a.actor from 8)')}) s where ${stillKnown} and ${mayAsPerson})
    or a.actor like 'key:%' and not exists (
      select from (${statesBefore('substring(a.actor from 5)')}) s where ${stillKnown} and ${mayAsKey}))
  order by a.seq`;

const setsPassword = `a.action in ('person.joined', 'password.changed')`;
const isOffered = `exists (select from acts i
    where i.action = 'person.invited' and i.seq < a.seq and i.details ->> 'invitation' = a.details ->> 'invitation'
      and i.details ->> 'email' = a.facts ->> 'email' and i.account_id is not distinct from a.account_id
      and (i.details ->> 'operator' = 'true' or a.facts -> 'is_operator' = b.facts -> 'is_operator')
      and (a.account_id is null or i.details ->> 'role' = a.facts -> 'memberships' -> a.account_id ->> 'role'
        or b.facts -> 'memberships' -> a.account_id ->> 'role' = 'owner'))`;

// Each act on a person against the one before it. Who joins is there from then on, and was nothing before.
const changesText = `with judged as (
    select a.seq, case
      when a.action = 'person.created' then null
      when a.action = 'person.joined' and not ${isOffered} then 'it gives a person what no link offered them'
      when a.action <> 'person.joined' and a.facts -> 'is_operator' is distinct from b.facts -> 'is_operator'
        and a.details ->> 'operator' is distinct from a.facts ->> 'is_operator' then 'it makes an operator, or ends one, and does not say so'
      when (b.facts -> 'memberships') - coalesce(a.account_id, '') is distinct from (a.facts -> 'memberships') - coalesce(a.account_id, '')
        then 'it changes what a person is to other accounts than its own'
      when b.subject is not null and not ${setsPassword} and a.facts ->> 'password_digest' is distinct from b.facts ->> 'password_digest'
        then 'it changes a password, and is no such act'
    end as says
    from acts a left join lateral (
      select s.subject, s.facts from acts s where s.subject = a.subject and s.seq < a.seq and jsonb_typeof(s.facts) = 'object'
      order by s.seq desc limit 1
    ) l on true cross join lateral (
      select l.subject, coalesce(l.facts, '{"is_operator": false, "memberships": {}}') as facts
    ) b
    where ${judged} and a.subject like 'usr\\_%' and jsonb_typeof(a.facts) = 'object'
  )
  select 'act_' || seq, says from judged where says is not null order by seq`;
