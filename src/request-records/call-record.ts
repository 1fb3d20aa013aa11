/** What is noted of a call while it runs, for the record of its request. */
import { outputTokens, promptTokens, type TokenCounts } from '../domain/billing/token-counts.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { Money } from '../domain/money.ts';

/** A route that was asked, and what came of it. */
export interface Attempt {
  provider: string;
  /** What the provider calls the model. */
  model: string;
  ms: number;
  /** Why it gave no answer, in words that callers may see; undefined: it answered. */
  fault?: string;
  /** The error that the caller would get, had no other route answered; undefined: it was no fault of the route. */
  code?: ErrorCode;
}

/** When the pieces of an answer came, by `performance.now()`; 0 while there is none. */
interface AnswerTimes {
  readonly firstAtMs: number;
}

export class CallRecord {
  readonly isStream: boolean;
  readonly times: AnswerTimes;
  readonly attempts: Attempt[] = [];
  /** The answer began and was never finished, by no fault of the caller. */
  isBroken = false;
  /** Resolves once what the call costs is booked, or can't be. */
  booked: Promise<void> | undefined;
  inputTokens: number | undefined;
  cachedInputTokens: number | undefined;
  outputTokens: number | undefined;
  cost: Money | undefined;

  constructor(isStream: boolean, times: AnswerTimes) {
    this.isStream = isStream;
    this.times = times;
  }

  /** The call was settled. What wasn't counted in tokens has none. */
  settled(charged: Money, counts: TokenCounts | undefined, isOfTokens: boolean): void {
    this.cost = charged;
    if (!counts || !isOfTokens) return;
    this.inputTokens = promptTokens(counts);
    this.cachedInputTokens = counts.cacheRead;
    this.outputTokens = outputTokens(counts);
  }
}
