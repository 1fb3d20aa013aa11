/** A key's counters, worked out again from the entries of what it counted, as they come. */
import { windows, windowStart } from '../../domain/keys.ts';
import type { KeyHead } from './heads.ts';

/** What was held, and when: by the entry, and by the key, whose clock never goes back. */
export interface TalliedHold {
  admittedMs: number;
  countedMs: number;
  held: bigint;
}

export class KeyTally {
  #countedMs = -Infinity;
  /** Of the current windows, in their order. */
  #starts: number[] = windows.map(() => -Infinity);
  readonly #calls: bigint[] = windows.map(() => 0n);
  readonly #spent: bigint[] = windows.map(() => 0n);

  hold(admittedMs: number, held: bigint): TalliedHold {
    if (admittedMs > this.#countedMs) this.#moveTo(admittedMs);
    for (const index of windows.keys()) {
      this.#calls[index] = (this.#calls[index] ?? 0n) + 1n;
      this.#spent[index] = (this.#spent[index] ?? 0n) + held;
    }
    return { admittedMs, held, countedMs: this.#countedMs };
  }

  /**
   * What was settled is corrected in the windows of its admission, if they are still the current ones. They are not, from
   * the start, where a clock was behind what the key had seen: then it was counted in the later window.
   */
  settle({ admittedMs, countedMs, held }: TalliedHold, charged: bigint): void {
    for (const [index, startMs] of this.#starts.entries()) {
      if (countedMs >= startMs && admittedMs >= startMs)
        this.#spent[index] = (this.#spent[index] ?? 0n) + charged - held;
    }
  }

  /** A new window begins at nothing. */
  #moveTo(atMs: number): void {
    this.#countedMs = atMs;
    for (const [index, window] of windows.entries()) {
      const startMs = Number.isFinite(atMs) ? windowStart(window, new Date(atMs)).getTime() : atMs;
      if (startMs === this.#starts[index]) continue;
      this.#starts[index] = startMs;
      this.#calls[index] = 0n;
      this.#spent[index] = 0n;
    }
  }

  /** What the key's row says otherwise. With `sinceMs`, entries from before it are unknown, and so are windows. */
  differences(key: KeyHead, sinceMs: number | undefined): string[] {
    const says: string[] = [];
    const byEntries = this.#countedMs === -Infinity ? null : this.#countedMs;
    const isComparable = sinceMs === undefined || byEntries !== null || (key.countedMs ?? -Infinity) >= sinceMs;
    if (isComparable && key.countedMs !== byEntries)
      says.push(`it last counted at ${momentText(key.countedMs)}, by the entries at ${momentText(byEntries)}`);
    for (const [index, window] of windows.entries()) {
      if (sinceMs !== undefined && !((this.#starts[index] ?? -Infinity) >= sinceMs)) continue;
      const compared = [
        ['calls', key.calls[index], this.#calls[index]],
        ['spent', key.spent[index], this.#spent[index]],
      ] as const;
      for (const [what, said, right] of compared) {
        if (said !== right) says.push(`${what}_${window} is ${said}, by the entries ${right}`);
      }
    }
    return says;
  }
}

function momentText(ms: number | null): string {
  if (ms === null) return 'no time';
  return Math.abs(ms) < 8.64e15 ? new Date(ms).toISOString() : String(ms);
}
