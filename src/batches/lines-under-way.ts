/**
 * The lines that this process has sent and that have no end yet. A slice doesn't wait for a slow one: it goes on here while
 * other slices run, and the process waits for it when it stops.
 */
import { within } from '../domain/within.ts';

export class LinesUnderWay {
  readonly #byBatch = new Map<string, Set<Promise<void>>>();

  /** Lines of a batch that are under way here. */
  count(batchId: string): number {
    return this.#byBatch.get(batchId)?.size ?? 0;
  }

  /** Takes on a line's work, which never rejects. */
  add(batchId: string, work: Promise<void>): void {
    const lines = this.#byBatch.get(batchId) ?? new Set<Promise<void>>();
    this.#byBatch.set(batchId, lines);
    const tracked = work.finally(() => {
      lines.delete(tracked);
      if (lines.size === 0 && this.#byBatch.get(batchId) === lines) this.#byBatch.delete(batchId);
    });
    lines.add(tracked);
  }

  /** Resolves when the next line of a batch has ended; at once where none is under way. */
  async next(batchId: string): Promise<void> {
    const lines = this.#byBatch.get(batchId);
    if (lines) await Promise.race([...lines]);
  }

  /** Resolves when no line is under way, or after so long. Returns whether none is. */
  async ended(ms: number): Promise<boolean> {
    const whole = async () => {
      while (this.#byBatch.size > 0) await Promise.all([...this.#byBatch.values()].flatMap((lines) => [...lines]));
    };
    await within(ms, whole(), () => undefined);
    return this.#byBatch.size === 0;
  }
}
