/** The rows of batches and of their lines, as slices read and write them; what goes with money is in `ledger/commit/line-rows.ts`. */
import * as z from 'zod';
import { parseBatchTerms } from '../domain/batches/terms.ts';
import type { KeyId, TaskId } from '../domain/ids.ts';
import type { Money } from '../domain/money.ts';
import type { LineId } from '../ledger/commit/line-rows.ts';
import type { Database } from '../postgres/database.ts';
import { computed, id, row, type RowOf } from '../postgres/row.ts';

const batchRow = row({
  id: z.string(),
  accountId: z.string(),
  keyId: id<KeyId>(),
  /** With a leading `/v1`. */
  endpoint: z.string(),
  expiresAt: z.date(),
  terms: computed('b.terms', z.unknown()),
  blob: computed('f.blob', z.string().nullable()),
}).as(({ terms, ...batch }) => ({ ...batch, terms: parseBatchTerms(terms) }));

/** A batch as its lines need it. */
export type RunningBatch = RowOf<typeof batchRow>;

export async function findBatch({ pool }: Database, batchId: string): Promise<RunningBatch | undefined> {
  const { rows } = await pool.query(
    `select ${batchRow.columnsOf('b')} from batches b left join files f on f.id = b.input_file_id where b.id = $1`,
    [batchId],
  );
  return rows[0] === undefined ? undefined : batchRow.parse(rows[0]);
}

