/** Reading the records of requests: newest first, in pages that stay right while requests arrive. */
import * as z from 'zod';
import type { AccountId, KeyId } from '../domain/ids.ts';
import type { Database } from '../postgres/database.ts';
import { requestsById } from '../postgres/requests-by-id.ts';
import { computed, id, money, row, type RowOf } from '../postgres/row.ts';

export interface RequestFilter {
  /** Undefined: those of all accounts. */
  account?: AccountId | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  model?: string | undefined;
  keyId?: string | undefined;
  provider?: string | undefined;
  status?: StatusFilter | undefined;
  code?: string | undefined;
  requestId?: string | undefined;
  endUser?: string | undefined;
  tag?: string | undefined;
}

/** From one status on, below another. */
export interface StatusFilter {
  least: number;
  below: number;
}

/** A request's position in the list. */
export interface RequestPosition {
  createdAt: Date;
  seq: bigint;
}

const attempt = z.object({
  ...{ provider: z.string(), model: z.string() },
  ...{ ms: z.number(), fault: z.string().optional() },
});

const count = z.bigint().transform(Number).nullable();

const requestRow = row({
  ...{ seq: z.bigint(), createdAt: z.date(), accountId: id<AccountId>(), keyId: id<KeyId>(), requestId: z.string() },
  ...{
    method: z.string(),
    path: z.string(),
    model: z.string().nullable(),
    status: z.int(),
    code: z.string().nullable(),
  },
  ...{ latencyMs: z.int(), firstTokenMs: z.int().nullable(), isStream: z.boolean() },
  ...{ provider: z.string().nullable(), attempts: z.array(attempt).nullable() },
  ...{ inputTokens: count, cachedInputTokens: count, outputTokens: count },
  // A task's cost is known only at its end, long after the request that created it.
  cost: computed('coalesce(cost, (select t.cost from tasks t where t.id = requests.task_id))', money.nullable()),
  ...{ taskId: z.string().nullable(), endUser: z.string().nullable() },
  ...{ tag: z.string().nullable(), client: z.string().nullable() },
});
export type ListedRequest = RowOf<typeof requestRow>;

/**
 * Up to `limit` requests behind that position, or the newest. Each set of filters is a statement of its own, planned once
 * for all values.
 */
export async function listRequests(
  database: Database,
  { account, from, to, model, keyId, provider, status, code, requestId, endUser, tag }: RequestFilter,
  { limit, after }: { limit: number; after: RequestPosition | undefined },
): Promise<ListedRequest[]> {
  const values: unknown[] = [limit];
  const where: string[] = [];
  const names: string[] = [];
  const placeOf = (value: unknown) => `$${values.push(value)}`;
  const filter = (name: string, condition: (parameter: string) => string, value: unknown) => {
    if (value === undefined) return;
    names.push(name);
    where.push(condition(placeOf(value)));
  };
  filter('account', (its) => `account_id = ${its}`, account);
  filter('from', (its) => `created_at >= ${its}::timestamptz`, from);
  filter('to', (its) => `created_at < ${its}::timestamptz`, to);
  filter('model', (its) => `model = ${its}`, model);
  // By its account, of which there is an index.
  const ofItsAccount = (its: string) => `account_id = (select k.account_id from api_keys k where k.id = ${its})`;
  filter('key', (its) => `key_id = ${its}${account === undefined ? ` and ${ofItsAccount(its)}` : ''}`, keyId);
  filter('provider', (its) => `provider = ${its}`, provider);
  const isError = status !== undefined && status.least >= 400;
  filter(
    isError ? 'error' : 'status',
    // That it is an error, for the index of what failed.
    (its) => `status >= ${its}::int and status < ${placeOf(status?.below)}::int${isError ? ' and status >= 400' : ''}`,
    status?.least,
  );
  filter('code', (its) => `code = ${its}`, code);
  filter('user', (its) => `end_user = ${its}`, endUser);
  filter('tag', (its) => `tag = ${its}`, tag);
  filter(
    'after',
    // The time by itself, too: by it alone whole days are left out.
    (its) => `created_at <= ${its}::timestamptz and (created_at, seq) < (${its}::timestamptz, ${placeOf(after?.seq)})`,
    after?.createdAt,
  );
  // Users and tags are found account by account.
  const isOfEach = account === undefined && keyId === undefined && (endUser !== undefined || tag !== undefined);
  if (isOfEach) where.push('account_id = a.id');
  const newest = 'order by created_at desc, seq desc limit $1';
  // An id is sought in one way or in two, each along its own index.
  const ways: string[][] = requestId === undefined ? [[]] : requestsById(requestId, placeOf).map((way) => [way]);
  if (requestId !== undefined) names.push(`id-${ways.length}`);
  const found = ways
    .map((way) => [...where, ...way].join(' and '))
    .map((all) => `(select * from requests ${all === '' ? '' : `where ${all}`} ${newest})`)
    .join(' union all ');
  const { rows } = await database.keyed.query({
    name: ['list-requests', ...names].join('-'),
    text: `select ${requestRow.columns}
      from (${isOfEach ? `select r.* from accounts a cross join lateral (${found}) as r` : found}) as requests ${newest}`,
    values,
  });
  return rows.map((each) => requestRow.parse(each));
}
