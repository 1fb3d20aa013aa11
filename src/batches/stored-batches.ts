/** The rows of batches, as the API, the scans and the steps before and after the lines read and write them. */
import type pg from 'pg';
import * as z from 'zod';
import { batchPauses, batchStates, type BatchState } from '../domain/batches/batch-states.ts';
import type { ShownBatch } from '../domain/batches/batch-object.ts';
import { batchEndpoints } from '../domain/batches/endpoints.ts';
import { type BatchTerms, batchTermsJson, parseBatchTerms } from '../domain/batches/terms.ts';
import type { AccountId, KeyId } from '../domain/ids.ts';
import type { BatchRequest } from '../domain/requests/batch-request.ts';
import { administer, type Administrator } from '../ledger/audit-log.ts';
import type { Database } from '../postgres/database.ts';
import { bytes, computed, id, money, pick, row, type RowOf } from '../postgres/row.ts';

type Client = Pick<pg.ClientBase, 'query'>;
type Pool = Pick<Database, 'pool'>;

const mistakes = z.array(
  z.object({ code: z.string(), line: z.int().nullable(), message: z.string(), param: z.string().nullable() }),
);
const usage = z.object({
  input_tokens: z.number(),
  input_tokens_details: z.object({ cached_tokens: z.number() }),
  output_tokens: z.number(),
  output_tokens_details: z.object({ reasoning_tokens: z.number() }),
  total_tokens: z.number(),
});

const batchColumns = {
  id: z.string(),
  accountId: id<AccountId>(),
  keyId: id<KeyId>(),
  requestId: z.string(),
  endpoint: z.enum(batchEndpoints),
  inputFileId: z.string(),
  windowSeconds: z.int(),
  metadata: z.record(z.string(), z.string()).nullable(),
  webhookUrl: z.string().nullable(),
  outputExpiresSeconds: z.int(),
  state: z.enum(batchStates),
  errors: mistakes.nullable(),
  total: z.int(),
  completed: z.int(),
  failed: z.int(),
  cost: money,
  usage: usage.nullable(),
  paused: z.enum(batchPauses).nullable(),
  outputFileId: z.string().nullable(),
  errorFileId: z.string().nullable(),
  createdAt: z.date(),
  expiresAt: z.date(),
  inProgressAt: z.date().nullable(),
  finalizingAt: z.date().nullable(),
  completedAt: z.date().nullable(),
  failedAt: z.date().nullable(),
  expiredAt: z.date().nullable(),
  cancellingAt: z.date().nullable(),
  cancelledAt: z.date().nullable(),
};

const storedRow = row(batchColumns);
/** A batch without its terms, which are large. */
export type StoredBatch = RowOf<typeof storedRow>;

// Only lines that are under way hold anything; a batch that has ended has none.
const held = `(select coalesce(sum(h.amount), 0)::bigint from batch_lines l join holds h using (transfer_id)
  where l.batch_id = b.id and l.state = 'sent' and h.state = 'held')`;
const balance = '(select available from accounts a where a.id = b.account_id)';
/** Of a batch under the alias `b`. */
export const shownColumns = { ...batchColumns, held: computed(held, money), balance: computed(balance, money) };
const shownRow = row(shownColumns);
/** A batch with what its object shows besides. */
export type ShownRow = RowOf<typeof shownRow> & ShownBatch;

const startRow = row(pick(batchColumns, 'id', 'accountId', 'keyId', 'endpoint'));
/** What starting the workflow of a batch takes. */
export type BatchStart = RowOf<typeof startRow>;

export interface NewBatch {
  id: string;
  accountId: AccountId;
  keyId: KeyId;
  requestId: string;
  request: BatchRequest;
  terms: BatchTerms;
  idempotency?: { key: string; bodyHash: Buffer };
}

/** Writes a batch, within the client's transaction; returns false where its idempotency key is taken. */
export async function insertBatch(client: Client, batch: NewBatch): Promise<boolean> {
  const { request, idempotency } = batch;
  if (idempotency) {
    await client.query(
      `update batches set idempotency_key = null, body_hash = null
       where account_id = $1 and idempotency_key = $2 and not (${isBound})`,
      [batch.accountId, idempotency.key],
    );
  }
  const { rowCount } = await client.query(
    `insert into batches (id, account_id, key_id, request_id, endpoint, input_file_id, window_seconds, metadata,
       webhook_url, output_expires_seconds, terms, idempotency_key, body_hash, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7::integer, $8, $9, $10, $11, $12, $13, statement_timestamp(),
       statement_timestamp() + make_interval(secs => $7::integer))
     on conflict (account_id, idempotency_key) do nothing`,
    [
      ...[batch.id, batch.accountId, batch.keyId, batch.requestId],
      ...[request.endpoint, request.inputFileId, request.windowSeconds],
      request.metadata && JSON.stringify(request.metadata),
      ...[request.webhookUrl ?? null, request.outputSeconds],
      JSON.stringify(batchTermsJson(batch.terms)),
      ...[idempotency?.key ?? null, idempotency?.bodyHash ?? null],
    ],
  );
  return rowCount === 1;
}

