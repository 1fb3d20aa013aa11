/** A move: one thing that happens to an account's money, decided over locked rows and written in one transaction. */
import type { KeyCounters } from '../../domain/billing/admission.ts';
import type { AccountId, KeyId, TaskId, TransferId } from '../../domain/ids.ts';
import type { Movement } from '../../domain/billing/postings.ts';
import type { Money } from '../../domain/money.ts';
import type { FinalTaskState, StoredFile, TaskKind } from '../../domain/tasks/task-states.ts';
import type { NewAct } from '../audit-log.ts';
import type { TaskError } from '../../tasks/rows/task-rows.ts';
import type { EndedLine, SentLine } from './line-rows.ts';
import type { EntryOrigin, EntrySale } from './entry-sale.ts';
import type { BookedRequest, BoundIdempotencyKey, LockedAccount, LockedKey, LockedTask } from './locked-rows.ts';

export interface LedgerOperation<T> {
  readonly account: AccountId;
  readonly key?: KeyId;
  readonly task?: TaskId;
  readonly idempotencyKey?: string;
  /** Decides an administrative act too. */
  readonly isAct?: boolean;
  /** Of a booking that may be asked for again: its own id, with which its act is logged. */
  readonly request?: string;
  /** Pure: the same rows give the same decision, so that it may be asked again after a rollback. */
  decide(rows: OperationRows): Effects<T>;
}

export interface OperationRows {
  now: Date;
  account: LockedAccount;
  key: LockedKey | undefined;
  task: LockedTask | undefined;
  bound: BoundIdempotencyKey | undefined;
  /** What was booked under the move's request before. */
  booked: BookedRequest | undefined;
}

/** What an operation changes. Nothing named, nothing changed: it returns its outcome alone. */
export interface Effects<T> {
  outcome: T;
  entries?: readonly NewEntry[];
  counters?: KeyCounters;
  inArrears?: boolean;
  newHold?: NewHold;
  closedHold?: { transferId: TransferId; state: 'captured' | 'released' };
  newTask?: NewTask;
  endedTask?: EndedTask;
  boundKey?: BoundKey;
  /** The answer of the call that bound this key is stored; or the key is free again. */
  closedKey?: { transferId: TransferId; answer: string | null };
  sentLine?: SentLine;
  endedLine?: EndedLine;
  /** Owed to a webhook from now on. */
  newEvent?: NewEvent;
  /** Logged with the rest; only of moves that said so. */
  act?: NewAct;
}

/** An idempotency key bound by a task for good, or by a call until it is closed. */
export type BoundKey = { key: string; bodyHash: Buffer } & (
  | { taskId: TaskId }
  | { transferId: TransferId; owner: string }
);

/** An entry's movement, and what it is about. */
export interface NewEntry extends Movement {
  subject: EntrySubject;
  /** Of whatever is held or sold; money that comes in has none. */
  sale?: EntrySale;
  origin?: EntryOrigin;
  reason?: string;
}

/** What all entries of a transfer name. */
export interface EntrySubject {
  transferId: TransferId;
  keyId?: KeyId;
  taskId?: TaskId;
  requestId?: string;
  model?: string;
}

export interface NewHold {
  transferId: TransferId;
  keyId: KeyId;
  subject: string;
  amount: Money;
  /** The process whose lease keeps a call's hold; a task's needs none. */
  owner?: string;
}

export interface NewTask {
  id: TaskId;
  kind: TaskKind;
  keyId: KeyId;
  requestId: string;
  model: string;
  request: unknown;
  uploads: unknown;
  terms: unknown;
  transferId: TransferId;
  holdAmount: Money;
  /** It waits for its turn: as many of its key run as may. */
  queued?: boolean;
}

/** An event that is owed to a webhook. Of a task its record is sent, made anew for each attempt. */
export type NewEvent = { id: string; account: AccountId; url: string } & (
  | { type: 'account.balance_low'; data: Record<string, unknown> }
  | { type: `${TaskKind}.${'succeeded' | 'failed'}`; taskId: TaskId }
);

export type EndedTask = { id: TaskId; state: FinalTaskState; balanceAfter: Money } & (
  | { state: 'succeeded'; cost: Money; durationMs: number | null; files: readonly StoredFile[] }
  | { state: 'failed' | 'cancelled'; error: TaskError }
);
