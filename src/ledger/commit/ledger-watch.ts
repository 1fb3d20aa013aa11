/** What the ledger reports to those who count: what was committed, once each, and how long that took. */
import type { EndedTask, NewEntry, NewTask } from './ledger-operation.ts';
import type { LockedTask } from './locked-rows.ts';

/** A group that is durable. */
export interface Committed {
  /** The database's clock. */
  readonly now: Date;
  entries(): Iterable<NewEntry>;
  readonly newTasks: readonly NewTask[];
  readonly endedTasks: readonly { task: LockedTask; end: EndedTask }[];
  /** How far the database's clock was found set back behind what keys had counted; mostly 0. */
  readonly clockBackMs: number;
}

/** Must not throw. */
export interface LedgerWatch {
  /** A group was committed. One whose answer was lost is reported when its outcome is known. */
  committed(group: Committed): void;
  /** An attempt to commit so many moves took so long, and was answered. */
  took(moves: number, ms: number): void;
  /** An attempt to commit failed. */
  failed(): void;
}
