/** Whose money it is, and who may spend it. */
import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { keyLevels } from '../../domain/accounts/key-rules.ts';
import { bytea, moment, money, oneOf } from './columns.ts';

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
    /** Where its tasks' events go that name no address of their own, and its own events. */
    webhookUrl: text('webhook_url'),
    /** Below this (available and held together) the account is low: crossing it is an event. */
    lowBalance: money('low_balance'),
    isLow: boolean('is_low').notNull().default(false),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    check('accounts_id_form', sql`${table.id} ~ '^acc_'`),
    check('accounts_name_length', sql`char_length(${table.name}) between 1 and 200`),
    check('accounts_status', oneOf('status', ['active', 'suspended'])),
    check('accounts_never_below_zero', sql`${table.available} >= 0 and ${table.held} >= 0`),
    check('accounts_chain_length', sql`octet_length(${table.chain}) = 32`),
    check('accounts_low_balance', sql`${table.lowBalance} > 0`),
    check('accounts_is_low', sql`${table.lowBalance} is not null or not ${table.isLow}`),
  ],
);

/**
 * API keys, with their counters: one row a key, locked by the admission that counts. `counted_at` tells which window
 * the counters belong to; a counter of a window that has passed counts as zero. `since_…` are the numbers of the account's
 * entries with which the windows began, `clock_back_at` a clock that was found set back (`domain/billing/admission.ts`).
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
    /** Keyed hash of the key (`ledger/access-seals.ts`); the key itself is stored nowhere. */
    hash: bytea('hash').notNull(),
    /** Keyed hash that binds it to this id, account and level. */
    seal: bytea('seal'),
    start: text('start').notNull(),
    last4: text('last4').notNull(),
    models: text('models').array(),
    callLimits: jsonb('call_limits').notNull().default([]),
    spendLimit: jsonb('spend_limit'),
    maxRunningTasks: integer('max_running_tasks'),
    expiresAt: moment('expires_at'),
    revokedAt: moment('revoked_at'),
    createdAt: moment('created_at').notNull().defaultNow(),
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
    sinceMinute: money('since_minute')
      .notNull()
      .default(sql`0`),
    sinceHour: money('since_hour')
      .notNull()
      .default(sql`0`),
    sinceDay: money('since_day')
      .notNull()
      .default(sql`0`),
    sinceMonth: money('since_month')
      .notNull()
      .default(sql`0`),
    sinceTotal: money('since_total')
      .notNull()
      .default(sql`0`),
    clockBackAt: moment('clock_back_at'),
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

/** When a key was last used, for people; written at most once a minute and process, apart from the rows that are audited. */
export const keyUses = pgTable('key_uses', {
  keyId: text('key_id')
    .primaryKey()
    .references(() => apiKeys.id),
  lastUsedAt: moment('last_used_at').notNull(),
});

/** What webhook secrets are derived from, by account; a rotated one signs until it retires. */
export const webhookSecrets = pgTable(
  'webhook_secrets',
  {
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    salt: bytea('salt').notNull(),
    /** Which of the operator's secrets it is derived under. */
    secretId: text('secret_id').notNull(),
    createdAt: moment('created_at').notNull(),
    /** Null: it is the account's own. */
    retiresAt: moment('retires_at'),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.salt] }),
    uniqueIndex('webhook_secrets_current').on(table.accountId).where(sql.raw('retires_at is null')),
  ],
);
