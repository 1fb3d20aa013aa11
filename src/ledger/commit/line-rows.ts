/**
 * Lines of batches, written with the money of their calls: a line is sent in the transaction of its hold and ends in that
 * of its settlement. So it is charged if and only if its answer is stored, and at most once.
 */
import type pg from 'pg';
import type { TaskId, TransferId } from '../../domain/ids.ts';
import type { Money } from '../../domain/money.ts';
import { bigints, byteas, integers, moments, texts, uuids } from '../../postgres/binary-arrays.ts';

export interface LineId {
  batchId: string;
  /** From 1, in the order of the file. */
  n: number;
}

/** A line that this operation sends, if the claim still has it. */
export interface LineToSend extends LineId {
  /** The slice that claimed it. */
  claim: string;
}

export interface SentLine extends LineToSend {
  /** Of its hold; absent of a task that was there before. */
  transferId?: TransferId;
  requestId: string;
  /** Of a line that is a task. */
  taskId?: TaskId;
}

/** Of the whole prompt and the whole output; what was cached, and what was thought, are parts of them. */
export interface LineTokens {
  input: number;
  cached: number;
  output: number;
  reasoning: number;
}

/** What became of a line's call. */
export interface LineOutcome extends LineId {
  /**
   * `pending`: it may be sent again. `unknown`: it may have been carried out, and is not sent again. Both give the hold back.
   */
  state: 'completed' | 'failed' | 'pending' | 'unknown';
  /** Of one that is pending: nothing was carried out, so that this time doesn't count. */
  isUnsent?: boolean;
  /** Of one that is pending: from then on. */
  notBefore?: Date;
  statusCode?: number;
  /** The body of the answer, or the blob that it is in. */
  answer?: Buffer;
  answerBlob?: string;
  errorCode?: string;
  tokens?: LineTokens;
}

export interface EndedLine extends LineOutcome {
  transferId: TransferId;
  cost: Money;
}

// Both find their rows by the primary key, and refuse the whole group if one of them is not as it was left: then the
// group's members run alone, and only the line fails that another slice has. The state is a parameter: as a constant it
// names the index of open lines, which a plan made while that is empty reads whole, 0.7 s with ten batches of 20,000 lines.
const sendText = `with wanted as (
    select unnest($1::text[]) as batch_id, unnest($2::integer[]) as n, unnest($3::uuid[]) as claim,
      unnest($4::uuid[]) as transfer_id, unnest($5::text[]) as request_id, unnest($6::text[]) as task_id
  ), sent as (
    update batch_lines l set state = 'sent', sends = l.sends + 1, not_before = null, transfer_id = w.transfer_id,
      request_id = w.request_id, task_id = w.task_id
    from wanted w where l.batch_id = w.batch_id and l.n = w.n and l.state = $8 and l.owner = w.claim returning 1
  ) select tollgate_require((select count(*) from sent) = $7::integer, 'line_claimed')`;

const endText = `with wanted as (
    select unnest($1::text[]) as batch_id, unnest($2::integer[]) as n, unnest($3::uuid[]) as transfer_id,
      unnest($4::text[]) as state, unnest($5::integer[]) as unsent, unnest($6::timestamptz[]) as not_before,
      unnest($7::integer[]) as status_code, unnest($8::bytea[]) as answer, unnest($9::text[]) as answer_blob,
      unnest($10::text[]) as error_code, unnest($11::bigint[]) as cost, unnest($12::integer[]) as input_tokens,
      unnest($13::integer[]) as cached_tokens, unnest($14::integer[]) as output_tokens,
      unnest($15::integer[]) as reasoning_tokens
  ), ended as (
    update batch_lines l set state = w.state, sends = l.sends - w.unsent, not_before = w.not_before,
      status_code = w.status_code, answer = w.answer, answer_blob = w.answer_blob, error_code = w.error_code, cost = w.cost,
      input_tokens = w.input_tokens, cached_tokens = w.cached_tokens, output_tokens = w.output_tokens,
      reasoning_tokens = w.reasoning_tokens, owner = null, lease_until = null,
      finished_at = case when w.state = 'pending' then null else $16::timestamptz end
    from wanted w
    where l.batch_id = w.batch_id and l.n = w.n and l.state = $18 and l.transfer_id = w.transfer_id returning 1
  ) select tollgate_require((select count(*) from ended) = $17::integer, 'line_sent')`;

export const sendLines = (lines: readonly SentLine[]): pg.QueryConfig => ({
  name: 'send-lines',
  text: sendText,
  values: [
    texts(lines, ({ batchId }) => batchId),
    integers(lines, ({ n }) => n),
    uuids(lines, ({ claim }) => claim),
    uuids(lines, ({ transferId }) => transferId),
    texts(lines, ({ requestId }) => requestId),
    texts(lines, ({ taskId }) => taskId),
    lines.length,
    'pending',
  ],
});

export const endLines = (lines: readonly EndedLine[], now: Date): pg.QueryConfig => ({
  name: 'end-lines',
  text: endText,
  values: [
    texts(lines, ({ batchId }) => batchId),
    integers(lines, ({ n }) => n),
    uuids(lines, ({ transferId }) => transferId),
    texts(lines, ({ state }) => state),
    integers(lines, ({ isUnsent }) => (isUnsent === true ? 1 : 0)),
    moments(lines, ({ notBefore }) => notBefore),
    integers(lines, ({ statusCode }) => statusCode),
    byteas(lines, ({ answer }) => answer),
    texts(lines, ({ answerBlob }) => answerBlob),
    texts(lines, ({ errorCode }) => errorCode),
    bigints(lines, ({ state, cost }) => (state === 'pending' ? undefined : cost)),
    integers(lines, ({ tokens }) => tokens?.input),
    integers(lines, ({ tokens }) => tokens?.cached),
    integers(lines, ({ tokens }) => tokens?.output),
    integers(lines, ({ tokens }) => tokens?.reasoning),
    now,
    lines.length,
    'sent',
  ],
});
