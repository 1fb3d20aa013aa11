/** What is owed to webhooks, and every attempt to deliver it. */
import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';
import { moment } from './columns.ts';
import { tasks } from './tasks.ts';

/** Events that are owed to a webhook, written by the transaction that they tell of; each is delivered by a workflow of its own. */
export const events = pgTable(
  'events',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    type: text('type').notNull(),
    url: text('url').notNull(),
    /** What is told. Of a task nothing is kept: its record, with links, is made anew for each attempt. */
    data: jsonb('data'),
    /** The task whose end this tells of. */
    taskId: text('task_id').references(() => tasks.id),
    createdAt: moment('created_at').notNull(),
    /** When Temporal acknowledged the start of the delivery. */
    startedAt: moment('started_at'),
    seenAt: moment('seen_at'),
    endedAt: moment('ended_at'),
    delivered: boolean('delivered'),
  },
  (table) => [
    index('events_to_start').on(table.createdAt).where(sql.raw('started_at is null')),
    index('events_under_way').on(table.startedAt).where(sql.raw('started_at is not null and ended_at is null')),
    index('events_of_account').on(table.accountId, table.createdAt),
    // One event an end; it is also how the events of a task are found.
    uniqueIndex('events_of_task').on(table.taskId).where(sql.raw('task_id is not null')),
    check('events_tell_something', sql`(${table.data} is null) = (${table.taskId} is not null)`),
    check('events_end', sql`(${table.endedAt} is null) = (${table.delivered} is null)`),
  ],
);

/** Every attempt to deliver an event. */
export const deliveries = pgTable(
  'deliveries',
  {
    eventId: text('event_id')
      .notNull()
      .references(() => events.id),
    attempt: integer('attempt').notNull(),
    at: moment('at').notNull(),
    durationMs: integer('duration_ms').notNull(),
    /** The HTTP status of the answer, if there was one. */
    status: integer('status'),
    /** Why it did not arrive, in words that hold no address. */
    fault: text('fault'),
  },
  (table) => [primaryKey({ columns: [table.eventId, table.attempt] })],
);
