/** The rows of requests, written many at once. */
import type { AccountId, KeyId } from '../domain/ids.ts';
import type { Money } from '../domain/money.ts';
import { bigints, booleans, integers, moments, texts } from '../postgres/binary-arrays.ts';
import type { Database } from '../postgres/database.ts';
import type { Attempt } from './call-record.ts';
import { addCountsText, countValues } from './outcome-counts.ts';

/** What is kept of a request that came with a key. */
export interface RequestRecord {
  /** When its head was there. */
  createdAt: Date;
  accountId: AccountId;
  keyId: KeyId;
  requestId: string;
  method: string;
  path: string;
  model: string | undefined;
  /** 499: its caller left before an answer began. */
  status: number;
  /** Of its error; of an answer that broke off, why. */
  code: string | undefined;
  latencyMs: number;
  firstTokenMs: number | undefined;
  isStream: boolean;
  provider: string | undefined;
  attempts: readonly Attempt[] | undefined;
  inputTokens: number | undefined;
  cachedInputTokens: number | undefined;
  outputTokens: number | undefined;
  cost: Money | undefined;
  taskId: string | undefined;
  endUser: string | undefined;
  tag: string | undefined;
  client: string | undefined;
}

const columns =
  'created_at, account_id, key_id, request_id, method, path, model, status, code, latency_ms, first_token_ms, is_stream, ' +
  'provider, attempts, input_tokens, cached_input_tokens, output_tokens, cost, task_id, end_user, tag, client';
const types =
  '$1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[], $9::text[], ' +
  '$10::int[], $11::int[], $12::boolean[], $13::text[], $14::text[], $15::bigint[], $16::bigint[], $17::bigint[], ' +
  '$18::bigint[], $19::text[], $20::text[], $21::text[], $22::text[]';

/** Writes all of them, and counts what came of them, or does neither. */
export async function writeRequests(
  { pool }: Pick<Database, 'pool'>,
  records: readonly RequestRecord[],
): Promise<void> {
  await pool.query({
    name: 'write-requests',
    text: `with written as (
        insert into requests (${columns})
        select ${columns.replace('attempts', 'attempts::jsonb')} from unnest(${types}) as r (${columns})
      ) ${addCountsText(23)}`,
    values: [
      moments(records, ({ createdAt }) => createdAt),
      texts(records, ({ accountId }) => accountId),
      texts(records, ({ keyId }) => keyId),
      texts(records, ({ requestId }) => requestId),
      texts(records, ({ method }) => method),
      texts(records, ({ path }) => path),
      texts(records, ({ model }) => model),
      integers(records, ({ status }) => status),
      texts(records, ({ code }) => code),
      integers(records, ({ latencyMs }) => latencyMs),
      integers(records, ({ firstTokenMs }) => firstTokenMs),
      booleans(records, ({ isStream }) => isStream),
      texts(records, ({ provider }) => provider),
      texts(records, ({ attempts }) => attempts && JSON.stringify(attempts)),
      bigints(records, ({ inputTokens }) => bigintOf(inputTokens)),
      bigints(records, ({ cachedInputTokens }) => bigintOf(cachedInputTokens)),
      bigints(records, ({ outputTokens }) => bigintOf(outputTokens)),
      bigints(records, ({ cost }) => cost),
      texts(records, ({ taskId }) => taskId),
      texts(records, ({ endUser }) => endUser),
      texts(records, ({ tag }) => tag),
      texts(records, ({ client }) => client),
      ...countValues(records),
    ],
  });
}

const bigintOf = (count: number | undefined): bigint | undefined => (count === undefined ? undefined : BigInt(count));

/** Makes the days to come and drops those that are older than what is kept, and the counts that are not read any more. */
export async function supplyRequestDays({ pool }: Pick<Database, 'pool'>, keepDays: number): Promise<void> {
  await pool.query('select tollgate_supply_request_days($1, $2)', [daysAhead, keepDays]);
  await pool.query(`delete from outcome_counts where slot < now() - interval '2 days'`);
}

/** A week without any process that serves the API costs nothing: the next one makes its days when it starts. */
const daysAhead = 7;
