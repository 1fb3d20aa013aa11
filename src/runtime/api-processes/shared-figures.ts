/** One scrape over all API processes: asks each for its figures, and waits no longer than a scrape can. */
import { setTimeout as pause } from 'node:timers/promises';
import { MergedFigures } from './merged-figures.ts';
import { figuresSchema } from './messages.ts';

/** A process's own figures take three seconds at the most; Prometheus waits ten. */
const waitMsMax = 5_000;

export interface Asked {
  pid: number;
  ask: () => void;
}

export class SharedFigures {
  readonly #merged = new MergedFigures();
  /** Of the scrape under way: what to call when a process has answered, or has ended. */
  readonly #waiting = new Map<number, () => void>();
  readonly #answered = new Set<number>();
  #scrape: Promise<string> | undefined;

  /** Everything in Prometheus' text format. A scrape that comes while another runs gets its answer. */
  text(processes: readonly Asked[]): Promise<string> {
    this.#scrape ??= this.#text(processes).finally(() => (this.#scrape = undefined));
    return this.#scrape;
  }

  /** A process has answered. */
  shown(pid: number, figures: unknown): void {
    this.#merged.update(pid, figuresSchema.parse(figures));
    this.#answered.add(pid);
    this.#waiting.get(pid)?.();
  }

  ended(pid: number): void {
    this.#merged.end(pid);
    this.#waiting.get(pid)?.();
  }

  async #text(processes: readonly Asked[]): Promise<string> {
    this.#answered.clear();
    const answers = processes.map(
      ({ pid, ask }) =>
        new Promise<void>((resolve) => {
          this.#waiting.set(pid, resolve);
          ask();
        }),
    );
    const timer = new AbortController();
    await Promise.race([Promise.all(answers), pause(waitMsMax, undefined, { signal: timer.signal })]);
    timer.abort();
    this.#waiting.clear();
    return this.#merged.text(this.#answered);
  }
}
