/** One timer for all paced streams: a slot a millisecond, so that ten thousand chunks a second cost a thousand wake-ups. */

const slotCount = 1024;

export class TimerWheel {
  readonly #slots: (() => void)[][] = Array.from({ length: slotCount }, () => []);
  #waiting = 0;
  /** The millisecond that was served last. */
  #served = 0;

  /** Calls back at that time of `performance.now()`, which must be less than a second ahead; never at once. */
  at(dueMs: number, callback: () => void): void {
    if (this.#waiting === 0) {
      this.#served = Math.floor(performance.now());
      this.#wait();
    }
    const due = Math.max(Math.ceil(dueMs), this.#served + 1);
    if (due - this.#served >= slotCount) throw new RangeError('more than a second ahead');
    this.#slots[due % slotCount]?.push(callback);
    this.#waiting++;
  }

  #wait(): void {
    setTimeout(() => this.#serve(), 1);
  }

  #serve(): void {
    const now = Math.floor(performance.now());
    while (this.#served < now && this.#waiting > 0) {
      this.#served++;
      const slot = this.#slots[this.#served % slotCount];
      if (!slot || slot.length === 0) continue;
      const due = slot.splice(0);
      this.#waiting -= due.length;
      for (const callback of due) callback();
    }
    if (this.#waiting > 0) this.#wait();
  }
}
