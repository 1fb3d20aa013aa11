/** What a check of the audit is, what it is given, and what it reports. */
import type { Read } from './short-reads.ts';

/** One thing that disagrees. */
export interface Finding {
  /** The check that found it. */
  check: string;
  /** What it is about: an account, an entry (`<transfer>.<type>`), a hold, a key, a task, a blob, an act. */
  subject: string;
  /** What disagrees with what, in a sentence that holds no secret. */
  says: string;
}

/** One kind of question that the audit asks. */
export interface Check {
  name: string;
  run(context: CheckContext): Promise<void>;
}

export interface CheckContext {
  /**
   * Reads a page: what one statement returns is of one moment, and what the next one returns of a later one. What is
   * compared with each other must be in one page, or never change once it is there, as entries and acts.
   */
  read: Read;
  /** How many rows a page should have. */
  pageRows: () => number;
  /** The keys that chains and seals may have been made with: those of all secrets, the newest first. */
  ledgerKeys: readonly Buffer[];
  /** Only what is newer has to be looked at. */
  since: Date | undefined;
  /** The database's clock as the check began. */
  now: Date;
  /** Says that something disagrees. */
  found: (subject: string, says: string) => void;
  /** Says how many of something were looked at. */
  looked: (what: string, count: number) => void;
}