/** As of tasks and calls, a key counts for a day. */
const isBound = `created_at > statement_timestamp() - interval '24 hours'`;

const boundRow = row({ id: z.string(), bodyHash: bytes });

/** The batch that an idempotency key of the account has made within the last 24 hours. */
export async function batchOfKey(
  { pool }: Pool,
  account: AccountId,
  key: string,
): Promise<RowOf<typeof boundRow> | undefined> {
  const { rows } = await pool.query(
    `select ${boundRow.columns} from batches
     where account_id = $1 and idempotency_key = $2 and ${isBound}`,
    [account, key],
  );
  return rows[0] === undefined ? undefined : boundRow.parse(rows[0]);
}

/** The account's batch of this id, as it is shown. */
export async function findOwnBatch({ pool }: Pool, account: AccountId, batchId: string): Promise<ShownRow | undefined> {
  const { rows } = await pool.query({
    name: 'find-own-batch',
    text: `select ${shownRow.columnsOf('b')} from batches b where id = $1 and account_id = $2`,
    values: [batchId, account],
  });
  return rows[0] === undefined ? undefined : shownRow.parse(rows[0]);
}

/** The batch of this id, as it is shown, within the client's transaction if it has one. */
export async function shownBatch(client: Client, batchId: string): Promise<ShownRow | undefined> {
  const { rows } = await client.query(`select ${shownRow.columnsOf('b')} from batches b where id = $1`, [batchId]);
  return rows[0] === undefined ? undefined : shownRow.parse(rows[0]);
}

/** Up to `limit` batches of the account, the newest first, or those behind `after`. */
export async function listBatches(
  { pool }: Pool,
  account: AccountId,
  { limit, after }: { limit: number; after: string | undefined },
): Promise<ShownRow[]> {
  const { rows } = await pool.query(
    `select ${shownRow.columnsOf('b')} from batches b where account_id = $1 ${after === undefined ? '' : 'and id < $3'}
     order by id desc limit $2`,
    [account, limit, ...(after === undefined ? [] : [after])],
  );
  return rows.map((read) => shownRow.parse(read));
}

/** The batch of this id, locked until the client's transaction ends. */
export async function lockBatch(client: Client, batchId: string): Promise<StoredBatch | undefined> {
  const { rows } = await client.query(`select ${storedRow.columns} from batches where id = $1 for no key update`, [
    batchId,
  ]);
  return rows[0] === undefined ? undefined : storedRow.parse(rows[0]);
}

export async function readBatch({ pool }: Pool, batchId: string): Promise<StoredBatch | undefined> {
  const { rows } = await pool.query(`select ${storedRow.columns} from batches where id = $1`, [batchId]);
  return rows[0] === undefined ? undefined : storedRow.parse(rows[0]);
}

const termsRow = row({ terms: z.unknown() });

export async function termsOfBatch({ pool }: Pool, batchId: string): Promise<BatchTerms> {
  const { rows } = await pool.query('select terms from batches where id = $1', [batchId]);
  return parseBatchTerms(termsRow.parse(rows[0]).terms);
}

