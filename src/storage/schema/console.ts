/** Who may use the account console, how they came in, and what operators decided there. */
import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { accountRoles } from '../../domain/accounts/person-rules.ts';
import { accounts, apiKeys } from './accounts.ts';
import { bytea, moment, oneOf } from './columns.ts';
import { intents } from './tasks.ts';

/** People who sign in. Who was invited and never came has no row yet. */
export const people = pgTable(
  'people',
  {
    id: text('id').primaryKey(),
    /** In lower case. */
    email: text('email').notNull(),
    /** Argon2id, in its own encoded form. */
    passwordHash: text('password_hash').notNull(),
    /** Keyed hash over id and password hash: another password can't be written into the row. */
    passwordSeal: bytea('password_seal'),
    isOperator: boolean('is_operator').notNull().default(false),
    /** Keyed hash over id and address; who is no operator needs none. */
    operatorSeal: bytea('operator_seal'),
    /** From then on they can't sign in. */
    disabledAt: moment('disabled_at'),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('people_email').on(table.email),
    check('people_id_form', sql`${table.id} ~ '^usr_'`),
    check('people_email_form', sql`${table.email} = lower(${table.email}) and char_length(${table.email}) <= 255`),
  ],
);

/** What a person may do with an account. */
export const memberships = pgTable(
  'memberships',
  {
    personId: text('person_id')
      .notNull()
      .references(() => people.id),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id),
    role: text('role').notNull(),
    /** Keyed hash over person, account and role. */
    seal: bytea('seal'),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.personId, table.accountId] }),
    index('memberships_of_account').on(table.accountId),
    check('memberships_role', oneOf('role', accountRoles)),
  ],
);

/** Browsers that are signed in. A row goes when it is revoked or has expired. */
export const sessions = pgTable(
  'sessions',
  {
    id: text('id').primaryKey(),
    personId: text('person_id')
      .notNull()
      .references(() => people.id),
    /** Keyed hash of the cookie's value, which is stored nowhere. */
    tokenHash: bytea('token_hash').notNull(),
    /** Keyed hash that binds it to this person. */
    seal: bytea('seal').notNull(),
    /** What the browser says it is, shortened, and where it came from: for people to tell their sessions apart. */
    userAgent: text('user_agent').notNull(),
    address: text('address').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
    /** Written at most once a minute. */
    seenAt: moment('seen_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    uniqueIndex('sessions_token').on(table.tokenHash),
    index('sessions_of_person').on(table.personId),
    index('sessions_age').on(table.expiresAt),
  ],
);

/** One-time links by which somebody joins, or sets a new password. */
export const invitations = pgTable(
  'invitations',
  {
    id: text('id').primaryKey(),
    /** Keyed hash of the link's token, which is shown once. */
    tokenHash: bytea('token_hash').notNull(),
    /** Keyed hash over what the link offers to whom. */
    seal: bytea('seal'),
    email: text('email').notNull(),
    /** The account that is joined; null: none. */
    accountId: text('account_id').references(() => accounts.id),
    role: text('role'),
    makesOperator: boolean('makes_operator').notNull().default(false),
    /** As in the log of acts. */
    invitedBy: text('invited_by').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
    /** Null: still good, if it has not expired. */
    closedAt: moment('closed_at'),
    /** Whether it was used; else it was taken back. */
    isUsed: boolean('is_used').notNull().default(false),
  },
  (table) => [
    uniqueIndex('invitations_token').on(table.tokenHash),
    index('invitations_order').on(table.createdAt),
    check('invitations_role', sql`(${table.accountId} is null) = (${table.role} is null)`),
    check('invitations_email_form', sql`${table.email} = lower(${table.email}) and char_length(${table.email}) <= 255`),
    check('invitations_use', sql`${table.closedAt} is not null or not ${table.isUsed}`),
  ],
);

/** The key under whose name an account's calls from the playground are booked. Nobody has ever seen its secret. */
export const playgroundKeys = pgTable('playground_keys', {
  accountId: text('account_id')
    .primaryKey()
    .references(() => accounts.id),
  keyId: text('key_id')
    .notNull()
    .references(() => apiKeys.id),
});

/** What operators switched of models, over what the configuration says; null leaves it at that. */
export const modelSwitches = pgTable(
  'model_switches',
  {
    model: text('model').primaryKey(),
    published: boolean('published'),
    maintenance: boolean('maintenance'),
    setBy: text('set_by').notNull(),
    setAt: moment('set_at').notNull(),
  },
  (table) => [
    check('model_switches_say_something', sql`${table.published} is not null or ${table.maintenance} is not null`),
  ],
);

/** Paid calls of unknown outcome that an operator has dealt with. */
export const reviews = pgTable(
  'reviews',
  {
    taskId: text('task_id').notNull(),
    route: integer('route').notNull(),
    reviewedBy: text('reviewed_by').notNull(),
    reviewedAt: moment('reviewed_at').notNull(),
    /** What was found out, in the operator's words. */
    note: text('note').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.taskId, table.route] }),
    foreignKey({
      columns: [table.taskId, table.route],
      foreignColumns: [intents.taskId, intents.route],
      name: 'reviews_intent',
    }),
    check('reviews_note', sql`char_length(${table.note}) between 1 and 500`),
  ],
);
