/** Events as an operator sees them: what became of each, and sending one again. */
import * as z from 'zod';
import type { AccountId } from '../domain/ids.ts';
import { administer, type Administrator } from '../ledger/audit-log.ts';
import type { Database } from '../postgres/database.ts';
import { computed, pick, row, type RowOf } from '../postgres/row.ts';
import { type Attempt, eventColumns } from './events.ts';

const attemptColumns = {
  attempt: z.number(),
  at: z.date(),
  durationMs: z.number(),
  status: z.number().nullable(),
  fault: z.string().nullable(),
  answer: z.string().nullable(),
};
const attemptRow = row(attemptColumns);
export type NumberedAttempt = RowOf<typeof attemptRow>;

const eventRow = row(
  pick(eventColumns, 'id', 'accountId', 'type', 'taskId', 'url', 'createdAt', 'startedAt', 'endedAt', 'delivered'),
);
const lastRow = row({
  attempts: computed('coalesce(d.attempt, 0)', z.number()),
  at: z.date().nullable(),
  durationMs: z.number().nullable(),
  ...pick(attemptColumns, 'status', 'fault'),
});

/** An event and its last attempt. */
export interface EventFacts extends Omit<RowOf<typeof eventRow>, 'url'> {
  /** Host and port; the rest of the address is the account's secret. */
  host: string;
  attempts: number;
  last: (Attempt & { at: Date }) | null;
}

function factsOf(read: unknown): EventFacts {
  const { url, ...event } = eventRow.parse(read);
  const { attempts, at, durationMs, status, fault } = lastRow.parse(read);
  const last = at === null ? null : { at, durationMs: durationMs ?? 0, status, fault };
  return { ...event, host: URL.canParse(url) ? new URL(url).host : '-', attempts, last };
}

const eventFacts = `${eventRow.columnsOf('e')}, ${lastRow.columnsOf('d')}
  from events e left join lateral (
    select * from deliveries where event_id = e.id order by attempt desc limit 1) d on true`;

/** What became of an event: `pending` goes on, `failed` was given up. */
export const eventStates = ['pending', 'delivered', 'failed'] as const;
export type EventState = (typeof eventStates)[number];

// In the words of the partial index of what was not delivered (`0020_operators_lists.sql`).
const stateConditions: Record<EventState, string> = {
  pending: 'e.delivered is not true and e.ended_at is null',
  delivered: 'e.delivered',
  failed: 'e.delivered is not true and e.ended_at is not null',
};

export interface EventFilter {
  account?: AccountId | undefined;
  state?: EventState | undefined;
  type?: string | undefined;
  limit: number;
  /** Only those that are older than this event. */
  after?: string | undefined;
}

/** Events, newest first. */
export async function listEvents(
  database: Database,
  { account, state, type, limit, after }: EventFilter,
): Promise<EventFacts[]> {
  // Ids are ordered by time, and their index is the only one of all events.
  const [newest, isBehind] =
    account === undefined
      ? ['e.id desc', 'e.id < $4']
      : ['e.created_at desc, e.id desc', '(e.created_at, e.id) < (select created_at, id from events where id = $4)'];
  const { rows } = await database.pool.query(
    `select ${eventFacts} where ($1::text is null or e.account_id = $1) and ($2::text is null or e.type = $2)
       and ${state === undefined ? 'true' : stateConditions[state]}
       and ($4::text is null or ${isBehind})
     order by ${newest} limit $3`,
    [account ?? null, type ?? null, limit, after ?? null],
  );
  return rows.map((row) => factsOf(row));
}

/** The event of this id, or that of the task of this id. */
export async function findEvent(database: Database, id: string): Promise<EventFacts | undefined> {
  const { rows } = await database.pool.query(`select ${eventFacts} where e.id = $1 or e.task_id = $1`, [id]);
  return rows[0] === undefined ? undefined : factsOf(rows[0]);
}

const dataRow = row({ data: z.unknown() });

/** What an event reports; null of a task, whose record is made anew for each attempt. */
export async function dataOfEvent(database: Database, event: string): Promise<unknown> {
  const { rows } = await database.pool.query('select data from events where id = $1', [event]);
  return rows[0] === undefined ? null : dataRow.parse(rows[0]).data;
}

/** All attempts to deliver an event, the first one first. */
export async function attemptsOf(database: Database, event: string): Promise<NumberedAttempt[]> {
  const { rows } = await database.pool.query(
    `select ${attemptRow.columns} from deliveries where event_id = $1 order by attempt`,
    [event],
  );
  return rows.map((row) => attemptRow.parse(row));
}

/**
 * Has an event that ended delivered again, as if it had just come: to the address that it was owed to, under its id. A task's
 * is sent as GET shows the task then, without links if its results are deleted. Returns whether the event had ended.
 */
export async function replayEvent(by: Administrator, id: string): Promise<boolean> {
  const replayed = await administer(by, async (client) => {
    const { rows } = await client.query(
      `update events set started_at = null, seen_at = null, ended_at = null, delivered = null
       where id = $1 and ended_at is not null returning ${accountRow.columns}`,
      [id],
    );
    if (rows[0] === undefined) return undefined;
    const { accountId: account } = accountRow.parse(rows[0]);
    const details = { event_id: id };
    return { act: { action: 'event.replayed', account, subject: null, details }, outcome: true };
  });
  return replayed ?? false;
}

const accountRow = row(pick(eventColumns, 'accountId'));
