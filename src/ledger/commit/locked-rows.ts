/** What a group of moves sees: the rows that it locked, read and parsed, in the form that the domain decides on. */
import type pg from 'pg';
import * as z from 'zod';
import { inOneWrite } from '../../postgres/joined-writes.ts';
import type { AccountState, KeyState } from '../../domain/billing/admission.ts';
import type { AccountId, KeyId, TaskId, TransferId } from '../../domain/ids.ts';
import { callLimitsSchema, keyLevels, storedSpendLimitSchema } from '../../domain/accounts/key-rules.ts';
import { micros, type MicroYuan } from '../../domain/money.ts';
import type { EntrySale } from './entry-sale.ts';
import { type TaskKind, taskKinds, taskStates, type TaskState } from '../../domain/tasks/task-states.ts';

export interface LockedAccount extends AccountState {
  id: AccountId;
  seq: bigint;
  chain: Buffer;
  webhookUrl: string | null;
  /** Below this the account is low. */
  lowBalance: MicroYuan | null;
  isLow: boolean;
  version: RowVersion;
}

export interface LockedKey extends KeyState {
  id: KeyId;
  accountId: AccountId;
  version: RowVersion;
}

/** PostgreSQL's `xmin`: the number of the transaction that wrote the row as it was read. */
export type RowVersion = number;

export interface LockedTask {
  id: TaskId;
  kind: TaskKind;
  state: TaskState;
  accountId: AccountId;
  keyId: KeyId;
  /** That its request named. */
  webhookUrl: string | null;
  transferId: TransferId;
  holdAmount: bigint;
  /** The number of its hold's entry. */
  holdSeq: bigint;
  /** What its hold names. */
  sale: EntrySale;
  createdAt: Date;
}

export interface BoundIdempotencyKey {
  bodyHash: Buffer;
  state: 'running' | 'done';
  taskId: TaskId | null;
  answer: string | null;
}

/** A credit or adjustment as the log of acts tells of it. */
export interface BookedRequest {
  action: string;
  /** Decimal digits. */
  amount: string;
  reason: string | null;
}

export interface View {
  /** The database's clock, read after the locks. */
  now: Date;
  accounts: Map<string, LockedAccount>;
  keys: Map<string, LockedKey>;
  tasks: Map<string, LockedTask>;
  /** By account and key, joined with a line break. */
  idempotencyKeys: Map<string, BoundIdempotencyKey>;
  /** By account and request, joined likewise. */
  requests: Map<string, BookedRequest>;
}

export interface Wanted {
  accounts: readonly string[];
  keys: readonly string[];
  tasks: readonly string[];
  idempotencyKeys: readonly { account: string; key: string }[];
  requests: readonly { account: string; request: string }[];
  /** An administrative act is logged with them. */
  withActs: boolean;
}

export const idempotencyKeyOf = (account: string, key: string): string => `${account}\n${key}`;
export const requestOf = (account: string, request: string): string => `${account}\n${request}`;

const lockAccounts = {
  name: 'lock-accounts',
  text: `select id, status, available, held, in_arrears, seq, chain, webhook_url, low_balance, is_low, xmin as version
    from accounts
    where id = any($1::text[]) order by id for no key update`,
};
const lockKeys = {
  name: 'lock-keys',
  text: `select id, account_id, level, models, call_limits, spend_limit, max_running_tasks, expires_at, revoked_at, counted_at,
      calls_minute, calls_hour, calls_day, calls_month, calls_total,
      spent_minute, spent_hour, spent_day, spent_month, spent_total,
      since_minute, since_hour, since_day, since_month, since_total, clock_back_at, running_tasks, xmin as version
    from api_keys where id = any($1::text[]) order by id for no key update`,
};
// One alone is told to the planner as a value, so that only its partition is opened.
const lockTasks = (count: number): { name: string; text: string } => (count === 1 ? lockOne : lockMany);
const lockOne = { name: 'lock-task', text: lockText('tasks t', 'where t.id = ($1::text[])[1]') };
const lockMany = {
  name: 'lock-tasks',
  text: lockText('unnest($1::text[]) as wanted(id) join tasks t on t.id = wanted.id', 'order by t.id'),
};
function lockText(tasks: string, which: string): string {
  // The entry of the hold never changes, so that reading it beside the lock is safe.
  return `select t.id, t.kind, t.state, t.account_id, t.key_id, t.request ->> 'webhookUrl' as webhook_url, t.transfer_id, t.hold_amount, t.created_at,
      e.seq as hold_seq, e.units::text as units, e.unit, e.unit_price, e.price_version
    from ${tasks} join entries e on e.transfer_id = t.transfer_id and e.type = 'hold'
    ${which} for no key update of t`;
}
// A statement of its own: what is read beside a lock that had to wait is stale, and this must come after the locks.
const readAfterLocks = {
  name: 'read-after-locks',
  text: `select clock_timestamp() as now, coalesce((
      select jsonb_agg(jsonb_build_object('account', i.account_id, 'key', i.key, 'bodyHash', encode(i.body_hash, 'hex'),
        'state', i.state, 'taskId', i.task_id, 'answer', i.answer))
      from unnest($1::text[], $2::text[]) as wanted(account_id, key)
      join idempotency_keys i using (account_id, key)
      where i.created_at > clock_timestamp() - interval '24 hours'
    ), '[]') as idempotency_keys`,
};

