/** What a group of moves sees: the rows that it locked, read and parsed, in the form that the domain decides on. */
import type pg from 'pg';
import * as z from 'zod';
import { inOneWrite } from '../../postgres/joined-writes.ts';
import { bytes, type ColumnValues, computed, id, money, row, type RowOf } from '../../postgres/row.ts';
import type { AccountState, KeyState } from '../../domain/billing/admission.ts';
import type { AccountId, KeyId, TaskId, TransferId } from '../../domain/ids.ts';
import { callLimitsSchema, keyLevels, storedSpendLimitSchema } from '../../domain/accounts/key-rules.ts';
import type { EntrySale } from './entry-sale.ts';
import { taskKinds, taskStates, type TaskState } from '../../domain/tasks/task-states.ts';

/** PostgreSQL's `xmin`: the number of the transaction that wrote the row as it was read. */
export type RowVersion = number;

/** It comes as digits. */
export const version = computed(
  'xmin',
  z.string().transform((digits): RowVersion => Number(digits)),
);

const accountRow = row({
  id: id<AccountId>(),
  status: z.enum(['active', 'suspended']),
  available: money,
  held: money,
  inArrears: z.boolean(),
  seq: z.bigint(),
  chain: bytes,
  webhookUrl: z.string().nullable(),
  /** Below this the account is low. */
  lowBalance: money.nullable(),
  isLow: z.boolean(),
  version,
});
export type LockedAccount = RowOf<typeof accountRow> & AccountState;

const keyColumns = {
  id: id<KeyId>(),
  accountId: id<AccountId>(),
  level: z.enum(keyLevels),
  models: z.array(z.string()).nullable(),
  callLimits: callLimitsSchema,
  spendLimit: storedSpendLimitSchema.nullable(),
  maxRunningTasks: z.int().nullable(),
  queue: z.boolean(),
  expiresAt: z.date().nullable(),
  revokedAt: z.date().nullable(),
  countedAt: z.date().nullable(),
  callsMinute: z.bigint(),
  callsHour: z.bigint(),
  callsDay: z.bigint(),
  callsMonth: z.bigint(),
  callsTotal: z.bigint(),
  spentMinute: z.bigint(),
  spentHour: z.bigint(),
  spentDay: z.bigint(),
  spentMonth: z.bigint(),
  spentTotal: z.bigint(),
  sinceMinute: z.bigint(),
  sinceHour: z.bigint(),
  sinceDay: z.bigint(),
  sinceMonth: z.bigint(),
  sinceTotal: z.bigint(),
  clockBackAt: z.date().nullable(),
  runningTasks: z.int(),
};

// Written out, since a `...rest` of so many columns takes 5 µs a row, and this 0.2.
const keyStateOf = (read: ColumnValues<typeof keyColumns>) => ({
  id: read.id,
  accountId: read.accountId,
  level: read.level,
  models: read.models,
  callLimits: read.callLimits,
  spendLimit: read.spendLimit,
  maxRunningTasks: read.maxRunningTasks,
  queue: read.queue,
  expiresAt: read.expiresAt,
  revoked: read.revokedAt !== null,
  counters: {
    countedAt: read.countedAt,
    calls: {
      minute: read.callsMinute,
      hour: read.callsHour,
      day: read.callsDay,
      month: read.callsMonth,
      total: read.callsTotal,
    },
    spent: {
      minute: read.spentMinute,
      hour: read.spentHour,
      day: read.spentDay,
      month: read.spentMonth,
      total: read.spentTotal,
    },
    since: {
      minute: read.sinceMinute,
      hour: read.sinceHour,
      day: read.sinceDay,
      month: read.sinceMonth,
      total: read.sinceTotal,
    },
    clockBackAt: read.clockBackAt,
    runningTasks: read.runningTasks,
  },
});

export const keyRow = row(keyColumns).as(keyStateOf);
const lockedKeyRow = row({ ...keyColumns, version }).as((read) => ({ ...keyStateOf(read), version: read.version }));
export type LockedKey = KeyState & Pick<RowOf<typeof lockedKeyRow>, 'id' | 'accountId' | 'version'>;

const taskRow = row({
  id: id<TaskId>(),
  kind: z.enum(taskKinds),
  state: z.enum(taskStates as [TaskState, ...TaskState[]]),
  accountId: id<AccountId>(),
  keyId: id<KeyId>(),
  /** That its request named. */
  webhookUrl: computed(`t.request ->> 'webhookUrl'`, z.string().nullable()),
  transferId: id<TransferId>(),
  holdAmount: z.bigint(),
  createdAt: z.date(),
  /** The number of its hold's entry. */
  holdSeq: computed('e.seq', z.bigint()),
  units: computed('e.units::text', z.string()),
  unit: computed('e.unit', z.enum(['image', 'second'])),
  unitPrice: computed('e.unit_price', money),
  priceVersion: computed('e.price_version', z.string()),
}).as(({ units, unit, unitPrice, priceVersion, ...task }) => ({
  ...task,
  /** What its hold names. */
  sale: { units, unit, unitPrice, priceVersion } satisfies EntrySale,
}));
export type LockedTask = RowOf<typeof taskRow>;

export interface BoundIdempotencyKey {
  bodyHash: Buffer;
  state: 'running' | 'done';
  taskId: TaskId | null;
  answer: string | null;
}

/** A credit or adjustment as the audit log has it. */
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
  text: `select ${accountRow.columns}
    from accounts
    where id = any($1::text[]) order by id for no key update`,
};
const lockKeys = {
  name: 'lock-keys',
  text: `select ${lockedKeyRow.columns}
    from api_keys where id = any($1::text[]) order by id for no key update`,
};
// One alone is given to the planner as a value, so that only its partition is opened.
const lockTasks = (count: number): { name: string; text: string } => (count === 1 ? lockOne : lockMany);
const lockOne = { name: 'lock-task', text: lockText('tasks t', 'where t.id = ($1::text[])[1]') };
const lockMany = {
  name: 'lock-tasks',
  text: lockText('unnest($1::text[]) as wanted(id) join tasks t on t.id = wanted.id', 'order by t.id'),
};
function lockText(tasks: string, which: string): string {
  // The entry of the hold never changes, so that reading it beside the lock is safe.
  return `select ${taskRow.columnsOf('t')}
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
  if (!after) throw new Error('the database returned no time');
  return {
    now: after.now,
    accounts: new Map(accounts.rows.map((row) => accountRow.parse(row)).map((account) => [account.id, account])),
    keys: new Map(keys.rows.map((row) => lockedKeyRow.parse(row)).map((key) => [key.id, key])),
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
      taskId: id<TaskId>().nullable(),
      answer: z.string().nullable(),
    }),
  ),
});
