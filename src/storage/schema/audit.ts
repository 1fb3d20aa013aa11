/** What an auditor reads besides: the log of administrative acts, and the audits that were made. */
import { sql } from 'drizzle-orm';
import { boolean, check, index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, moment, money } from './columns.ts';

/**
 * The log of administrative acts: who did what to which account or key, and what it has been since. Append-only, and
 * chained as the ledger's entries are; the head is in `chains`.
 */
export const acts = pgTable(
  'acts',
  {
    /** From 1, without a gap. */
    seq: money('seq').primaryKey(),
    at: moment('at').notNull(),
    /** `cli:<user of the machine>`, `key:<key id>`, `person:<person id>` or `tollgate` itself. */
    actor: text('actor').notNull(),
    action: text('action').notNull(),
    accountId: text('account_id'),
    /** The account or key that was changed. */
    subject: text('subject'),
    /** All that is set of the subject, as it is from then on. */
    facts: jsonb('facts'),
    /** What else there is to say, such as an amount. */
    details: jsonb('details'),
    reason: text('reason'),
    link: bytea('link').notNull(),
  },
  (table) => [
    index('acts_of_subject').on(table.subject, table.seq),
    index('acts_of_account').on(table.accountId, table.seq),
    check('acts_link_length', sql`octet_length(${table.link}) = 32`),
  ],
);

/** Heads of chains that belong to no account: how many rows, and the link of the last one. */
export const chains = pgTable('chains', {
  name: text('name').primaryKey(),
  seq: money('seq').notNull(),
  head: bytea('head').notNull(),
  /** When it began: what is older is not in it. */
  begunAt: moment('begun_at').notNull(),
});

/** Audits that were made, with what they found. */
export const audits = pgTable(
  'audits',
  {
    id: uuid('id').primaryKey(),
    startedAt: moment('started_at').notNull(),
    finishedAt: moment('finished_at').notNull(),
    /** Only what is newer was looked at. */
    since: moment('since'),
    agrees: boolean('agrees').notNull(),
    /** Counts of what was looked at, and the first of what disagrees. */
    report: jsonb('report').notNull(),
    /** The heads of all chains when it agreed: number and keyed hash of the list in the blob store (`audit/anchors.ts`). */
    anchor: jsonb('anchor'),
    /** Keyed hash over all of it. */
    seal: bytea('seal'),
  },
  (table) => [index('audits_order').on(table.finishedAt)],
);
