/** Rows that a group writes: the ledger's entries with what the chain signs of them, and tasks and keys as JSON. */
import type { AccountId } from '../../domain/ids.ts';
import { admissionSeal, endSeal, errorDigest, requestDigest, sealedMessage } from '../seals.ts';
import type { BoundKey, EndedTask, NewEntry, NewEvent, NewTask } from './ledger-operation.ts';

export type Json = Record<string, unknown>;

/** An entry in its place. */
export interface EntryRow {
  accountId: string;
  seq: bigint;
  createdAt: Date;
  entry: NewEntry;
  availableAfter: bigint;
  heldAfter: bigint;
}

/**
 * What the chain signs of an entry: its columns in a fixed order as a JSON array, amounts as decimal digits (JSON numbers
 * end at 2^53). Spelt out, since it is paid for every entry; what needs no escaping is only put in quotes.
 */
export function canonicalEntry({ accountId, seq, createdAt, entry, availableAfter, heldAfter }: EntryRow): string {
  const { type, legs, subject, sale, origin, reason } = entry;
  return (
    `["${subject.transferId}","${type}","${accountId}","${seq}","${createdAt.toISOString()}"` +
    `,"${legs.available}","${legs.held}","${legs.revenue}","${legs.top_ups}","${legs.adjustments}","${legs.write_offs}"` +
    `,"${availableAfter}","${heldAfter}",${inQuotes(subject.keyId)},${inQuotes(subject.taskId)}` +
    `,${escaped(subject.requestId)},${escaped(subject.model)},${inQuotes(sale?.units)},${inQuotes(sale?.unit)}` +
    `,${inQuotes(sale?.unitPrice)},${sale?.lines ?? 'null'},${inQuotes(sale?.priceVersion)}` +
    `,${inQuotes(sale?.usageSource)},${escaped(reason)}` +
    `,${escaped(origin?.provider)},${inQuotes(origin?.cost)},${escaped(origin?.vendor)}]`
  );
}

/** Of ids, numbers and words of ours. */
const inQuotes = (text: string | bigint | undefined): string => (text === undefined ? 'null' : `"${text}"`);
const escaped = (text: string | undefined): string => (text === undefined ? 'null' : JSON.stringify(text));

/** An admitted task, sealed. */
export function taskJson(task: NewTask, account: AccountId, now: Date, ledgerKey: Buffer): Json {
  const facts = {
    id: task.id,
    kind: task.kind,
    account_id: account,
    key_id: task.keyId,
    request_id: task.requestId,
    model: task.model,
    terms: task.terms,
    transfer_id: task.transferId,
    hold_amount: task.holdAmount.toString(),
    created_at: now.toISOString(),
    request_digest: requestDigest(task.request, task.uploads).toString('hex'),
  };
  return {
    ...facts,
    request: task.request,
    uploads: task.uploads,
    ...(task.queued === true && { queued: true }),
    seal: admissionSeal(ledgerKey, facts).toString('hex'),
  };
}

export const boundJson = (bound: BoundKey, account: AccountId): Json => ({
  account_id: account,
  key: bound.key,
  body_hash: bound.bodyHash.toString('hex'),
  ...('taskId' in bound
    ? { state: 'done', task_id: bound.taskId }
    : { state: 'running', transfer_id: bound.transferId, owner: bound.owner }),
});

const noResult = { cost: null, duration_ms: null, files: null };
const noError = { error_code: null, error_message: null, error_param: null };

/** How a task ended, sealed. */
export function endJson(task: EndedTask, now: Date, ledgerKey: Buffer): Json {
  const isSuccess = task.state === 'succeeded';
  const digest = isSuccess ? null : errorDigest(task.error.message);
  const facts = {
    id: task.id,
    state: task.state,
    finished_at: now.toISOString(),
    balance_after: task.balanceAfter.toString(),
    ...(isSuccess
      ? { ...noError, cost: task.cost.toString(), duration_ms: task.durationMs, files: task.files }
      : {
          ...noResult,
          error_code: task.error.code,
          error_message: digest && sealedMessage(digest),
          error_param: task.error.param,
          ...(task.error.retryAfterSeconds !== undefined && { error_retry_after: task.error.retryAfterSeconds }),
        }),
  };
  return {
    ...facts,
    error_message: isSuccess ? null : task.error.message,
    error_digest: digest?.toString('hex') ?? null,
    end_seal: endSeal(ledgerKey, facts).toString('hex'),
  };
}

/** An event that is owed to a webhook. */
export const eventJson = (event: NewEvent, now: Date): Json => ({
  id: event.id,
  account_id: event.account,
  type: event.type,
  url: event.url,
  ...('taskId' in event ? { data: null, task_id: event.taskId } : { data: event.data, task_id: null }),
  created_at: now.toISOString(),
});
