/**
 * The tables, as drizzle sees them. `drizzle-kit generate` makes the migrations from this file; what it can't say
 * (partitions, append-only triggers) stands in migrations written by hand, named so in `migrations/`.
 */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  customType,
  foreignKey,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { finalTaskStates, taskKinds, taskStates } from '../domain/tasks.ts';
import { entryTypes } from '../domain/ledger.ts';
import { keyLevels } from '../domain/keys.ts';

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const moment = (name: string) => timestamp(name, { withTimezone: true });
const money = (name: string) => bigint(name, { mode: 'bigint' });
const oneOf = (column: string, values: readonly string[]) =>
  sql.raw(`${column} in (${values.map((value) => `'${value}'`).join(', ')})`);

/** Customers. `available` and `held` are kept by the transaction that writes the entries, never on their own. */
export const accounts = pgTable(
  'accounts',
  {
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    status: text('status').notNull().default('active'),
    available: money('available')
      .notNull()
      .default(sql`0`),
    held: money('held')
      .notNull()
      .default(sql`0`),
    /** A charge had to be written off for want of money: refused until credited. */
    inArrears: boolean('in_arrears').notNull().default(false),
    /** Number of the newest entry, and so the count of all: they are numbered from 1 without a gap. */
    seq: money('seq')
      .notNull()
      .default(sql`0`),
    /** Head of the keyed hash chain over the account's entries. */
    chain: bytea('chain').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    check('accounts_id_form', sql`${table.id} ~ '^acc_'`),
    check('accounts_name_length', sql`char_length(${table.name}) between 1 and 200`),
    check('accounts_status', oneOf('status', ['active', 'suspended'])),
    check('accounts_never_below_zero', sql`${table.available} >= 0 and ${table.held} >= 0`),
    check('accounts_chain_length', sql`octet_length(${table.chain}) = 32`),
  ],
);

/**
 * API keys, with their counters: one row a key, locked by the admission that counts. `counted_at` tells which window
 * the counters belong to; a counter of a window that has passed counts as zero.
 */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    name: text('name').notNull(),
    level: text('level').notNull(),
    /** SHA-256 of the key; the key itself is stored nowhere. */
    hash: bytea('hash').notNull(),
    start: text('start').notNull(),
    last4: text('last4').notNull(),
    models: text('models').array(),
    callLimits: jsonb('call_limits').notNull().default([]),
    spendLimit: jsonb('spend_limit'),
    maxRunningTasks: integer('max_running_tasks'),
    expiresAt: moment('expires_at'),
    revokedAt: moment('revoked_at'),
    createdAt: moment('created_at').notNull().defaultNow(),
    /** Of any request; written at most once a minute and process. */
    lastUsedAt: moment('last_used_at'),
    countedAt: moment('counted_at'),
    callsMinute: money('calls_minute')
      .notNull()
      .default(sql`0`),
    callsHour: money('calls_hour')
      .notNull()
      .default(sql`0`),
    callsDay: money('calls_day')
      .notNull()
      .default(sql`0`),
    callsMonth: money('calls_month')
      .notNull()
      .default(sql`0`),
    callsTotal: money('calls_total')
      .notNull()
      .default(sql`0`),
    spentMinute: money('spent_minute')
      .notNull()
      .default(sql`0`),
    spentHour: money('spent_hour')
      .notNull()
      .default(sql`0`),
    spentDay: money('spent_day')
      .notNull()
      .default(sql`0`),
    spentMonth: money('spent_month')
      .notNull()
      .default(sql`0`),
    spentTotal: money('spent_total')
      .notNull()
      .default(sql`0`),
    runningTasks: integer('running_tasks').notNull().default(0),
  },
  (table) => [
    uniqueIndex('api_keys_hash').on(table.hash),
    index('api_keys_account').on(table.accountId),
    check('api_keys_id_form', sql`${table.id} ~ '^key_'`),
    check('api_keys_level', oneOf('level', keyLevels)),
    check('api_keys_hash_length', sql`octet_length(${table.hash}) = 32`),
    check(
      'api_keys_counters',
      sql`${table.runningTasks} >= 0 and ${table.callsTotal} >= 0 and ${table.spentTotal} >= 0`,
    ),
  ],
);

/**
 * One row a task or call: the once-only guard of its money. Range-partitioned on the transfer id (a UUIDv7, so by
 * time), which is therefore in every unique key.
 */
