/** Which account a stored response belongs to, and which provider made it. */
import * as z from 'zod';
import type { AccountId } from '../domain/ids.ts';
import type { Database } from '../postgres/database.ts';

/** How long a response can be asked for here; vendors keep theirs for as long. */
const keptDaysDefault = 30;
const batchRows = 1_000;

/** What is kept of a response. */
export interface StoredResponse {
  model: string;
  provider: string;
  /** The tokens that a call that continues it has as input besides its own; undefined where the upstream never reported it. */
  contextTokens: number | undefined;
}

/** Notes a response. Of an id that the account was given before the newest response counts. */
export async function insertResponse(
  database: Database,
  { id, account, model, provider, contextTokens }: { id: string; account: AccountId } & StoredResponse,
): Promise<void> {
  await database.pool.query({
    name: 'insert-response',
    text: `insert into responses (id, account_id, model, provider, context_tokens) values ($1, $2, $3, $4, $5)
      on conflict (id, account_id) do update set model = excluded.model, provider = excluded.provider,
        context_tokens = excluded.context_tokens, created_at = excluded.created_at`,
    values: [id, account, model, provider, contextTokens ?? null],
  });
}

/** Notes how long a response is, where that is known only at its end. */
export async function noteContext(
  database: Database,
  { id, account, contextTokens }: { id: string; account: AccountId } & Pick<StoredResponse, 'contextTokens'>,
): Promise<void> {
  await database.pool.query({
    name: 'note-context',
    text: 'update responses set context_tokens = $3 where id = $1 and account_id = $2',
    values: [id, account, contextTokens ?? null],
  });
}

/**
 * The response of this id, if it is the account's alone. An id that accounts were given one after the other stands for
 * whatever the upstream keeps under it now, so neither gets it.
 */
export async function findResponse(
  database: Database,
  id: string,
  account: AccountId,
): Promise<StoredResponse | undefined> {
  const { rows } = await database.pool.query({
    name: 'find-response',
    text: `select model, provider, context_tokens from responses where id = $1 and account_id = $2
      and not exists (select from responses where id = $1 and account_id <> $2)`,
    values: [id, account],
  });
  return rows[0] === undefined ? undefined : responseRow.parse(rows[0]);
}

const responseRow = z
  .object({ model: z.string(), provider: z.string(), context_tokens: z.bigint().nullable() })
  .transform(({ model, provider, context_tokens: tokens }): StoredResponse => ({
    ...{ model, provider },
    contextTokens: tokens === null ? undefined : Number(tokens),
  }));

/** Forgets a response of the account's: from then on it is not found. */
export async function deleteResponse(database: Database, id: string, account: AccountId): Promise<void> {
  await database.pool.query({
    name: 'delete-response',
    text: 'delete from responses where id = $1 and account_id = $2',
    values: [id, account],
  });
}

/** Forgets the responses that have served their time. Returns how many. */
export async function deleteOldResponses({
  database,
  keptDays = keptDaysDefault,
  signal,
}: {
  database: Database;
  keptDays?: number;
  /** Ends it between two batches. */
  signal?: AbortSignal;
}): Promise<number> {
  for (let deleted = 0; ;) {
    const { rowCount } = await database.pool.query(
      `delete from responses where (id, account_id) in (
         select id, account_id from responses where created_at < clock_timestamp() - make_interval(days => $1)
         order by created_at limit $2 for update skip locked)`,
      [keptDays, batchRows],
    );
    deleted += rowCount ?? 0;
    if ((rowCount ?? 0) < batchRows || signal?.aborted) return deleted;
  }
}