/** Whether lines of a batch may be sent: it is in progress, and its time is not over. */
export async function maySend({ pool }: Database, batchId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select 1 from batches where id = $1 and state = 'in_progress' and expires_at > clock_timestamp()`,
    [batchId],
  );
  return rowCount === 1;
}

const lineRow = row({
  n: z.int(),
  model: z.string(),
  byteOffset: z.bigint().transform(Number),
  byteLength: z.int(),
  sends: z.int(),
});

/** A line that a slice has claimed. */
export type ClaimedLine = RowOf<typeof lineRow>;

/** Longer than a slice takes; then another one may claim what it left. */
const claimSeconds = 60;

// What a statement finds it changes by its primary key, as an array: joined to it, a plan that was made while the table was
// small compares each with all lines of the batch. So too where lines end.
/** Claims up to `count` pending lines that may be sent now, in their order. No line is claimed by two at once. */
export async function claimLines(
  { keyed }: Database,
  batchId: string,
  { claim, count }: { claim: string; count: number },
): Promise<ClaimedLine[]> {
  const { rows } = await keyed.query({
    name: 'claim-lines',
    text: `with open as materialized (
        select n from batch_lines where batch_id = $1 and state = 'pending'
          and (not_before is null or not_before <= clock_timestamp())
          and (lease_until is null or lease_until < clock_timestamp())
        order by n limit $3 for update skip locked
      )
      update batch_lines l set owner = $2, lease_until = clock_timestamp() + make_interval(secs => ${claimSeconds})
      where l.batch_id = $1 and l.n = any(array(select n from open)) returning ${lineRow.columnsOf('l')}`,
    values: [batchId, claim, count],
  });
  return rows.map((read) => lineRow.parse(read)).sort((a, b) => a.n - b.n);
}

/** Claims those of the lines that are pending and not claimed, in their order. */
export async function claimNumbers(
  { keyed }: Database,
  batchId: string,
  { claim, numbers }: { claim: string; numbers: readonly number[] },
): Promise<ClaimedLine[]> {
  const { rows } = await keyed.query({
    name: 'claim-line-numbers',
    text: `with open as materialized (
        select n from batch_lines where batch_id = $1 and n = any($3::integer[]) and state = 'pending'
          and (lease_until is null or lease_until < clock_timestamp())
        order by n for update skip locked
      )
      update batch_lines l set owner = $2, lease_until = clock_timestamp() + make_interval(secs => ${claimSeconds})
      where l.batch_id = $1 and l.n = any(array(select n from open)) returning ${lineRow.columnsOf('l')}`,
    values: [batchId, claim, numbers],
  });
  return rows.map((read) => lineRow.parse(read)).sort((a, b) => a.n - b.n);
}

/** Gives back what a slice has claimed and not sent. */
export async function releaseClaims({ pool }: Database, batchId: string, claim: string): Promise<void> {
  await pool.query(
    `update batch_lines set owner = null, lease_until = null where batch_id = $1 and owner = $2 and state = 'pending'`,
    [batchId, claim],
  );
}

/** A line that comes to its end without money: it was never sent, or is a task that has ended. */
export interface UnpaidEnd extends LineId {
  state: 'completed' | 'failed';
  statusCode: number;
  answer: Buffer;
  errorCode: string | null;
  cost: Money;
  requestId?: string;
}

/** Ends a line that this claim has, and that was refused before anything was held. */
export async function endUnsent({ pool }: Database, claim: string, end: UnpaidEnd): Promise<void> {
  await pool.query(
    `update batch_lines set state = $4, status_code = $5, answer = $6, error_code = $7, cost = $8, request_id = $9,
       owner = null, lease_until = null, finished_at = clock_timestamp()
     where batch_id = $1 and n = $2 and owner = $3 and state = 'pending'`,
    [end.batchId, end.n, claim, ...endValues(end), end.requestId ?? null],
  );
}

/** Ends a line whose task has ended. */
export async function endTaskLine({ pool }: Database, task: TaskId, end: UnpaidEnd): Promise<void> {
  await pool.query(
    `update batch_lines set state = $4, status_code = $5, answer = $6, error_code = $7, cost = $8,
       owner = null, lease_until = null, finished_at = clock_timestamp()
     where batch_id = $1 and n = $2 and task_id = $3 and state = 'sent'`,
    [end.batchId, end.n, task, ...endValues(end)],
  );
}

const endValues = ({ state, statusCode, answer, errorCode, cost }: UnpaidEnd) => [
  state,
  statusCode,
  answer,
  errorCode,
  cost,
];

/** Has a line that this claim has wait for so long; it was not sent. */
export async function postpone({ pool }: Database, claim: string, line: LineId, waitMs: number): Promise<void> {
  await pool.query(
    `update batch_lines set owner = null, lease_until = null,
       not_before = clock_timestamp() + make_interval(secs => $4::float8 / 1000)
     where batch_id = $1 and n = $2 and owner = $3 and state = 'pending'`,
    [line.batchId, line.n, claim, waitMs],
  );
}

const taskLineRow = row({ n: z.int(), taskId: id<TaskId>() });

/** The lines of a batch whose tasks were under way when it was last looked. */
export async function taskLines({ pool }: Database, batchId: string): Promise<RowOf<typeof taskLineRow>[]> {
  const { rows } = await pool.query(
    `select ${taskLineRow.columns} from batch_lines where batch_id = $1 and state = 'sent' and task_id is not null`,
    [batchId],
  );
  return rows.map((read) => taskLineRow.parse(read));
}

const lostRow = row({ state: z.enum(['pending', 'unknown']) });

/**
 * Takes back the lines whose process died while they were sent: their hold was given back by another process's sweep, and
 * no answer is stored. Each is sent again, `resend` times at the most; after that its outcome is unknown. Tasks are never
 * among them. Returns how many came to either.
 */
export async function recoverLost(
  { keyed }: Database,
  batchId: string,
  resend: number,
): Promise<{ pending: number; unknown: number }> {
  const { rows } = await keyed.query({
    name: 'recover-lost-lines',
    text: `with lost as materialized (
       select n from batch_lines l where batch_id = $1 and state = 'sent' and task_id is null
         and not exists (select 1 from holds h where h.transfer_id = l.transfer_id and h.state = 'held')
       for update skip locked
     )
     update batch_lines l set owner = null, lease_until = null,
       state = case when sends <= $2 then 'pending' else 'unknown' end,
       error_code = case when sends <= $2 then null else 'outcome_unknown' end,
       cost = case when sends <= $2 then null else 0 end,
       finished_at = case when sends <= $2 then null else clock_timestamp() end
     where l.batch_id = $1 and l.n = any(array(select n from lost)) returning l.state`,
    values: [batchId, resend],
  });
  const unknown = rows.filter((read) => lostRow.parse(read).state === 'unknown').length;
  return { pending: rows.length - unknown, unknown };
}

/** Ends all lines of a batch that were not sent: it was cancelled, its time is over, or its key may do nothing more. Returns how many. */
export async function endUnrun({ keyed }: Database, batchId: string, state: 'cancelled' | 'expired'): Promise<number> {
  let all = 0;
  for (let ended = 1; ended > 0; all += ended) {
    const { rowCount } = await keyed.query({
      name: 'end-unrun-lines',
      text: endUnrunText,
      values: [batchId, state, `batch_${state}`],
    });
    ended = rowCount ?? 0;
  }
  return all;
}

// So many lines at once: a statement has eight seconds, and one of 50,000 lines takes longer on a busy database.
const endUnrunText = `with open as materialized (
    select n from batch_lines where batch_id = $1 and state = 'pending' order by n limit 2000 for update
  )
  update batch_lines l set state = $2, error_code = $3, owner = null, lease_until = null, finished_at = clock_timestamp()
  where l.batch_id = $1 and l.n = any(array(select n from open)) and l.state = 'pending'`;

const standingRow = z.object({
  /** Lines that are not final. */
  left: z.int(),
  /** For how long none of those that are pending may be sent; 0: one may be sent now. Null: none is pending. */
  waitMs: z.number().nullable(),
  /** Whether one of those waits for a provider, and not just for the end of a slice that died. */
  isPostponed: z.boolean(),
});

export type Standing = z.output<typeof standingRow>;

/** Brings the counts, the cost and the usage of a batch up to date by its lines, and notes why nothing is sent. */
export async function updateProgress({ pool }: Database, batchId: string, paused: string | null): Promise<Standing> {
  const { rows } = await pool.query({
    name: 'update-batch-progress',
    text: `with counted as (
        select count(*) filter (where state = 'completed')::int as completed,
          count(*) filter (where state in ('failed', 'unknown'))::int as failed,
          count(*) filter (where state = 'pending')::int as pending, count(*) filter (where state = 'sent')::int as sent,
          coalesce(sum(cost), 0)::bigint as cost, coalesce(sum(input_tokens), 0)::bigint as input,
          coalesce(sum(cached_tokens), 0)::bigint as cached, coalesce(sum(output_tokens), 0)::bigint as output,
          coalesce(sum(reasoning_tokens), 0)::bigint as reasoning,
          min(extract(epoch from greatest(not_before, lease_until, now()) - clock_timestamp()))
            filter (where state = 'pending') * 1000 as wait,
          coalesce(bool_or(not_before > clock_timestamp()) filter (where state = 'pending'), false) as postponed
        from batch_lines where batch_id = $1
      ), updated as (
        update batches b set completed = greatest(c.completed, i.completed), failed = greatest(c.failed, i.failed),
          cost = c.cost, paused = $2,
          seen_at = clock_timestamp(), usage = jsonb_build_object('input_tokens', c.input,
            'input_tokens_details', jsonb_build_object('cached_tokens', c.cached), 'output_tokens', c.output,
            'output_tokens_details', jsonb_build_object('reasoning_tokens', c.reasoning), 'total_tokens', c.input + c.output)
        from counted c left join (
          select done_completed as completed, done_failed as failed from batch_intents
          where batch_id = $1 and state in ('accepted', 'ended')
        ) as i on true where b.id = $1
      )
      select pending + sent as "left", case when pending > 0 then greatest(wait, 0) end::float8 as "waitMs",
        postponed as "isPostponed" from counted`,
    values: [batchId, paused],
  });
  return standingRow.parse(rows[0]);
}
