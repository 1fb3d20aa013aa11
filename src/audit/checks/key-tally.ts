/** A key's counters, worked out again from the entries of what it counted, as they come. */
import { laterCounted } from '../../domain/billing/admission.ts';
import { windows, windowStart } from '../../domain/accounts/key-rules.ts';
import type { KeyHead } from './account-heads.ts';

/** What was held: the number of the entry, and when. */
export interface TalliedHold {
  seq: bigint;
  admittedMs: number;
  held: bigint;
}

/** One of the windows that calls count in. */
interface TalliedWindow {
  startMs: number;
  /** The entry with which it began; undefined: it began before the entries that are read. */
  since: bigint | undefined;
  calls: bigint;
  spent: bigint;
}

export class KeyTally {
  readonly #saidSince: readonly bigint[];
  readonly #sinceMs: number | undefined;
  #countedMs = -Infinity;
  /** In the order of `windows`. */
  readonly #windows: TalliedWindow[] = windows.map(() => ({
    startMs: -Infinity,
    ...{ since: undefined, calls: 0n, spent: 0n },
  }));

  /** With what the key's row says its windows began; with `sinceMs`, entries from before it are unknown, and so are windows. */
  constructor(saidSince: readonly bigint[], sinceMs: number | undefined) {
    this.#saidSince = saidSince;
    this.#sinceMs = sinceMs;
  }

  hold(seq: bigint, admittedMs: number, held: bigint): TalliedHold {
    // Where the clock was set back, the key says whether its windows have passed meanwhile: the refusal that found the
    // clock set back has no entry. So a window may have begun with any call from before what the key had counted at.
    const isBehind = admittedMs < this.#countedMs;
    this.#countedMs = laterCounted(this.#countedMs, admittedMs);
    for (const [index, window] of this.#windows.entries()) {
      const startMs = startOf(index, this.#countedMs);
      if (startMs > window.startMs || (isBehind && this.#saidSince[index] === seq)) this.#begin(window, startMs, seq);
      window.startMs = startMs;
      window.calls += 1n;
      window.spent += held;
    }
    return { seq, admittedMs, held };
  }

  /**
   * What was settled is corrected in the windows that its call counts in. A key that has not begun a window since it keeps
   * their first entries goes by the time of the admission.
   */
  settle({ seq, admittedMs, held }: TalliedHold, charged: bigint): void {
    for (const [index, window] of this.#windows.entries()) {
      if (window.since !== undefined && seq < window.since) continue;
      if (this.#saidSince[index] === 0n && admittedMs < window.startMs) continue;
      window.spent += charged - held;
    }
  }

  /** A new window begins at nothing. */
  #begin(window: TalliedWindow, startMs: number, seq: bigint): void {
    const isFirst = window.startMs === -Infinity;
    const isKnown = !isFirst || this.#sinceMs === undefined || startMs >= this.#sinceMs;
    Object.assign(window, { since: isKnown ? seq : undefined, calls: 0n, spent: 0n });
  }

  /** What the key's row says otherwise. */
  differences(key: KeyHead): string[] {
    const says: string[] = [];
    const sinceMs = this.#sinceMs;
    const byEntries = this.#countedMs === -Infinity ? null : this.#countedMs;
    const isComparable = sinceMs === undefined || byEntries !== null || (key.countedMs ?? -Infinity) >= sinceMs;
    if (isComparable && key.countedMs !== byEntries)
      says.push(`it last counted at ${momentText(key.countedMs)}, by the entries at ${momentText(byEntries)}`);
    for (const [index, { since, calls, spent }] of this.#windows.entries()) {
      if (sinceMs !== undefined && since === undefined) continue;
      const saidSince = key.since[index] === 0n ? since : key.since[index];
      const compared = [
        ['calls', key.calls[index], calls],
        ['spent', key.spent[index], spent],
        ['since', saidSince ?? 0n, since ?? 0n],
      ] as const;
      for (const [what, said, right] of compared) {
        if (said !== right) says.push(`${what}_${windows[index]} is ${said}, by the entries ${right}`);
      }
    }
    return says;
  }
}

function startOf(index: number, atMs: number): number {
  const window = windows[index];
  return window === undefined || !Number.isFinite(atMs) ? atMs : windowStart(window, new Date(atMs)).getTime();
}

function momentText(ms: number | null): string {
  if (ms === null) return 'no time';
  return Math.abs(ms) < 8.64e15 ? new Date(ms).toISOString() : String(ms);
}