export const holds = pgTable(
  'holds',
  {
    transferId: uuid('transfer_id').primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    keyId: text('key_id')
      .notNull()
      .references(() => apiKeys.id),
    /** The task's id, or the request's id of a call. */
    subject: text('subject').notNull(),
    amount: money('amount').notNull(),
    state: text('state').notNull().default('held'),
    /** The process whose lease keeps a call's hold alive; tasks need none. */
    owner: uuid('owner'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    index('holds_of_calls_under_way').on(table.owner).where(sql.raw(`state = 'held' and owner is not null`)),
    check('holds_amount', sql`${table.amount} >= 0`),
    check('holds_state', oneOf('state', ['held', 'captured', 'released'])),
  ],
);

/**
 * The ledger. An entry's legs (columns `d_…`) are what it adds to each ledger account; they sum to zero, the database
 * sees to it. Nothing is ever updated or deleted here: a trigger refuses both.
 */
export const entries = pgTable(
  'entries',
  {
    transferId: uuid('transfer_id').notNull(),
    type: text('type').notNull(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    /** The account's own numbering: the order of its ledger and the cursor of its pages. */
    seq: money('seq').notNull(),
    createdAt: moment('created_at').notNull(),
    available: money('d_available').notNull(),
    held: money('d_held').notNull(),
    revenue: money('d_revenue').notNull(),
    topUps: money('d_top_ups').notNull(),
    adjustments: money('d_adjustments').notNull(),
    writeOffs: money('d_write_offs').notNull(),
    availableAfter: money('available_after').notNull(),
    heldAfter: money('held_after').notNull(),
    keyId: text('key_id').references(() => apiKeys.id),
    taskId: text('task_id'),
    requestId: text('request_id'),
    model: text('model'),
    units: numeric('units', { precision: 18, scale: 3 }),
    unit: text('unit'),
    unitPrice: money('unit_price'),
    lines: jsonb('lines'),
    priceVersion: text('price_version'),
    usageSource: text('usage_source'),
    reason: text('reason'),
    /** Only on the last entry that a commit gave the account: the chain's head after it. */
    link: bytea('link'),
  },
  (table) => [
    primaryKey({ columns: [table.transferId, table.type] }),
    index('entries_account_order').on(table.accountId, table.seq),
    index('entries_task').on(table.taskId).where(sql.raw('task_id is not null')),
    index('entries_request').on(table.requestId),
    check('entries_type', oneOf('type', entryTypes)),
    check(
      'entries_sum_to_zero',
      sql`${table.available} + ${table.held} + ${table.revenue} + ${table.topUps} + ${table.adjustments} + ${table.writeOffs} = 0`,
    ),
    check('entries_never_below_zero', sql`${table.availableAfter} >= 0 and ${table.heldAfter} >= 0`),
  ],
);

/** Tasks: the row is the truth, the workflow only the engine that drives it. */
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
    cancelPending: boolean('cancel_pending').notNull().default(false),
    fetchOwner: uuid('fetch_owner'),
    fetchUntil: moment('fetch_until'),
    /** When media and request were deleted: fetched, expired or past retention. */
    removedAt: moment('removed_at'),
  },
  (table) => [
    foreignKey({ columns: [table.transferId], foreignColumns: [holds.transferId], name: 'tasks_hold' }),
    index('tasks_account_order').on(table.accountId, table.createdAt),
    index('tasks_model_outcomes').on(table.model, table.finishedAt),
    index('tasks_cancel_pending').on(table.finishedAt).where(sql.raw('cancel_pending')),
    index('tasks_to_start').on(table.createdAt).where(sql.raw(`started_at is null and finished_at is null`)),
    index('tasks_under_way').on(table.startedAt).where(sql.raw(`finished_at is null`)),
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
    createdAt: moment('created_at').notNull().defaultNow(),
    sentBefore: moment('sent_before').notNull(),
    closedAt: moment('closed_at'),
  },
  (table) => [
    primaryKey({ columns: [table.taskId, table.route] }),
    check('intents_outcome', oneOf('outcome', ['open', 'accepted', 'finished', 'refused', 'unknown'])),
    check('intents_accepted_has_job', sql`(${table.outcome} = 'accepted') = (${table.jobId} is not null)`),
    check('intents_closed_has_time', sql`(${table.outcome} = 'open') = (${table.closedAt} is null)`),
  ],
);

/** Idempotency keys, inserted by the admission that they guard. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    key: text('key').notNull(),
    bodyHash: bytea('body_hash').notNull(),
    state: text('state').notNull(),
    owner: uuid('owner'),
    taskId: text('task_id').references(() => tasks.id),
    /** The hold of a call under way: whoever closes it decides what becomes of the key. */
    transferId: uuid('transfer_id'),
    /** Blob of a stored chat answer. */
    answer: text('answer'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.key] }),
    index('idempotency_keys_of_calls').on(table.transferId),
    index('idempotency_keys_age').on(table.createdAt),
    check('idempotency_keys_length', sql`char_length(${table.key}) between 1 and 255`),
    check('idempotency_keys_state', oneOf('state', ['running', 'done'])),
  ],
);

/** Processes that hold money for calls, with the leases that they renew: an expired one's holds are swept. */
export const owners = pgTable('owners', {
  id: uuid('id').primaryKey(),
  expiresAt: moment('expires_at').notNull(),
});

/** Responses that an upstream keeps: whose they are, and which provider made them. */
export const responses = pgTable(
  'responses',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    model: text('model').notNull(),
    provider: text('provider').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [index('responses_age').on(table.createdAt)],
);

/** Facts of this installation, by name; the fingerprint of TOLLGATE_SECRET is one. */
export const installation = pgTable('installation', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
});
