/** Writes what a group of moves decided: the money in one statement, then tasks and idempotency keys. */
import { createHmac } from 'node:crypto';
import type pg from 'pg';
import { canonicalJson } from '../../domain/canonical-json.ts';
import type { AccountId } from '../../domain/ids.ts';
import { ledgerAccounts } from '../../domain/ledger.ts';
import { micros } from '../../domain/money.ts';
import type { Decision, EndedTask, NewEntry, NewHold, NewTask } from './move.ts';
import type { LockedAccount, LockedKey, LockedTask } from './view.ts';

type Json = Record<string, unknown>;

/** What a group has decided so far, as rows to be written. Applies each decision to the locked rows on the way. */
export class Writes {
  readonly #ledgerKey: Buffer;
  readonly #now: Date;
  readonly #accounts = new Map<AccountId, LockedAccount>();
  readonly #entries = new Map<AccountId, Json[]>();
  readonly #keys = new Map<string, LockedKey>();
  readonly #holds: Json[] = [];
  readonly #closed: Json[] = [];
  readonly #tasks: Json[] = [];
  readonly #ended: Json[] = [];
  readonly #bound: Json[] = [];
  #witness: { transferId: string; type: string } | undefined;

  constructor(now: Date, ledgerKey: Buffer) {
    this.#now = now;
    this.#ledgerKey = ledgerKey;
  }

