/** Finds jumps of the database's clock: it is compared with this process's own time, which no clock moves. */

/** What the database's clock said, and when by `performance.now()` it was asked and had answered. */
export interface ClockLook {
  clockMs: number;
  askedAtMs: number;
  answeredAtMs: number;
}

/** Clocks of servers that take over from each other differ by less, and slewing moves a clock by half a millisecond a second. */
const jumpMsMin = 60_000;

export class ClockWatch {
  #last: ClockLook | undefined;

  /**
   * By how many milliseconds the clock has jumped since the last look, below 0 if back; 0 unless it was more than a minute
   * for sure. An answer that took long makes a look less sharp, and never a jump of its own.
   */
  jumpAt(look: ClockLook): number {
    const last = this.#last;
    if (last && look.askedAtMs < last.answeredAtMs) return 0; // asked side by side: which answer is older is not known
    this.#last = look;
    if (!last) return 0;
    const clockMs = look.clockMs - last.clockMs;
    const forwardMsMin = clockMs - (look.answeredAtMs - last.askedAtMs);
    const backMsMin = look.askedAtMs - last.answeredAtMs - clockMs;
    if (forwardMsMin > jumpMsMin) return Math.round(forwardMsMin);
    return backMsMin > jumpMsMin ? -Math.round(backMsMin) : 0;
  }
}
