/**
 * What must hold of the ledger at every moment, asked of the database itself: each question answers the rows that are
 * wrong. All are asked of one snapshot, so that they hold while others write, too.
 */
import assert from 'node:assert/strict';
import type { Database } from '../../src/postgres/database.ts';
import { windows } from '../../src/domain/accounts/key-rules.ts';
import { ledgerAccounts } from '../../src/domain/billing/postings.ts';

/** Fails with the first rows of these accounts that are wrong. */
export async function assertSnapshotAddsUp(database: Database, accounts: readonly string[]): Promise<void> {
  const client = await database.pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin isolation level repeatable read read only');
    for (const [what, text] of Object.entries(questions)) {
      const { rows } = await client.query(`${text} limit 5`, [accounts]);
      assert.deepEqual(rows, [], `${what}: these rows are wrong`);
    }
    await client.query('commit');
  } catch (error) {
    broken = error instanceof Error ? error : new Error('the snapshot failed', { cause: error });
    throw error;
  } finally {
    client.release(broken);
  }
}

const sameWindow = (window: string, a: string, b: string) =>
  window === 'total'
    ? `${a} <= ${b}`
    : `date_trunc('${window}', ${a} at time zone 'UTC') = date_trunc('${window}', ${b} at time zone 'UTC')`;