  get isEmpty(): boolean {
    return [this.#accounts, this.#keys].every((map) => map.size === 0) && this.#ended.length === 0;
  }

  /** An entry that is there if and only if the whole group was committed. */
  get witness(): { transferId: string; type: string } | undefined {
    return this.#witness;
  }

  add(
    decision: Decision<unknown>,
    account: LockedAccount,
    key: LockedKey | undefined,
    task: LockedTask | undefined,
  ): void {
    for (const entry of decision.entries ?? []) this.#enter(entry, account);
    if (decision.inArrears !== undefined) {
      account.inArrears = decision.inArrears;
      this.#accounts.set(account.id, account);
    }
    if (decision.counters && key) {
      key.counters = decision.counters;
      this.#keys.set(key.id, key);
    }
    if (decision.newHold) this.#holds.push(holdJson(decision.newHold, account.id, this.#now));
    if (decision.closedHold) {
      this.#closed.push({ transfer_id: decision.closedHold.transferId, state: decision.closedHold.state });
    }
    if (decision.newTask) this.#tasks.push(taskJson(decision.newTask, account.id, this.#now));
    if (decision.endedTask) {
      if (task) task.state = decision.endedTask.state;
      this.#ended.push(endJson(decision.endedTask, this.#now));
    }
    if (decision.boundKey) {
      const { key: bound, bodyHash, taskId } = decision.boundKey;
      this.#bound.push({ account_id: account.id, key: bound, body_hash: bodyHash.toString('hex'), task_id: taskId });
    }
  }

  /** Sends everything and the commit at once; one round trip. Refuses, with nothing written, if a guard did not hold. */
  async commit(client: pg.PoolClient): Promise<void> {
    const entries = [...this.#accounts.values()].flatMap((account) => this.#chained(account));
    const statements = [
      client.query({
        ...writeMoney,
        values: [
          JSON.stringify([...this.#accounts.values()].map(accountJson)),
          JSON.stringify([...this.#keys.values()].map(keyJson)),
          JSON.stringify(this.#holds),
          JSON.stringify(this.#closed),
          JSON.stringify(entries),
          this.#now,
        ],
      }),
    ];
    if (this.#tasks.length > 0) {
      statements.push(client.query({ ...insertTasks, values: [JSON.stringify(this.#tasks)] }));
    }
    if (this.#ended.length > 0) {
      statements.push(client.query({ ...endTasks, values: [JSON.stringify(this.#ended), this.#ended.length] }));
    }
    if (this.#bound.length > 0) {
      statements.push(
        client.query({ ...bindKeys, values: [JSON.stringify(this.#bound), this.#now, this.#bound.length] }),
      );
    }
    const commit = client.query('commit');
    const answers = await Promise.allSettled([...statements, commit]);
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed) throw failed.reason;
    if ((await commit).command !== 'COMMIT') throw new Error('the ledger transaction was rolled back');
  }

  #enter(entry: NewEntry, account: LockedAccount): void {
    account.available = micros(account.available + entry.legs.available);
    account.held = micros(account.held + entry.legs.held);
    account.seq += 1n;
    this.#witness ??= { transferId: entry.transferId, type: entry.type };
    const rows = this.#entries.get(account.id) ?? [];
    rows.push(entryJson(entry, account, this.#now));
    this.#entries.set(account.id, rows);
    this.#accounts.set(account.id, account);
  }

  /** The account's new entries, the last one carrying the chain's new head. */
  #chained(account: LockedAccount): Json[] {
    const rows = this.#entries.get(account.id) ?? [];
    const last = rows.at(-1);
    if (!last) return [];
    account.chain = chainLink(this.#ledgerKey, account.chain, rows.map(canonicalEntry));
    last['link'] = account.chain.toString('hex');
    return rows;
  }
}

/**
 * The next link of an account's chain: HMAC-SHA256 over the link before and the canonical rows of one commit, in the
 * order of their numbers. A row changed, removed, slipped in or cut off no longer gives the head on the account's row.
 */
export function chainLink(ledgerKey: Buffer, previous: Buffer, rows: readonly string[]): Buffer {
  const hmac = createHmac('sha256', ledgerKey).update(previous);
  for (const row of rows) hmac.update(row).update('\n');
  return hmac.digest();
}

const entryColumns = [
  'transfer_id',
  'type',
  'account_id',
  'seq',
  'created_at',
  ...ledgerAccounts.map((account) => `d_${account}`),
  'available_after',
  'held_after',
  'key_id',
  'task_id',
  'request_id',
  'model',
  'units',
  'unit',
  'unit_price',
  'lines',
  'price_version',
  'usage_source',
  'reason',
] as const;

/** An entry's columns in a fixed order, as JSON: what the chain signs. */
export const canonicalEntry = (row: Json): string => canonicalJson(entryColumns.map((column) => row[column] ?? null));

function entryJson(entry: NewEntry, account: LockedAccount, now: Date): Json {
  const legs = Object.fromEntries(ledgerAccounts.map((name) => [`d_${name}`, entry.legs[name].toString()]));
  return {
    transfer_id: entry.transferId,
    type: entry.type,
    account_id: account.id,
    seq: account.seq.toString(),
    created_at: now.toISOString(),
    ...legs,
    available_after: account.available.toString(),
    held_after: account.held.toString(),
    key_id: entry.keyId ?? null,
    task_id: entry.taskId ?? null,
    request_id: entry.requestId ?? null,
    model: entry.model ?? null,
    units: entry.units ?? null,
    unit: entry.unit ?? null,
    unit_price: entry.unitPrice?.toString() ?? null,
    lines: entry.lines ?? null,
    price_version: entry.priceVersion ?? null,
    usage_source: entry.usageSource ?? null,
    reason: entry.reason ?? null,
  };
}

const accountJson = (account: LockedAccount): Json => ({
  id: account.id,
  available: account.available.toString(),
  held: account.held.toString(),
  in_arrears: account.inArrears,
  seq: account.seq.toString(),
  chain: account.chain.toString('hex'),
});

const keyJson = ({ id, counters: { countedAt, calls, spent, runningTasks } }: LockedKey): Json => ({
  id,
  counted_at: countedAt?.toISOString() ?? null,
  calls_minute: calls.minute.toString(),
  calls_hour: calls.hour.toString(),
  calls_day: calls.day.toString(),
  calls_month: calls.month.toString(),
  calls_total: calls.total.toString(),
  spent_minute: spent.minute.toString(),
  spent_hour: spent.hour.toString(),
  spent_day: spent.day.toString(),
  spent_month: spent.month.toString(),
  spent_total: spent.total.toString(),
  running_tasks: runningTasks,
});

const holdJson = (hold: NewHold, account: AccountId, now: Date): Json => ({
  transfer_id: hold.transferId,
  account_id: account,
  key_id: hold.keyId,
  subject: hold.subject,
  amount: hold.amount.toString(),
  created_at: now.toISOString(),
});

const taskJson = (task: NewTask, account: AccountId, now: Date): Json => ({
  id: task.id,
  kind: task.kind,
  account_id: account,
  key_id: task.keyId,
  request_id: task.requestId,
  model: task.model,
  request: task.request,
  uploads: task.uploads,
  terms: task.terms,
  transfer_id: task.transferId,
  hold_amount: task.holdAmount.toString(),
  created_at: now.toISOString(),
});

const endJson = (task: EndedTask, now: Date): Json => ({
  id: task.id,
  state: task.state,
  finished_at: now.toISOString(),
  balance_after: task.balanceAfter.toString(),
  ...(task.state === 'succeeded'
    ? { cost: task.cost.toString(), duration_ms: task.durationMs, files: task.files }
    : { error_code: task.error.code, error_message: task.error.message, error_param: task.error.param }),
});

// One statement for all the money. A hold that was closed already makes the count differ, and the division by zero
// rolls the group back: `holds … and state = 'held'` is the guard that nothing is captured twice.
const writeMoney = {
  name: 'write-money',
  text: `with
    account_rows as (
      update accounts a set available = r.available, held = r.held, in_arrears = r.in_arrears, seq = r.seq, chain = decode(r.chain, 'hex')
      from jsonb_to_recordset($1::jsonb) as r(id text, available bigint, held bigint, in_arrears boolean, seq bigint, chain text)
      where a.id = r.id
    ),
    key_rows as (
      update api_keys k set counted_at = r.counted_at, running_tasks = r.running_tasks, last_used_at = $6,
        calls_minute = r.calls_minute, calls_hour = r.calls_hour, calls_day = r.calls_day,
        calls_month = r.calls_month, calls_total = r.calls_total,
        spent_minute = r.spent_minute, spent_hour = r.spent_hour, spent_day = r.spent_day,
        spent_month = r.spent_month, spent_total = r.spent_total
      from jsonb_to_recordset($2::jsonb) as r(id text, counted_at timestamptz, running_tasks integer,
        calls_minute bigint, calls_hour bigint, calls_day bigint, calls_month bigint, calls_total bigint,
        spent_minute bigint, spent_hour bigint, spent_day bigint, spent_month bigint, spent_total bigint)
      where k.id = r.id
    ),
    new_holds as (
      insert into holds (transfer_id, account_id, key_id, subject, amount, created_at)
      select * from jsonb_to_recordset($3::jsonb)
        as r(transfer_id uuid, account_id text, key_id text, subject text, amount bigint, created_at timestamptz)
    ),
    closed_holds as (
      update holds h set state = r.state from jsonb_to_recordset($4::jsonb) as r(transfer_id uuid, state text)
      where h.transfer_id = r.transfer_id and h.state = 'held' returning 1
    ),
    new_entries as (
      insert into entries (transfer_id, type, account_id, seq, created_at, d_available, d_held, d_revenue, d_top_ups,
        d_adjustments, d_write_offs, available_after, held_after, key_id, task_id, request_id, model, units, unit, unit_price,
        lines, price_version, usage_source, reason, link)
      select transfer_id, type, account_id, seq, created_at, d_available, d_held, d_revenue, d_top_ups,
        d_adjustments, d_write_offs, available_after, held_after, key_id, task_id, request_id, model, units, unit, unit_price,
        lines, price_version, usage_source, reason, decode(link, 'hex')
      from jsonb_to_recordset($5::jsonb)
        as r(transfer_id uuid, type text, account_id text, seq bigint, created_at timestamptz, d_available bigint, d_held bigint,
          d_revenue bigint, d_top_ups bigint, d_adjustments bigint, d_write_offs bigint, available_after bigint, held_after bigint,
          key_id text, task_id text, request_id text, model text, units numeric, unit text, unit_price bigint,
          lines jsonb, price_version text, usage_source text, reason text, link text)
    )
    select 1 / (case when (select count(*) from closed_holds) = jsonb_array_length($4::jsonb) then 1 else 0 end)`,
};

const insertTasks = {
  name: 'insert-tasks',
  text: `insert into tasks (id, kind, account_id, key_id, request_id, model, request, uploads, terms, transfer_id, hold_amount, created_at)
    select * from jsonb_to_recordset($1::jsonb) as r(id text, kind text, account_id text, key_id text, request_id text, model text,
      request jsonb, uploads jsonb, terms jsonb, transfer_id uuid, hold_amount bigint, created_at timestamptz)`,
};

// A task's end is decided here and nowhere else.
const endTasks = {
  name: 'end-tasks',
  text: `with ended as (
      update tasks t set state = r.state, finished_at = r.finished_at, balance_after = r.balance_after, cost = r.cost,
        duration_ms = r.duration_ms, files = r.files, error_code = r.error_code, error_message = r.error_message,
        error_param = r.error_param, cancel_pending = (r.state = 'cancelled')
      from jsonb_to_recordset($1::jsonb) as r(id text, state text, finished_at timestamptz, balance_after bigint, cost bigint,
        duration_ms bigint, files jsonb, error_code text, error_message text, error_param text)
      where t.id = r.id and t.state not in ('succeeded', 'failed', 'cancelled') returning 1
    )
    select 1 / (case when (select count(*) from ended) = $2::integer then 1 else 0 end)`,
};

// A key older than 24 hours is free again.
const bindKeys = {
  name: 'bind-idempotency-keys',
  text: `with bound as (
      insert into idempotency_keys as i (account_id, key, body_hash, state, task_id, created_at)
      select account_id, key, decode(body_hash, 'hex'), 'done', task_id, $2
      from jsonb_to_recordset($1::jsonb) as r(account_id text, key text, body_hash text, task_id text)
      on conflict (account_id, key) do update set body_hash = excluded.body_hash, state = excluded.state,
        task_id = excluded.task_id, answer = null, created_at = excluded.created_at
      where i.created_at <= $2::timestamptz - interval '24 hours' returning 1
    )
    select 1 / (case when (select count(*) from bound) = $3::integer then 1 else 0 end)`,
};
