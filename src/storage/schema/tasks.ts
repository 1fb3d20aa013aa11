/** Tasks, their paid calls, and what providers can take. */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { finalTaskStates, taskKinds, taskStates } from '../../domain/tasks/task-states.ts';
import { accounts, apiKeys } from './accounts.ts';
import { holds } from './ledger.ts';
import { bytea, moment, money, oneOf } from './columns.ts';

/**
 * Tasks: the row is the truth, the workflow only the engine that drives it. Range-partitioned by kind and month on the id
 * (migration 0008), so that what looks one up by its id opens one partition.
 */
export const tasks = pgTable(
  'tasks',
  {
    id: text('id').primaryKey(),
    kind: text('kind').notNull(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    keyId: text('key_id')
      .notNull()
      .references(() => apiKeys.id),
    requestId: text('request_id').notNull(),
    model: text('model').notNull(),
    state: text('state').notNull().default('accepted'),
    /** The parsed request; cleared when the result is deleted. */
    request: jsonb('request'),
    /** The caller's stored files of an avatar-talk task. */
    uploads: jsonb('uploads'),
    /** Price, routes, provider kinds and deadlines as they were at admission. */
    terms: jsonb('terms').notNull(),
    transferId: uuid('transfer_id').notNull(),
    holdAmount: money('hold_amount').notNull(),
    createdAt: moment('created_at').notNull(),
    /** When Temporal acknowledged the workflow's start. */
    startedAt: moment('started_at'),
    /** The last sign of life that the slow scan goes by. */
    seenAt: moment('seen_at'),
    finishedAt: moment('finished_at'),
    files: jsonb('files'),
    durationMs: money('duration_ms'),
    cost: money('cost'),
    balanceAfter: money('balance_after'),
    errorCode: text('error_code'),
    errorMessage: text('error_message'),
    errorParam: text('error_param'),
    /** Whole seconds after which another try makes sense. */
    errorRetryAfter: integer('error_retry_after'),
    /** SHA-256 of the error's message, which stays when that is deleted with the request. */
    errorDigest: bytea('error_digest'),
    /** Why the task is about to fail, as the step that found it wrote it; null once it has ended. */
    failure: jsonb('failure'),
    cancelPending: boolean('cancel_pending').notNull().default(false),
    fetchOwner: uuid('fetch_owner'),
    fetchUntil: moment('fetch_until'),
    /** When media and request were deleted: fetched, expired or past retention. */
    removedAt: moment('removed_at'),
    /** SHA-256 of request and uploads, which stays when they are deleted. */
    requestDigest: bytea('request_digest'),
    /** Keyed hashes over what the task was admitted with, and over how it ended (`ledger/seals.ts`). */
    seal: bytea('seal'),
    endSeal: bytea('end_seal'),
  },
  (table) => [
    foreignKey({ columns: [table.transferId], foreignColumns: [holds.transferId], name: 'tasks_hold' }),
    index('tasks_account_order').on(table.accountId, table.createdAt),
    // People filter their lists by these; without them a rare key, kind or model reads all of an account's tasks.
    index('tasks_of_key').on(table.keyId, table.createdAt),
    index('tasks_of_kind').on(table.accountId, table.kind, table.createdAt),
    index('tasks_of_model').on(table.accountId, table.model, table.createdAt),
    // Not by state, which changes once more in a task's life: that change would have to write all indexes.
    index('tasks_with_error').on(table.accountId, table.createdAt).where(sql.raw('error_code is not null')),
    index('tasks_removed')
      .on(table.accountId, table.createdAt)
      .where(sql.raw('removed_at is not null and error_code is null')),
    index('tasks_model_outcomes').on(table.model, table.finishedAt),
    index('tasks_cancel_pending').on(table.finishedAt).where(sql.raw('cancel_pending')),
    index('tasks_to_start').on(table.createdAt).where(sql.raw(`started_at is null and finished_at is null`)),
    index('tasks_under_way').on(table.startedAt).where(sql.raw(`finished_at is null`)),
    // What an upstream said may quote the request, so it goes when that does.
    index('tasks_error_messages')
      .on(table.finishedAt)
      .where(sql.raw('error_message is not null and error_digest is not null')),
    index('tasks_to_remove')
      .on(table.kind, table.finishedAt)
      .where(sql.raw('removed_at is null and finished_at is not null')),
    check('tasks_kind', oneOf('kind', taskKinds)),
    check('tasks_state', oneOf('state', taskStates)),
    check('tasks_final_has_time', sql`(${oneOf('state', finalTaskStates)}) = (${table.finishedAt} is not null)`),
    check(
      'tasks_success_has_result',
      sql`(${table.state} = 'succeeded') = (${table.cost} is not null and ${table.files} is not null)`,
    ),
    check(
      'tasks_failure_has_error',
      sql`(${table.state} in ('failed', 'cancelled')) = (${table.errorCode} is not null)`,
    ),
  ],
);

/** Written before each paid call: the attempt whose insert succeeded is the only one that may send. */
export const intents = pgTable(
  'intents',
  {
    taskId: text('task_id')
      .notNull()
      .references(() => tasks.id),
    /** Index into the task's routes. */
    route: integer('route').notNull(),
    nonce: uuid('nonce').notNull(),
    provider: text('provider').notNull(),
    outcome: text('outcome').notNull().default('open'),
    jobId: text('job_id'),
    /** Blobs of an answer that was the result itself. */
    blobKeys: text('blob_keys').array(),
    error: jsonb('error'),
    /** The provider's own id of the call, to name it in a question to them. */
    upstreamRequestId: text('upstream_request_id'),
    /** Why nobody knows what became of it, or why its job was not stopped when the task ended. */
    reason: text('reason'),
    createdAt: moment('created_at').notNull().defaultNow(),
    sentBefore: moment('sent_before').notNull(),
    closedAt: moment('closed_at'),
    /** How often the provider was too busy to take it. */
    busyCount: integer('busy_count').notNull().default(0),
    /** Of one that a busy provider refused: from then on it may be sent again. */
    busyUntil: moment('busy_until'),
    /** Of one that is sent again: when it was sent first. */
    firstCreatedAt: moment('first_created_at'),
  },
  (table) => [
    primaryKey({ columns: [table.taskId, table.route] }),
    // What an operator asks for; they are few.
    index('intents_unknown').on(table.createdAt).where(sql.raw(`outcome = 'unknown'`)),
    index('intents_error_messages').on(table.closedAt).where(sql.raw(`error ? 'message'`)),
    check('intents_outcome', oneOf('outcome', ['open', 'accepted', 'finished', 'refused', 'unknown'])),
    check('intents_accepted_has_job', sql`(${table.outcome} = 'accepted') = (${table.jobId} is not null)`),
    check('intents_busy_was_refused', sql`${table.busyUntil} is null or ${table.outcome} = 'refused'`),
    check('intents_closed_has_time', sql`(${table.outcome} = 'open') = (${table.closedAt} is null)`),
  ],
);

/** The create rate of each provider that has one: whoever moves the slot on may send at the time that it had. */
export const providerRates = pgTable('provider_rates', {
  provider: text('provider').primaryKey(),
  nextSlotAt: moment('next_slot_at').notNull(),
});

/** Jobs at providers with a bound on unfinished ones; a row whose task is final no longer counts, and goes. */
export const providerJobs = pgTable(
  'provider_jobs',
  {
    provider: text('provider').notNull(),
    taskId: text('task_id')
      .notNull()
      .references(() => tasks.id),
  },
  (table) => [primaryKey({ columns: [table.provider, table.taskId] })],
);

/**
 * Responses that an upstream keeps: whose they are, and which provider made them. An upstream may give an id twice, so
 * each account has a row of its own. `context_tokens`: what goes on from it is charged for besides, once that was told.
 */
export const responses = pgTable(
  'responses',
  {
    id: text('id').notNull(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    model: text('model').notNull(),
    provider: text('provider').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
    contextTokens: bigint('context_tokens', { mode: 'bigint' }),
  },
  (table) => [primaryKey({ columns: [table.id, table.accountId] }), index('responses_age').on(table.createdAt)],
);
