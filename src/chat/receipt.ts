/** What a call cost: by the upstream's own count where it gave one, else by ours, never above the hold; and its settlement. */
import { within } from '../domain/within.ts';
import { parseJsonWithin } from '../domain/json/json-bounds.ts';
import { cappedAt, type TokenCounts, tokensPrice } from '../domain/billing/pricing.ts';
import type { CallHold, CallPrice } from '../ledger/call-ledger.ts';
import { countTokens, inputTextOf } from './count-tokens.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import type { ModelCells } from '../observability/metrics/meters.ts';
import type { Call } from './call.ts';

/** The price of what the upstream counted. */
export function upstreamPrice({ price, priceVersion }: Call, usage: TokenCounts): CallPrice {
  return { ...tokensPrice(price, usage), usageSource: 'upstream', priceVersion };
}

/** The price of what we count ourselves, because the upstream reported nothing; never above the hold. */
export async function estimatedPrice(call: Call, hold: CallHold, produced: string, scale = 1): Promise<CallPrice> {
  const input = Math.min(await countTokens(inputTextOf(parseJsonWithin(call.bytes))), call.estimatedInput);
  const output = produced === '' ? 0 : Math.ceil((await countTokens(produced)) * scale);
  const price = tokensPrice(call.price, { input, cachedInput: 0, output });
  return { ...cappedAt(hold.amount, price), usageSource: 'estimated', priceVersion: call.priceVersion };
}

/** How long a caller waits for what is booked before its answer. */
const soonMs = 2_000;

/**
 * Settles a call after its answer: the caller doesn't wait for it, the drain does. While the database is away it is
 * retried. What can't be booked is logged with what booking it by hand would take; its hold is swept when this process
 * has ended.
 */
export function settleInBackground(
  deps: ApiDependencies,
  hold: CallHold,
  price: () => CallPrice | Promise<CallPrice>,
): void {
  void inBackground(deps, hold, () => settle(deps, hold, price));
}

/** Settles a call before its answer; if the database takes longer than two seconds, after it. */
export async function settleSoon(
  deps: ApiDependencies,
  hold: CallHold,
  price: () => CallPrice | Promise<CallPrice>,
): Promise<void> {
  await within(
    soonMs,
    inBackground(deps, hold, () => settle(deps, hold, price)),
    () => undefined,
  );
}

/** Gives a hold back after the answer. */
export function releaseInBackground(deps: ApiDependencies, hold: CallHold, reason: string): void {
  void inBackground(deps, hold, () => deps.calls.release(hold, reason));
}

/** Gives a hold back before the caller gets its error; if the database takes longer than two seconds, after it. */
export async function releaseSoon(deps: ApiDependencies, hold: CallHold, reason: string): Promise<void> {
  await within(
    soonMs,
    inBackground(deps, hold, () => deps.calls.release(hold, reason)),
    () => undefined,
  );
}

async function settle(
  { calls, meters }: ApiDependencies,
  hold: CallHold,
  price: () => CallPrice | Promise<CallPrice>,
): Promise<void> {
  const known = await price();
  await calls.settle(hold, known);
  countTokensIn(meters.chat.of(hold.model), known);
}

function countTokensIn({ tokens }: ModelCells, { lines, usageSource }: CallPrice): void {
  const counted = tokens[usageSource];
  for (const { unit, units } of lines) {
    if (unit === 'input_token') counted.input.add(units);
    else if (unit === 'cached_input_token') counted.cached_input.add(units);
    else if (unit === 'output_token') counted.output.add(units);
  }
}

/** Never rejects. */
function inBackground(deps: ApiDependencies, hold: CallHold, book: () => Promise<void>): Promise<void> {
  const booked = book().catch((error: unknown) => {
    deps.log.error(
      { err: error, requestId: hold.requestId, transferId: hold.transferId },
      'a call could not be booked',
    );
  });
  deps.background(booked);
  return booked;
}
