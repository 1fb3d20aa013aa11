/** Rows of a group as JSON, amounts as decimal digits: JSON numbers end at 2^53. */
import { canonicalJson } from '../../domain/canonical-json.ts';
import type { AccountId } from '../../domain/ids.ts';
import { ledgerAccounts } from '../../domain/ledger.ts';
import type { BoundKey, EndedTask, NewEntry, NewHold, NewTask } from './move.ts';
import type { LockedAccount, LockedKey } from './view.ts';

export type Json = Record<string, unknown>;

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

export function entryJson(entry: NewEntry, account: LockedAccount, now: Date): Json {
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

export const accountJson = (account: LockedAccount): Json => ({
  id: account.id,
  available: account.available.toString(),
  held: account.held.toString(),
  in_arrears: account.inArrears,
  seq: account.seq.toString(),
  chain: account.chain.toString('hex'),
});

export const keyJson = ({ id, counters: { countedAt, calls, spent, runningTasks } }: LockedKey): Json => ({
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

export const holdJson = (hold: NewHold, account: AccountId, now: Date): Json => ({
  transfer_id: hold.transferId,
  account_id: account,
  key_id: hold.keyId,
  subject: hold.subject,
  amount: hold.amount.toString(),
  owner: hold.owner ?? null,
  created_at: now.toISOString(),
});

export const taskJson = (task: NewTask, account: AccountId, now: Date): Json => ({
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

export const boundJson = (bound: BoundKey, account: AccountId): Json => ({
  account_id: account,
  key: bound.key,
  body_hash: bound.bodyHash.toString('hex'),
  ...('taskId' in bound
    ? { state: 'done', task_id: bound.taskId }
    : { state: 'running', transfer_id: bound.transferId, owner: bound.owner }),
});

export const endJson = (task: EndedTask, now: Date): Json => ({
  id: task.id,
  state: task.state,
  finished_at: now.toISOString(),
  balance_after: task.balanceAfter.toString(),
  ...(task.state === 'succeeded'
    ? { cost: task.cost.toString(), duration_ms: task.durationMs, files: task.files }
    : { error_code: task.error.code, error_message: task.error.message, error_param: task.error.param }),
});