// Every act on an account's money is written under the account's lock, so that none is missed here.
const readRequests = {
  name: 'read-booked-requests',
  text: `select a.account_id as account, wanted.request, a.action, a.details ->> 'amount' as amount, a.reason
    from unnest($1::text[], $2::text[]) as wanted(account_id, request)
    join acts a on a.account_id = wanted.account_id and a.details ->> 'request' = wanted.request
    where a.action in ('account.credited', 'account.adjusted')`,
};

/**
 * Opens a transaction and locks what the moves are about, in the order kept everywhere: accounts, keys, tasks, each by
 * id. All statements go out at once; one round trip.
 */
export async function lockAndRead(client: pg.PoolClient, wanted: Wanted): Promise<View> {
  const answers = await inOneWrite(client, () =>
    Promise.all([
      client.query('begin'),
      client.query({ ...lockAccounts, values: [wanted.accounts] }),
      client.query({ ...lockKeys, values: [wanted.keys] }),
      wanted.tasks.length === 0
        ? undefined
        : client.query({ ...lockTasks(wanted.tasks.length), values: [wanted.tasks] }),
      client.query({
        ...readAfterLocks,
        values: [wanted.idempotencyKeys.map(({ account }) => account), wanted.idempotencyKeys.map(({ key }) => key)],
      }),
      wanted.requests.length === 0
        ? undefined
        : client.query({
            ...readRequests,
            values: [wanted.requests.map(({ account }) => account), wanted.requests.map(({ request }) => request)],
          }),
    ]),
  );
  const [, accounts, keys, tasks, rest, requests] = answers;
  const after = z.array(afterRow).length(1).parse(rest.rows)[0];
  if (!after) throw new Error('the database told no time');
  return {
    now: after.now,
    accounts: new Map(accounts.rows.map((row) => accountRow.parse(row)).map((account) => [account.id, account])),
    keys: new Map(keys.rows.map(lockedKeyOf).map((key) => [key.id, key])),
    tasks: new Map((tasks?.rows ?? []).map((row) => taskRow.parse(row)).map((task) => [task.id, task])),
    idempotencyKeys: new Map(
      after.idempotency_keys.map(({ account, key, ...bound }) => [idempotencyKeyOf(account, key), bound]),
    ),
    requests: new Map(
      (requests?.rows ?? [])
        .map((row) => requestRow.parse(row))
        .map(({ account, request, ...booked }) => [requestOf(account, request), booked]),
    ),
  };
}

function lockedKeyOf(row: unknown): LockedKey {
  return { ...keyRow.parse(row), ...versionRow.parse(row) };
}

/** A transaction's number, which the driver gives as digits. */
export const versionDigits = z.string().transform((digits): RowVersion => Number(digits));
const versionRow = z.object({ version: versionDigits });
const money = z.bigint().transform(micros);
const bytes = z.instanceof(Buffer);
const accountId = z.string().transform((id) => id as AccountId);
const keyId = z.string().transform((id) => id as KeyId);
const taskId = z.string().transform((id) => id as TaskId);

