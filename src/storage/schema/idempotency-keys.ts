/** What makes a creation safe to send again. */
import { sql } from 'drizzle-orm';
import { check, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { accounts } from './accounts.ts';
import { bytea, moment, oneOf } from './columns.ts';
import { tasks } from './tasks.ts';

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
