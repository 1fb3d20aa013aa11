/** The money: holds, entries, and who answers for holds. */
import { sql } from 'drizzle-orm';
import { check, index, jsonb, numeric, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { entryTypes } from '../../domain/billing/postings.ts';
import { bytea, moment, money, oneOf } from './columns.ts';

/**
 * One row a task or call: the once-only guard of its money. Range-partitioned on the transfer id (a UUIDv7, so by
 * time), which is therefore in every unique key. Holds and entries have no foreign keys: the statement that writes them
 * changes their account's and key's rows too, and neither is ever deleted (a trigger refuses it); checking that again
 * for each row took a third of a commit.
 */
export const holds = pgTable(
  'holds',
  {
    transferId: uuid('transfer_id').primaryKey(),
    accountId: text('account_id').notNull(),
    keyId: text('key_id').notNull(),
    /** The task's id, or the request's id of a call. */
    subject: text('subject').notNull(),
    amount: money('amount').notNull(),
    state: text('state').notNull().default('held'),
    /** The process whose lease keeps a call's hold alive while it is held; tasks need none. */
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
    accountId: text('account_id').notNull(),
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
    keyId: text('key_id'),
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
    // By its hold, the other entries of a request share the transfer.
    index('entries_request').on(table.requestId).where(sql.raw(`type = 'hold'`)),
    check('entries_type', oneOf('type', entryTypes)),
    check(
      'entries_sum_to_zero',
      sql`${table.available} + ${table.held} + ${table.revenue} + ${table.topUps} + ${table.adjustments} + ${table.writeOffs} = 0`,
    ),
    check('entries_never_below_zero', sql`${table.availableAfter} >= 0 and ${table.heldAfter} >= 0`),
  ],
);

/** Processes that hold money for calls, with the leases that they renew: an expired one's holds are swept. */
export const owners = pgTable('owners', {
  id: uuid('id').primaryKey(),
  expiresAt: moment('expires_at').notNull(),
});
