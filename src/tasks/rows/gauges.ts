/** What the database says for `/metrics`, of all processes at once. One statement, each part of it bounded by an index or a limit. */
import * as z from 'zod';
import { micros, type Money } from '../../domain/money.ts';
import { taskKinds, taskStates } from '../../domain/tasks/task-states.ts';
import type { Database } from '../../postgres/database.ts';
import { startable } from './task-rows.ts';

/** Counting goes no further: reading 50,000 rows takes some 50 ms. */
export const countedMax = 50_000;
/** Of what should be few. */
export const fewMax = 10_000;

export interface Figures {
  /** Tasks that are not final. */
  unfinished: readonly { kind: string; state: string; count: number }[];
  unstarted: number;
  /** Tasks that wait for their keys' running ones. */
  queued: number;
  oldestUnstartedSeconds: number;
  /** Paid calls of unknown outcome that no operator has ticked off. */
  unknownOutcomes: number;
  /** Webhook events without a delivery, and with one that goes on. */
  eventsUnstarted: number;
  eventsUnderWay: number;
  oldestEventSeconds: number;
  held: Money;
  /** Holds of calls whose process died, not swept yet. */
  orphans: { count: number; held: Money };
}

/** Reads them. The sum of what is held reads all accounts: 100,000 of them take some 20 ms. */
export async function readFigures(database: Database): Promise<Figures> {
  const { rows } = await database.pool.query({ name: 'figures', text: figuresText, values: [countedMax, fewMax] });
  return z.tuple([figuresRow]).parse(rows)[0];
}

const seconds = (oldest: string) =>
  `coalesce(greatest(0, extract(epoch from clock_timestamp() - ${oldest})), 0)::float8`;

const figuresText = `select
  (select coalesce(json_agg(u), '[]') from (
    select kind, state, count(*)::integer as count
    from (select kind, state from tasks where finished_at is null limit $1) as under_way group by kind, state) as u
  ) as unfinished,
  (select count(*)::integer from (
    select 1 from tasks where started_at is null and finished_at is null and not queued limit $1) as w) as unstarted,
  (select ${seconds('min(since)')} from (
    select ${startable} as since from tasks where started_at is null and finished_at is null and not queued
    order by created_at limit $1) as w) as oldest_unstarted,
  (select count(*)::integer from (
    select 1 from tasks where queued and finished_at is null limit $1) as q) as queued,
  (select count(*)::integer from (
    select 1 from intents i where outcome = 'unknown'
      and not exists (select 1 from reviews r where r.task_id = i.task_id and r.route = i.route) limit $2) as u
  ) as unknown_outcomes,
  (select count(*)::integer from (
    select 1 from events where started_at is null and ended_at is null limit $1) as e) as events_unstarted,
  (select count(*)::integer from (
    select 1 from events where started_at is not null and ended_at is null limit $1) as e) as events_under_way,
  (select ${seconds('min(created_at)')} from events where started_at is null and ended_at is null) as oldest_event,
  (select coalesce(sum(held), 0)::bigint from accounts) as held,
  o.count as orphans, o.held as orphaned
from (
  select count(*)::integer as count, coalesce(sum(amount), 0)::bigint as held from (
    select h.amount from holds h where h.state = 'held' and h.owner is not null
      and not exists (select 1 from owners o where o.id = h.owner and o.expires_at > clock_timestamp())
    limit $2) as orphaned
) as o`;

const figuresRow = z
  .object({
    unfinished: z.array(z.object({ kind: z.enum(taskKinds), state: z.enum(taskStates), count: z.int() })),
    unstarted: z.int(),
    queued: z.int(),
    oldest_unstarted: z.number(),
    unknown_outcomes: z.int(),
    events_unstarted: z.int(),
    events_under_way: z.int(),
    oldest_event: z.number(),
    held: z.bigint(),
    orphans: z.int(),
    orphaned: z.bigint(),
  })
  .transform((row): Figures => ({
    unfinished: row.unfinished,
    unstarted: row.unstarted,
    queued: row.queued,
    oldestUnstartedSeconds: row.oldest_unstarted,
    unknownOutcomes: row.unknown_outcomes,
    eventsUnstarted: row.events_unstarted,
    eventsUnderWay: row.events_under_way,
    oldestEventSeconds: row.oldest_event,
    held: micros(row.held),
    orphans: { count: row.orphans, held: micros(row.orphaned) },
  }));
