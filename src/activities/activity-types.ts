/** What workflows know of activities: their names, arguments and results, which are written into histories. Types only. */
import type { BatchPause, BatchState, FinalBatchState } from '../domain/batches/batch-states.ts';
import type { ErrorBody } from '../domain/errors.ts';
import type { TaskId } from '../domain/ids.ts';
import type { FinalTaskState, StoredFile } from '../domain/tasks/task-states.ts';

/** The two steps of a task that take long: `submit` on the queue of its provider, `collect` on that of the workflows. */
export interface TaskActivities {
  submit(args: { taskId: TaskId; route: number }): Promise<Submitted>;
  collect(args: { taskId: TaskId; route: number }): Promise<Collected>;
}

/** Steps in our own database; local activities. */
export interface LocalActivities {
  settle(args: { taskId: TaskId; files: readonly StoredFile[] }): Promise<Ended>;
  release(args: { taskId: TaskId; error: FailureFacts }): Promise<Ended>;
  expire(args: { taskId: TaskId }): Promise<{ againInMs: number | null }>;
  giveUp(args: { eventId: string }): Promise<Delivery>;
  /** Notes that no more lines are to be sent. */
  cancelBatch(args: { batchId: string }): Promise<{ state: BatchState }>;
}

/** On the background queue. */
export interface BackgroundActivities {
  /** Stops what providers may still be doing for a task that ended without success, and deletes what was stored for it. */
  withdraw(args: { taskId: TaskId }): Promise<Withdrawn>;
  /** Attempts to deliver an event. */
  deliver(args: { eventId: string }): Promise<Delivery>;
}

/** On the queue of batches. */
export interface BatchActivities {
  /** Checks every line, before anything is held. */
  validateBatch(args: { batchId: string }): Promise<{ state: BatchState; total: number; mistakes: number }>;
  /** Runs lines for some time. */
  runBatchSlice(args: { batchId: string }): Promise<SliceRun>;
  /** Makes the files, and ends the batch. */
  finalizeBatch(args: { batchId: string }): Promise<BatchEnded>;
}

/** How a batch is after a slice. */
export interface SliceRun {
  /** Lines that have not ended. */
  left: number;
  /** When the next slice makes sense; 0: at once. */
  againInMs: number;
  paused: BatchPause | null;
  total: number;
  completed: number;
  failed: number;
  /** In micro-units. */
  cost: number;
  currency: string;
}

export interface BatchEnded {
  state: FinalBatchState;
  /** In micro-units. */
  cost: number;
  /** Of the cost; none where nothing was sent. */
  currency?: string;
}

/** What became of the provider jobs of a task that ended without success. */
export interface Withdrawn {
  /** Asked to stop, where their provider can. */
  stopped: number;
  /** Left to end by themselves, at the operator's cost. */
  left: number;
}

/** How the delivery of an event ended. */
export interface Delivery {
  delivered: boolean;
}

/** On the queue of workflows. */
export interface AuditActivities {
  audit(): Promise<Audited>;
}

/** How an audit came out; its findings are in the log and among the audits. */
export interface Audited {
  agrees: boolean;
  findingCount: number;
  looked: Readonly<Record<string, number>>;
  seconds: number;
  /** Of an audit that agrees: the heads of all chains, by their number and keyed hash. */
  anchor?: { seq: number; mac: string; accounts: number; acts: string; blob: string };
}

/** On the queue of workflows. */
export interface RetentionActivities {
  /** Deletes results past their time, files that no row names, and what processes that died left behind. */
  retain(): Promise<Retained>;
}

/** How much was deleted. */
export type Retained = Readonly<{ tasks: number; unnamedBlobs: number; leftovers: number }>;

export type Submitted =
  /** The provider may be working on it since then; what `collect` needs is in the intent. `isUnknown`: it may not have taken the task. */
  | { outcome: 'sent'; since?: string; isUnknown?: boolean }
  | { outcome: 'refused'; error: ErrorFacts; fallOver: boolean; again?: SentAgain }
  /** The row is final already. */
  | { outcome: 'ended' };

/** The provider was only too busy: when it is to be asked again. */
export interface SentAgain {
  inMs: number;
  /** The same moment, ISO 8601, for people. */
  at: string;
}

export interface TaskFailed {
  outcome: 'failed';
  error: FailureFacts;
}
export type Collected = { outcome: 'stored'; files: readonly StoredFile[] } | TaskFailed;

/** From a workflow the code only: the message is in the task's row (`tasks/rows/task-failure.ts`). The scan brings its own. */
export type ErrorFacts = Pick<ErrorBody, 'code'> & Partial<Pick<ErrorBody, 'message' | 'param'>>;
/** `cancelled`: its owner or an operator ended it. `broken`: a fault of ours, whose reason is in the log only. */
export type FailureFacts = ErrorFacts | 'cancelled' | 'broken';

export interface Ended {
  state: FinalTaskState;
  /** When the result has to be deleted, if it is one that is kept for minutes only. */
  expiresInMs: number | null;
  /** The event that is owed to a webhook for this end, if there is a webhook. */
  eventId?: string;
  /** In micro-units. */
  cost: number;
  /** Of the cost; histories from before there was a setting have none. */
  currency?: string;
  /** The one that took the task, if any did: no refusal of its own is known. */
  provider?: string;
  /** ISO 8601, where the result is kept for minutes only. */
  expiresAt?: string;
}
