/** A caller as SDKs are: connections that are kept, another gateway when one is away, and the same again until there is an answer. */
import { setTimeout as pause } from 'node:timers/promises';
import { oneOf } from '../support/random.ts';

export interface CallerOptions {
  /** Of all API processes. */
  urls: readonly string[];
  key: string;
  random: () => number;
  /** Aborted when nothing is to be sent any more. */
  signal: AbortSignal;
}

export interface Answer {
  status: number;
  body: Record<string, unknown>;
}

const patienceMs = 90_000;
const answerMsMax = 40_000;
const pauseMs = { least: 100, most: 900 };

export class Caller {
  /** Requests without an Idempotency-Key that were sent again because their answer said so. */
  askedToRepeat = 0;
  readonly #options: CallerOptions;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  /** One request to one of the processes; undefined if it was not answered. */
  async once(path: string, init: RequestInit = {}): Promise<Response | undefined> {
    const { urls, key, random } = this.#options;
    const headers = { ...(init.headers as Record<string, string> | undefined), Authorization: `Bearer ${key}` };
    const signal = AbortSignal.timeout(answerMsMax);
    return fetch(`${oneOf(random, urls)}${path}`, { ...init, headers, signal }).catch(() => undefined);
  }

  /**
   * The answer as JSON; undefined if it never came whole. With an Idempotency-Key whatever was not answered is sent again;
   * without one just what was refused with the word to send it again, since anything else might be done twice.
   */
  async ask(path: string, init: RequestInit, hasKey: boolean): Promise<Answer | undefined> {
    const { random, signal } = this.#options;
    for (const startedAt = performance.now(); performance.now() - startedAt < patienceMs;) {
      const answer = await this.once(path, init);
      const body = await answer?.json().catch(() => undefined);
      if (answer !== undefined && isObject(body) && !isPassing(answer.status, body)) {
        return { status: answer.status, body };
      }
      if (signal.aborted) return undefined;
      if (!hasKey) {
        if (answer === undefined || !isToldToRepeat(answer)) return undefined;
        this.askedToRepeat++;
      }
      await pause(pauseMs.least + random() * (pauseMs.most - pauseMs.least));
    }
    return undefined;
  }
}

/**
 * A task that has failed is answered with its error's status, and is an answer. So would be the word that a task may have
 * been made, which no creation is to be answered with.
 */
const isPassing = (status: number, body: Record<string, unknown>): boolean =>
  (status >= 500 || status === 429) && typeof body['id'] !== 'string' && !isOutcomeUnknown(body);

const isOutcomeUnknown = ({ error }: Record<string, unknown>): boolean =>
  isObject(error) && error['code'] === 'outcome_unknown';

/** SDKs know no more than this of when to send something again that has no Idempotency-Key. */
const isToldToRepeat = ({ status, headers }: Response): boolean =>
  (status === 503 || status === 429) && headers.has('retry-after') && headers.get('x-should-retry') !== 'false';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