const questions = {
  'all legs sum to zero': `select 1 as wrong from entries where account_id = any($1::text[])
    having sum(${ledgerAccounts.map((name) => `d_${name}`).join(' + ')}) <> 0`,

  'balances are the sums of entries, and never below zero': `select a.id, a.available, a.held, a.seq from accounts a
    left join lateral (
      select coalesce(sum(d_available), 0) as available, coalesce(sum(d_held), 0) as held, count(*) as entries
      from entries where account_id = a.id) e on true
    where a.id = any($1::text[]) and (a.available <> e.available or a.held <> e.held or a.seq <> e.entries
      or a.available < 0 or a.held < 0)`,

  'numbers have no gap, and running balances follow': `select account_id, seq, available_after, held_after from (
      select account_id, seq, available_after, held_after, row_number() over by_seq as place,
        sum(d_available) over by_seq as available, sum(d_held) over by_seq as held
      from entries where account_id = any($1::text[]) window by_seq as (partition by account_id order by seq)) e
    where seq <> place or available_after <> available or held_after <> held or available < 0 or held < 0`,

  'open holds make up what is held': `select a.id, a.held from accounts a where a.id = any($1::text[])
    and a.held <> (select coalesce(sum(amount), 0) from holds h where h.account_id = a.id and h.state = 'held')`,

  'a hold is captured once, or released once, or neither': `select h.transfer_id, h.state, h.amount, e.* from holds h
    left join lateral (
      select count(*) filter (where type = 'capture') as captures, count(*) filter (where type = 'release') as releases,
        sum(d_held) filter (where type = 'hold') as first, sum(d_held) as held_now,
        sum(d_available) filter (where type = 'release') as released
      from entries where transfer_id = h.transfer_id) e on true
    where h.account_id = any($1::text[]) and (e.first = h.amount and case h.state
      when 'held' then e.captures = 0 and e.releases = 0 and e.held_now = h.amount
      when 'captured' then e.captures = 1 and e.releases <= 1 and e.held_now = 0
      else e.captures = 0 and e.releases = 1 and e.held_now = 0 and e.released = h.amount end) is not true`,

  'what has no hold is money from outside': `select transfer_id, type from entries e where account_id = any($1::text[])
    and type not in ('credit', 'adjustment') and not exists (select 1 from holds h where h.transfer_id = e.transfer_id)`,

  'no capture takes more than its hold and what was available': `select e.transfer_id, e.d_revenue, h.amount from entries e
    join holds h using (transfer_id) where e.account_id = any($1::text[]) and e.type = 'capture'
    and e.d_revenue > h.amount + e.available_after - e.d_available`,

  'a task costs what its capture earned, and only a success costs': `select t.id, t.state, h.state, t.cost, c.d_revenue from tasks t
    left join holds h on h.transfer_id = t.transfer_id
    left join entries c on c.transfer_id = t.transfer_id and c.type = 'capture'
    left join lateral (select available_after from entries where transfer_id = t.transfer_id order by seq desc limit 1) e on true
    where t.account_id = any($1::text[]) and (h.amount = t.hold_amount and h.subject = t.id and case
      when t.state = 'succeeded' then h.state = 'captured' and t.cost = c.d_revenue and t.balance_after = e.available_after
      when t.finished_at is not null then h.state = 'released' and t.cost is null and t.balance_after = e.available_after
      else h.state = 'held' end) is not true`,

  'as many captures of tasks as tasks that succeeded': `select 1 as wrong from entries
    where account_id = any($1::text[]) and type = 'capture' and task_id is not null
    having count(*) <> (select count(*) from tasks where account_id = any($1::text[]) and state = 'succeeded')`,

  'keys count their calls, spending and running tasks': `select k.id, k.running_tasks, k.calls_total, k.spent_total, c.* from api_keys k
    left join lateral (
      select ${windows
        .map((window) => {
          const inWindow = `filter (where ${sameWindow(window, 'h.created_at', 'k.counted_at')})`;
          return `count(*) ${inWindow} as calls_in_${window}, coalesce(sum(case h.state when 'held' then h.amount
            when 'captured' then c.d_revenue else 0 end) ${inWindow}, 0) as spent_in_${window}`;
        })
        .join(', ')}
      from holds h left join entries c on c.transfer_id = h.transfer_id and c.type = 'capture' where h.key_id = k.id) c on true
    where k.account_id = any($1::text[]) and (k.running_tasks <>
        (select count(*) from tasks t where t.key_id = k.id and t.account_id = k.account_id and t.finished_at is null)
      or ${windows.map((name) => `k.calls_${name} <> calls_in_${name} or k.spent_${name} <> spent_in_${name}`).join(' or ')})`,

  'keys keep their limits': `select k.id, k.running_tasks, l.per, l.calls from api_keys k
    cross join lateral jsonb_to_recordset(k.call_limits || '[{"per": "total"}]') as l(per text, calls bigint)
    where k.account_id = any($1::text[]) and (k.running_tasks > k.max_running_tasks or l.calls <
      case l.per ${windows.map((name) => `when '${name}' then k.calls_${name}`).join(' ')} end)`,

  // The row of a key names one task or call: so a key has one at the most.
  'a key that came with a request names its task, or its call while that is open': `select e.transfer_id, e.request_id, h.state from entries e
    join holds h using (transfer_id)
    left join idempotency_keys i on i.account_id = e.account_id and i.key = split_part(e.request_id, '/', 2)
    where e.account_id = any($1::text[]) and e.type = 'hold' and e.request_id not like 'req//%'
      and (e.task_id is not null or h.state = 'held')
      and (case when e.task_id is null then i.transfer_id = e.transfer_id and i.state = 'running'
        else i.task_id = e.task_id and i.state = 'done' end) is not true`,

  'a key of a call waits for an open one or has an answer that was paid': `select i.key, i.state, h.state from idempotency_keys i
    left join holds h on h.transfer_id = i.transfer_id where i.account_id = any($1::text[]) and i.task_id is null
    and (case i.state when 'running' then h.state = 'held' else h.state = 'captured' and i.answer is not null end) is not true`,

  'in arrears from a charge that was not covered to the next credit': `select a.id, a.in_arrears from accounts a
    where a.id = any($1::text[]) and a.in_arrears <> coalesce((select type = 'write_off' from entries
      where account_id = a.id and (type = 'credit' or (type = 'adjustment' and d_available > 0) or (type = 'write_off' and reason is null)) order by seq desc limit 1), false)`,
};