/** All lines are valid: they may be sent from now on, under the terms of their models. Returns false where it was cancelled. */
export async function markInProgress(
  { pool }: Pool,
  batchId: string,
  { total, terms }: { total: number; terms: BatchTerms },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update batches set state = 'in_progress', in_progress_at = clock_timestamp(), seen_at = clock_timestamp(),
       total = $2, terms = $3 where id = $1 and state = 'validating'`,
    [batchId, total, JSON.stringify(batchTermsJson(terms))],
  );
  return rowCount === 1;
}

/**
 * No more lines of it are sent: those that are under way come to their end, and the others are not run. Changes nothing
 * where all have ended. Returns the state that it has then; undefined: there is none.
 */
export async function markCancelling({ pool }: Pool, batchId: string): Promise<BatchState | undefined> {
  await writeCancelling(pool, batchId);
  return (await readBatch({ pool }, batchId))?.state;
}

/** The same as an act of a person or an operator, which is logged where it changes something. */
export async function markCancellingAs(
  by: Administrator,
  batchId: string,
  reason?: string,
): Promise<BatchState | undefined> {
  await administer(by, async (client) => {
    const account = await writeCancelling(client, batchId);
    if (account === undefined) return undefined;
    const act = { action: 'batch.cancelled', account, subject: null, details: { batch_id: batchId } } as const;
    return { act: { ...act, ...(reason !== undefined && { reason }) }, outcome: undefined };
  });
  return (await readBatch(by.database, batchId))?.state;
}

const cancelledRow = row(pick(batchColumns, 'accountId'));

/** Returns the account of the batch; undefined: nothing was changed. */
async function writeCancelling(client: Client, batchId: string): Promise<AccountId | undefined> {
  const { rows } = await client.query(
    `update batches set state = 'cancelling', cancelling_at = clock_timestamp()
     where id = $1 and state in ('validating', 'in_progress') returning ${cancelledRow.columns}`,
    [batchId],
  );
  return rows[0] === undefined ? undefined : cancelledRow.parse(rows[0]).accountId;
}

/** All its lines have ended; the files are being made. */
export async function markFinalizing({ pool }: Pool, batchId: string): Promise<void> {
  await pool.query(
    `update batches set state = 'finalizing', finalizing_at = clock_timestamp(), seen_at = clock_timestamp(), paused = null
     where id = $1 and state = 'in_progress'`,
    [batchId],
  );
}

/**
 * Ends the lines of a batch that will not be sent: it is being cancelled, or its time is over. Those that a slice has
 * claimed are no longer its from then on; those that were sent come to their own end, as do those of a batch that its
 * provider works on.
 */
export async function endUnrunnable({ keyed }: Pick<Database, 'keyed'>, batchId: string): Promise<void> {
  for (let ended = 1; ended > 0;) {
    const { rowCount } = await keyed.query({
      name: 'end-unrunnable-lines',
      text: endUnrunnableText,
      values: [batchId],
    });
    ended = rowCount ?? 0;
  }
}

// So many lines at once: a statement has eight seconds, and one of 50,000 lines takes longer on a busy database.
const endUnrunnableText = `with e as materialized (
    select case when state = 'cancelling' then 'cancelled' when expires_at <= clock_timestamp() then 'expired' end as state
    from batches where id = $1 and state in ('in_progress', 'cancelling')
  ), open as materialized (
    select n from batch_lines where batch_id = $1 and state = 'pending' and exists (select from e where e.state is not null)
      and not exists (select from batch_intents where batch_id = $1 and state in ('open', 'accepted', 'ended'))
    order by n limit 2000 for update
  )
  update batch_lines l set state = (select state from e), error_code = 'batch_' || (select state from e), owner = null,
    lease_until = null, finished_at = clock_timestamp()
  where l.batch_id = $1 and l.n = any(array(select n from open)) and l.state = 'pending'`;

const underWay = `state in ('validating', 'in_progress', 'finalizing', 'cancelling')`;

/** Takes up to `count` batches whose start was not acknowledged; the process that takes one has it for five seconds. */
export async function takeBatchesToStart({ pool }: Pool, count: number): Promise<BatchStart[]> {
  const { rows } = await pool.query(
    `update batches set seen_at = clock_timestamp() where id in (
       select id from batches where ${underWay} and started_at is null
         and created_at < clock_timestamp() - interval '2 seconds'
         and coalesce(seen_at, '-infinity') < clock_timestamp() - interval '5 seconds'
       order by created_at limit $1 for no key update skip locked)
     returning ${startRow.columns}`,
    [count],
  );
  return rows.map((read) => startRow.parse(read));
}

/** Takes up to `count` batches that were started and of which nothing was seen for five minutes. */
export async function takeSilentBatches({ pool }: Pool, count: number): Promise<BatchStart[]> {
  const { rows } = await pool.query(
    `update batches set seen_at = clock_timestamp() where id in (
       select id from batches where ${underWay} and started_at < clock_timestamp() - interval '5 minutes'
         and coalesce(seen_at, started_at) < clock_timestamp() - interval '5 minutes'
       order by started_at limit $1 for no key update skip locked)
     returning ${startRow.columns}`,
    [count],
  );
  return rows.map((read) => startRow.parse(read));
}

/** Notes that Temporal acknowledged the start. */
export async function markBatchStarted({ pool }: Pool, batchId: string): Promise<void> {
  await pool.query('update batches set started_at = clock_timestamp() where id = $1 and started_at is null', [batchId]);
}
