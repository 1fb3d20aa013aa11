/** Batches that are handed to their providers: a row each, written before the paid create, so that it is sent at most once. */
import * as z from 'zod';
import type { Money } from '../domain/money.ts';
import type { Database } from '../postgres/database.ts';
import type { RequestCounts } from '../providers/batch-contract.ts';
import { money, row, type RowOf } from '../postgres/row.ts';

type Pool = Pick<Database, 'pool'>;

const intentRow = row({
  batchId: z.string(),
  /** Of the settings, and what it calls the model. */
  provider: z.string(),
  model: z.string(),
  /** As the migration describes them. */
  state: z.enum(['planned', 'preparing', 'open', 'accepted', 'ended', 'collected', 'refused', 'unknown']),
  estimate: money,
  bytes: z.bigint().transform(Number),
  inputFile: z.string().nullable(),
  jobId: z.string().nullable(),
  endedAs: z.enum(['completed', 'expired', 'cancelled']).nullable(),
  results: z.array(z.string()).nullable(),
  openedAt: z.date().nullable(),
  cancelAskedAt: z.date().nullable(),
});

export type BatchIntent = RowOf<typeof intentRow>;

export async function findIntent({ pool }: Pool, batchId: string): Promise<BatchIntent | undefined> {
  const { rows } = await pool.query(`select ${intentRow.columns} from batch_intents where batch_id = $1`, [batchId]);
  return rows[0] === undefined ? undefined : intentRow.parse(rows[0]);
}

const untouchedRow = z.object({ isUntouched: z.boolean() });

/** Whether a batch has a day or more, as the batch APIs of providers take one, and no line of it was begun. */
export async function isUntouched({ pool }: Pool, batchId: string): Promise<boolean> {
  const { rows } = await pool.query(
    `select window_seconds >= 86400 and not exists (
       select from batch_lines where batch_id = $1 and (state <> 'pending' or sends > 0 or owner is not null)
     ) as "isUntouched" from batches where id = $1`,
    [batchId],
  );
  return rows[0] !== undefined && untouchedRow.parse(rows[0]).isUntouched;
}

export interface NewIntent {
  batchId: string;
  accountId: string;
  provider: string;
  model: string;
  /** With a reason its lines are run one by one. */
  refused?: string;
  estimate: Money;
  bytes: number;
}

/** Writes what was found of a batch, once. */
export async function insertIntent({ pool }: Pool, intent: NewIntent): Promise<void> {
  const { batchId, accountId, provider, model, refused, estimate, bytes } = intent;
  await pool.query(
    `insert into batch_intents (batch_id, account_id, provider, model, state, reason, estimate, bytes)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (batch_id) do nothing`,
    [
      batchId,
      accountId,
      provider,
      model,
      refused === undefined ? 'planned' : 'refused',
      refused ?? null,
      estimate,
      bytes,
    ],
  );
}

/**
 * Begins an attempt to prepare a batch, if the account's balance covers what it is expected to cost besides what is
 * expected of its other native batches. From then on an older attempt creates nothing. Returns whether it may go on.
 */
export async function beginPreparing({ pool }: Pool, batchId: string, nonce: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update batch_intents i set state = 'preparing', nonce = $2 from accounts a
     where i.batch_id = $1 and i.state in ('planned', 'preparing') and a.id = i.account_id
       and a.available >= i.estimate + coalesce((
         select sum(o.estimate) from batch_intents o where o.account_id = i.account_id and o.batch_id <> i.batch_id
           and o.state in ('preparing', 'open', 'accepted', 'ended')), 0)`,
    [batchId, nonce],
  );
  return rowCount === 1;
}

/** Notes that the create is about to be sent. Returns false, and it must not be, where another attempt was begun. */
export async function openIntent({ pool }: Pool, batchId: string, nonce: string, inputFile?: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update batch_intents set state = 'open', input_file = $3, opened_at = clock_timestamp()
     where batch_id = $1 and nonce = $2 and state = 'preparing'`,
    [batchId, nonce, inputFile ?? null],
  );
  return rowCount === 1;
}

