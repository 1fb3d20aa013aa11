/**
 * What an upstream may claim: a charge has a most, worked out from what is known before the upstream said anything. What
 * goes beyond it is the operator's write-off, never the customer's. Pure, so that a charge can be worked out again later
 * from the terms, the hold and the files of a task, or from the hold and the usage of a call.
 */
import { type Money, micros, zero } from '../money.ts';
import { type Output, quoteOf } from './pricing.ts';
import type { TaskTerms } from '../tasks/terms.ts';

/** The reason of the entry that writes such a rest off. */
export const implausibleUsage = 'implausible_usage';

/** How many times its hold a charge may be, unless the model's settings say otherwise. */
export const overrunFactorDefault = 2;

/** A video may be longer than it was asked for by that share: encoders fill whole groups of frames. */
const askedPercent = 110;

/** The most that may be charged for what held so much: the hold times the factor (up to three decimals), cut off. */
export const mostOfHold = (held: Money, factor: number): Money =>
  micros((held * BigInt(Math.round(factor * 1000))) / 1000n);

/**
 * The most that may be charged for a task: of a video with an asked length, the price of that length and 10 % at the
 * resolution of what was made; else the hold times the factor. Terms from before there was a bound have none.
 */
export function mostOfTask(
  { price, askedSeconds, overrunFactor }: Pick<TaskTerms, 'price' | 'askedSeconds' | 'overrunFactor'>,
  held: Money,
  output: Output,
): Money | undefined {
  if (askedSeconds !== undefined && 'durationMs' in output) {
    const durationMs = Math.min(output.durationMs, Math.round(askedSeconds * 10 * askedPercent));
    return quoteOf(price, { ...output, durationMs }).amount;
  }
  return overrunFactor === undefined ? undefined : mostOfHold(held, overrunFactor);
}

/** A price cut at its most: what is for the customer to pay, and what is not. */
export function plausibleOf(price: Money, most: Money | undefined): { due: Money; implausible: Money } {
  if (most === undefined || price <= most) return { due: price, implausible: zero };
  return { due: most, implausible: micros(price - most) };
}