const accountRow = z
  .object({
    id: accountId,
    status: z.enum(['active', 'suspended']),
    available: money,
    held: money,
    in_arrears: z.boolean(),
    seq: z.bigint(),
    chain: bytes,
    webhook_url: z.string().nullable(),
    low_balance: money.nullable(),
    is_low: z.boolean(),
    version: versionDigits,
  })
  .transform(({ in_arrears, webhook_url, low_balance, is_low, ...row }): LockedAccount => ({
    ...row,
    inArrears: in_arrears,
    webhookUrl: webhook_url,
    lowBalance: low_balance,
    isLow: is_low,
  }));

export const keyRow = z
  .object({
    id: keyId,
    account_id: accountId,
    level: z.enum(keyLevels),
    models: z.array(z.string()).nullable(),
    call_limits: callLimitsSchema,
    spend_limit: storedSpendLimitSchema.nullable(),
    max_running_tasks: z.int().nullable(),
    expires_at: z.date().nullable(),
    revoked_at: z.date().nullable(),
    counted_at: z.date().nullable(),
    calls_minute: z.bigint(),
    calls_hour: z.bigint(),
    calls_day: z.bigint(),
    calls_month: z.bigint(),
    calls_total: z.bigint(),
    spent_minute: z.bigint(),
    spent_hour: z.bigint(),
    spent_day: z.bigint(),
    spent_month: z.bigint(),
    spent_total: z.bigint(),
    since_minute: z.bigint(),
    since_hour: z.bigint(),
    since_day: z.bigint(),
    since_month: z.bigint(),
    since_total: z.bigint(),
    clock_back_at: z.date().nullable(),
    running_tasks: z.int(),
  })
  .transform((row): Omit<LockedKey, 'version'> => ({
    id: row.id,
    accountId: row.account_id,
    level: row.level,
    models: row.models,
    callLimits: row.call_limits,
    spendLimit: row.spend_limit,
    maxRunningTasks: row.max_running_tasks,
    expiresAt: row.expires_at,
    revoked: row.revoked_at !== null,
    counters: {
      countedAt: row.counted_at,
      calls: {
        minute: row.calls_minute,
        hour: row.calls_hour,
        day: row.calls_day,
        month: row.calls_month,
        total: row.calls_total,
      },
      spent: {
        minute: row.spent_minute,
        hour: row.spent_hour,
        day: row.spent_day,
        month: row.spent_month,
        total: row.spent_total,
      },
      since: {
        minute: row.since_minute,
        hour: row.since_hour,
        day: row.since_day,
        month: row.since_month,
        total: row.since_total,
      },
      clockBackAt: row.clock_back_at,
      runningTasks: row.running_tasks,
    },
  }));

const taskRow = z
  .object({
    id: taskId,
    kind: z.enum(taskKinds),
    state: z.enum(taskStates as [TaskState, ...TaskState[]]),
    account_id: accountId,
    key_id: keyId,
    webhook_url: z.string().nullable(),
    transfer_id: z.string().transform((id) => id as TransferId),
    hold_amount: z.bigint(),
    hold_seq: z.bigint(),
    created_at: z.date(),
    units: z.string(),
    unit: z.enum(['image', 'second']),
    unit_price: money,
    price_version: z.string(),
  })
  .transform((row): LockedTask => ({
    id: row.id,
    kind: row.kind,
    state: row.state,
    accountId: row.account_id,
    keyId: row.key_id,
    webhookUrl: row.webhook_url,
    transferId: row.transfer_id,
    holdAmount: row.hold_amount,
    holdSeq: row.hold_seq,
    sale: { units: row.units, unit: row.unit, unitPrice: row.unit_price, priceVersion: row.price_version },
    createdAt: row.created_at,
  }));

const requestRow = z.object({
  account: z.string(),
  request: z.string(),
  action: z.string(),
  amount: z.string(),
  reason: z.string().nullable(),
});

const afterRow = z.object({
  now: z.date(),
  idempotency_keys: z.array(
    z.object({
      account: z.string(),
      key: z.string(),
      bodyHash: z.string().transform((hex) => Buffer.from(hex, 'hex')),
      state: z.enum(['running', 'done']),
      taskId: taskId.nullable(),
      answer: z.string().nullable(),
    }),
  ),
});
