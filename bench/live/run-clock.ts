/** Waiting that can be interrupted, is bounded, and says now and then how far it is. */
import { setTimeout as pause } from 'node:timers/promises';
import { say } from '../report.ts';

const lookMs = 1_000;
const progressMs = 20_000;

export class RunClock {
  readonly #signal: AbortSignal;
  #saidAt = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Rejects with the reason of the interruption. */
  async sleep(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#signal }).catch(() => undefined);
    this.#signal.throwIfAborted();
  }

  /** Looks once a second until it holds; fails when that takes too long. */
  async until(
    what: string,
    holds: () => Promise<boolean>,
    { waitMs, progress }: { waitMs: number; progress: () => Promise<string> },
  ): Promise<void> {
    for (const end = performance.now() + waitMs; !(await holds());) {
      if (performance.now() > end) throw new Error(`Waited ${waitMs / 1000} s for ${what}: ${await progress()}.`);
      if (this.#isDue()) say(await progress());
      await this.sleep(lookMs);
    }
  }

  /** Says a line, unless one was said just before. */
  report(line: string): void {
    if (this.#isDue()) say(line);
  }

  #isDue(): boolean {
    if (performance.now() - this.#saidAt < progressMs) return false;
    this.#saidAt = performance.now();
    return true;
  }
}
