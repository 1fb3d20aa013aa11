/** What a check reports: one line, and how to fix what is wrong. */

export type FindingState = 'ok' | 'warn' | 'fail' | 'skip';

export interface Finding {
  /** What was looked at, in a word or two. */
  check: string;
  state: FindingState;
  found: string;
  /** What to do about it; with `warn` and `fail` only. */
  fix?: string;
}

/** What a check found, and what later checks build on; without a value they can't be made. */
export interface Verdict<Value> {
  findings: readonly Finding[];
  value?: Value | undefined;
}

export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found });
export const skip = (check: string, why: string): Finding => ({ check, state: 'skip', found: why });
/** It works, and may not when it matters. */
export const warn = (check: string, found: string, fix: string): Finding => ({ check, state: 'warn', found, fix });
export const fail = (check: string, found: string, fix: string): Finding => ({ check, state: 'fail', found, fix });

/** `3 workers`, `1 worker`. */
export const counted = (count: number, name: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? name : name.replace(/y$/, 'ie')}${count === 1 ? '' : 's'}`;
