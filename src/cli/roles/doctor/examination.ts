/**
 * Runs checks concurrently, each as soon as what it needs is there and within its time, and reports them in the order in
 * which they are added. A check whose needs are not met is skipped, and says which check it needs.
 */
import { within } from '../../../domain/within.ts';
import { fail, type Finding, skip, type Verdict } from './finding.ts';
import { reasonOf } from './reason.ts';

/** Longer than any question takes that a check asks: each has a limit of its own. */
const stepMsMax = 10_000;

export interface Step<Value> {
  name: string;
  /** Undefined: it found nothing that can be built on. Never rejects. */
  value: Promise<{ value: Value } | undefined>;
}

/** The value of a step that comes before; rejects where there is none. */
export type Need = <Value>(step: Step<Value>) => Promise<Value>;

/** Thrown when a check needs a value that an earlier one didn't find; the check is skipped. */
export class Ungrounded extends Error {
  override readonly name = 'Ungrounded';
  readonly step: string;
  constructor(step: string) {
    super(`skipped: the ${step} check failed`);
    this.step = step;
  }
}

export class Examination {
  readonly #onFinding: (finding: Finding) => void;
  readonly #stepMs: number;
  readonly #findings: Finding[] = [];
  readonly #closers: (() => Promise<unknown>)[] = [];
  #reported: Promise<void> = Promise.resolve();

  /** `onFinding` is called with each finding as soon as all before it are there. */
  constructor(onFinding: (finding: Finding) => void, stepMs = stepMsMax) {
    this.#onFinding = onFinding;
    this.#stepMs = stepMs;
  }

  /**
   * Adds a check. It begins when what it needs is there, and what it throws is its finding. The signal aborts when its
   * time is over; what it still finds then is not heard.
   */
  step<Input, Value>(
    name: string,
    needs: (need: Need) => Promise<Input>,
    check: (input: Input, signal: AbortSignal) => Promise<Verdict<Value>>,
  ): Step<Value> {
    const verdict = this.#run(name, needs, check);
    this.#reported = this.#reported.then(async () => {
      for (const finding of (await verdict).findings) {
        this.#findings.push(finding);
        this.#onFinding(finding);
      }
    });
    return { name, value: verdict.then(({ value }) => (value === undefined ? undefined : { value })) };
  }

  /** Has something closed when all is over. */
  onEnd(close: () => Promise<unknown>): void {
    this.#closers.push(close);
  }

  /** Resolves with everything that was found. */
  async done(): Promise<readonly Finding[]> {
    await this.#reported;
    await Promise.allSettled(this.#closers.map((close) => close()));
    return this.#findings;
  }

  async #run<Input, Value>(
    name: string,
    needs: (need: Need) => Promise<Input>,
    check: (input: Input, signal: AbortSignal) => Promise<Verdict<Value>>,
  ): Promise<Verdict<Value>> {
    let input: Input;
    try {
      input = await needs(need);
    } catch (error) {
      if (error instanceof Ungrounded) return { findings: [skip(name, `needs ${error.step}`)] };
      throw error;
    }
    const time = new AbortController();
    try {
      return await within(this.#stepMs, check(input, time.signal), () => {
        time.abort(new Error('the check timed out'));
        return { findings: [fail(name, `no answer within ${this.#stepMs / 1000} s`, 'check whether it hangs')] };
      });
    } catch (error) {
      return { findings: [fail(name, reasonOf(error), 'see the reason above')] };
    }
  }
}

const need: Need = async ({ name, value }) => {
  const there = await value;
  if (there === undefined) throw new Ungrounded(name);
  return there.value;
};