/** Notes that nothing came of the create, so that another may be sent. */
export async function reopenIntent({ pool }: Pool, batchId: string, nonce: string): Promise<void> {
  await pool.query(
    `update batch_intents set state = 'preparing', opened_at = null where batch_id = $1 and nonce = $2 and state = 'open'`,
    [batchId, nonce],
  );
}

/** Returns false where it was given up meanwhile. */
export async function acceptIntent({ pool }: Pool, batchId: string, jobId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update batch_intents set state = 'accepted', job_id = $2, accepted_at = clock_timestamp()
     where batch_id = $1 and (state = 'open' or (state = 'accepted' and job_id = $2))`,
    [batchId, jobId],
  );
  return rowCount === 1;
}

/** Its lines are run one by one from now on: nothing of it was carried out. */
export async function refuseIntent({ pool }: Pool, batchId: string, reason: string): Promise<void> {
  await pool.query(
    `update batch_intents set state = 'refused', reason = $2
     where batch_id = $1 and state in ('planned', 'preparing', 'open', 'accepted')`,
    [batchId, reason],
  );
}

export async function noteCancelAsked({ pool }: Pool, batchId: string): Promise<void> {
  await pool.query('update batch_intents set cancel_asked_at = clock_timestamp() where batch_id = $1', [batchId]);
}

/** How far the provider is, for those who watch: what of it is charged is seen when its results are collected. */
export async function noteDone({ pool }: Pool, batchId: string, { completed, failed }: RequestCounts): Promise<void> {
  await pool.query('update batch_intents set done_completed = $2, done_failed = $3 where batch_id = $1', [
    batchId,
    completed,
    failed,
  ]);
}

export async function noteEnded(
  { pool }: Pool,
  batchId: string,
  { endedAs, results }: { endedAs: string; results: readonly string[] },
): Promise<void> {
  await pool.query(
    `update batch_intents set state = 'ended', ended_as = $2, results = $3, ended_at = clock_timestamp()
     where batch_id = $1 and state = 'accepted'`,
    [batchId, endedAs, JSON.stringify(results)],
  );
}

/** All its results are collected: lines that have none are run one by one, as far as they still may. */
export async function noteCollected({ pool }: Pool, batchId: string): Promise<void> {
  await pool.query(
    `update batch_intents set state = 'collected', collected_at = clock_timestamp() where batch_id = $1 and state = 'ended'`,
    [batchId],
  );
}

/** What became of it will not be known: the lines without an end have none that is, cost nothing, and are not run again. */
export async function giveUpIntent({ pool }: Pool, batchId: string, reason: string): Promise<number> {
  const { rowCount } = await pool.query(
    `with given as (
       update batch_intents set state = 'unknown', reason = $2
       where batch_id = $1 and state in ('open', 'accepted', 'ended', 'unknown') returning 1
     )
     update batch_lines set ${unknownEnd} where batch_id = $1 and state = 'pending' and exists (select from given)`,
    [batchId, reason],
  );
  return rowCount ?? 0;
}

const unknownEnd = `state = 'unknown', error_code = 'outcome_unknown', cost = 0, owner = null, lease_until = null,
  finished_at = clock_timestamp()`;

/** Ends the lines of a job that is complete and has no result for them. Returns how many. */
export async function endMissing({ pool }: Pool, batchId: string, seen: readonly number[]): Promise<number> {
  const { rowCount } = await pool.query(
    `update batch_lines set ${unknownEnd} where batch_id = $1 and state = 'pending' and n <> all($2::integer[])`,
    [batchId, seen],
  );
  return rowCount ?? 0;
}

const countRow = z.object({ sent: z.int() });

/** Lines that are just being settled, or were by a process that died. */
export async function countSent({ pool }: Pool, batchId: string): Promise<number> {
  const { rows } = await pool.query(
    `select count(*)::int as sent from batch_lines where batch_id = $1 and state = 'sent'`,
    [batchId],
  );
  return countRow.parse(rows[0]).sent;
}
