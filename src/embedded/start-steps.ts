/** When each step of a start began and how long it took, for one line of the log. Steps may overlap. */

export interface StartStep {
  step: string;
  /** Since the process began. */
  fromMs: number;
  forMs: number;
}

/** `scripts/prepare.mjs` sets it when packages and build are known to be fresh. */
const preparedMark = 'tollgate prepared';

export class StartSteps {
  readonly #steps: StartStep[] = [];

  /** Everything until now is preparing and loading: the caller's first line of its own. */
  constructor() {
    const preparedMs = performance.getEntriesByName(preparedMark)[0]?.startTime ?? 0;
    if (preparedMs > 0) this.#note('check', 0, preparedMs);
    this.#note('load', preparedMs, performance.now());
  }

  /** Does a step; one that fails is noted, too. */
  async during<T>(step: string, work: () => Promise<T>): Promise<T> {
    const fromMs = performance.now();
    try {
      return await work();
    } finally {
      this.#note(step, fromMs, performance.now());
    }
  }

  /** In the order of their ends. */
  get all(): readonly StartStep[] {
    return this.#steps;
  }

  #note(step: string, fromMs: number, toMs: number): void {
    this.#steps.push({ step, fromMs: Math.round(fromMs), forMs: Math.round(toMs - fromMs) });
  }
}
