/** What a call cost: by the upstream's own count where it gave one, else by ours, never above the hold; and its settlement. */
import { within } from '../domain/within.ts';
import { parseJsonWithin } from '../domain/json/json-bounds.ts';
import { costOfCall } from '../domain/billing/route-cost.ts';
import { basisOf, cardFor } from '../domain/billing/token-card.ts';
import { countsOf, type MeasuredCounts, promptTokens, type TokenCounts } from '../domain/billing/token-counts.ts';
import { isTokenUnit } from '../domain/billing/line-units.ts';
import { cappedAt, tokensPrice } from '../domain/billing/token-lines.ts';
import { unpricedIn } from '../domain/billing/unpriced-use.ts';
import { vendorText } from '../domain/billing/vendor-text.ts';
import type { AnswerStatement } from '../domain/chat/answer-statement.ts';
import type { JsonObject } from '../domain/json/json-object.ts';
import { countsTokens } from '../domain/usage/input-usage.ts';
import { readUsage, type UsageForm } from '../domain/usage/vendor-usage.ts';
import type { EntryOrigin } from '../ledger/commit/entry-sale.ts';
import type { CallEndpoint } from '../domain/call-endpoints.ts';
import type { CallHold, CallPrice } from '../ledger/call-ledger.ts';
import { countTokens, inputTextOf } from './count-tokens.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import type { ModelCells } from '../observability/metrics/meters.ts';
import type { Call } from './call.ts';
import type { Route } from './call-routes.ts';
import type { HeldCall } from './hold-call.ts';

/** An answer that is over: what it said, and what was produced, for where it said nothing. */
export interface EndedAnswer {
  stated: AnswerStatement;
  /** Nothing of it is missing, so its usage should be there. */
  isWhole: boolean;
  /** What was counted of it besides tokens, where that is known only now; else it is as the call says. */
  measured?: MeasuredCounts;
  /** What was produced: a text or a number of tokens. Only called where it is counted here. */
  produced: () => ProducedText | { tokens: number };
  /** Our count of it, where there is one already. */
  counted?: TokenCounts | undefined;
}

/** Returns what an answer costs: by the provider's own count, or by ours where it gave none. */
export function priceOfAnswer(
  { meters }: Pick<ApiDependencies, 'meters'>,
  { call, hold }: Pick<HeldCall, 'call' | 'hold'>,
  route: Route,
  answer: EndedAnswer,
): CallPrice | Promise<CallPrice> {
  const { stated, isWhole, measured = call.measured } = answer;
  const form = usageForms[route.endpoint];
  const tier = call.tier ?? stated.tier;
  const usage = usageFor(call, form, stated.usage);
  const toolCalls = toolCallsOf(call, stated);
  const originOf = (counts: TokenCounts) => originOfAnswer(call, route, { stated, toolCalls, counts });
  if (!usage && !isOfTokens(call)) return measuredPrice(call, measured, { tier, originOf });
  if (!usage) {
    if (isWhole) meters.providers.countOddUsage(route.name, 'absent');
    return countAnswer(call, route, answer).then((counts) => estimatedPrice(call, hold, { counts, tier, originOf }));
  }
  const { counts: read, odd } = readUsage(form, usage, toolCalls);
  const counts = isOfTokens(call) ? read : withMeasured(read, measured);
  const card = cardFor(call.price, { inputTokens: promptTokens(counts), tier, at: call.bounds.at });
  for (const reason of odd) meters.providers.countOddUsage(route.name, reason);
  for (const reason of unpricedIn(call.price, card, { tier, toolCalls: counts.toolCalls }))
    meters.providers.countOddUsage(route.name, reason);
  const { lines, total } = tokensPrice(card, counts);
  const origin = originOf(counts);
  return { total, lines, usageSource: 'upstream', priceVersion: call.priceVersion, origin, counts };
}

interface CountedAnswer {
  stated: AnswerStatement;
  toolCalls: Readonly<Record<string, number>>;
  counts: TokenCounts;
}

/** Who served an answer, what that cost the operator, and what the provider said of it. */
function originOfAnswer(
  { bounds }: Call,
  { endpoint, name: provider, model, cost }: Route,
  { stated: { id, tier, usage }, toolCalls, counts }: CountedAnswer,
): EntryOrigin {
  const known = costOfCall(cost, { counts, tier, at: bounds.at, usage });
  const form = usage && usageForms[endpoint];
  const vendor = vendorText({ id, model, tier, form, usage, toolCalls, cost: known?.vendor });
  return known ? { provider, vendor, cost: known.cost } : { provider, vendor };
}

/** Returns our own count of an answer whose provider stated none, or only the prompt's before it broke off. */
async function countAnswer(call: Call, route: Route, { stated, produced, counted }: EndedAnswer): Promise<TokenCounts> {
  if (counted) return counted;
  const toolCalls = toolCallsOf(call, stated);
  const made = produced();
  const output = 'tokens' in made ? made.tokens : await tokensOf(made);
  const { promptUsage } = stated;
  if (!promptUsage) return countsOf({ fresh: await countedInput(call), output, toolCalls });
  return { ...readUsage(usageForms[route.endpoint], promptUsage, toolCalls).counts, output, reasoning: 0 };
}

/**
 * Returns the count that a translated answer is charged by, where its provider states none: the caller's form always
 * says a usage. Undefined if it can't be counted; the settlement then tries again, and logs why.
 */
export function countForCaller(
  { call }: Pick<HeldCall, 'call'>,
  route: Route,
  answer: EndedAnswer,
): Promise<TokenCounts | undefined> | undefined {
  if (!call.translation || !answer.isWhole || answer.stated.usage !== undefined) return undefined;
  return countAnswer(call, route, answer).catch(() => undefined);
}

const toolCallsOf = ({ searchesWeb }: Call, { toolCalls }: AnswerStatement): TokenCounts['toolCalls'] =>
  searchesWeb ? { web_search: 1, ...toolCalls } : toolCalls;

const isOfTokens = ({ price }: Call): boolean => basisOf(price).includes('input_token');

/** Whether a call is charged by how long audio lasts. */
export const isPricedBySeconds = ({ price }: Call): boolean => basisOf(price).includes('second');

/** A usage that counts searches alone says nothing of what is charged by tokens. */
const usageFor = (call: Call, form: UsageForm, usage: JsonObject | undefined): JsonObject | undefined =>
  form === 'input' && usage && isOfTokens(call) && !countsTokens(usage) ? undefined : usage;

/** What a provider doesn't count besides tokens is counted here. */
const withMeasured = (counts: TokenCounts, { characters, seconds, searches }: MeasuredCounts): TokenCounts => ({
  ...counts,
  characters: counts.characters || characters,
  seconds: counts.seconds || seconds,
  searches: counts.searches || searches,
});

/** The price of what the gateway can count exactly: characters, seconds, or the call itself. */
function measuredPrice(
  { price, bounds, priceVersion }: Call,
  measured: MeasuredCounts,
  { tier, originOf }: Pick<Estimate, 'tier' | 'originOf'> = {},
): CallPrice {
  const counts = countsOf(measured);
  const card = cardFor(price, { inputTokens: 0, tier, at: bounds.at });
  const origin = originOf && { origin: originOf(counts) };
  return { ...tokensPrice(card, counts), usageSource: 'measured', priceVersion, counts, ...origin };
}

/** A text, and by how much all of it is longer, from 1. */
interface ProducedText {
  text: string;
  scale?: number;
}

/** The price of a call that ended before anything was produced: that of its input, by our own count. */
export async function inputPrice(call: Call, hold: CallHold): Promise<CallPrice> {
  if (!isOfTokens(call)) return measuredPrice(call, call.measured);
  return estimatedPrice(call, hold, { counts: countsOf({ fresh: await countedInput(call) }) });
}

interface Estimate {
  counts: TokenCounts;
  tier?: string | undefined;
  /** Who served these counts; without it none did. */
  originOf?: ((counts: TokenCounts) => EntryOrigin) | undefined;
}

/** The price of what we count ourselves; never above the hold. */
function estimatedPrice(call: Call, hold: CallHold, { counts, tier, originOf }: Estimate): CallPrice {
  const card = cardFor(call.price, { inputTokens: promptTokens(counts), tier, at: call.bounds.at });
  const price = cappedAt(hold.amount, tokensPrice(card, counts));
  const { priceVersion } = call;
  return { ...price, usageSource: 'estimated', priceVersion, counts, ...(originOf && { origin: originOf(counts) }) };
}

const tokensOf = async ({ text, scale = 1 }: ProducedText): Promise<number> =>
  text === '' ? 0 : Math.ceil((await countTokens(text)) * scale);

const countedInput = async ({ bytes, estimatedInput, inputTokens }: Call): Promise<number> =>
  inputTokens ?? Math.min(await countTokens(inputTextOf(parseJsonWithin(bytes))), estimatedInput);

const usageForms: Readonly<Record<CallEndpoint, UsageForm>> = {
  'chat/completions': 'chat',
  responses: 'responses',
  'responses/compact': 'responses',
  messages: 'messages',
  completions: 'chat',
  embeddings: 'input',
  moderations: 'input',
  rerank: 'input',
  'audio/speech': 'responses',
  'audio/transcriptions': 'responses',
  'audio/translations': 'responses',
};

/** A call whose hold is to be closed. */
type BookedCall = Pick<HeldCall, 'hold' | 'record'>;

/** How long a caller waits for what is booked before its answer. */
const soonMs = 2_000;

/**
 * Settles a call after its answer: the caller doesn't wait for it, the drain does. While the database is away it is
 * retried. What can't be booked is logged with what booking it by hand would take; its hold is swept when this process
 * has ended.
 */
export function settleInBackground(
  deps: ApiDependencies,
  held: BookedCall,
  price: () => CallPrice | Promise<CallPrice>,
): void {
  void inBackground(deps, held, settlementOf(deps, held, price));
}

/** Settles a call before its answer; if the database takes longer than two seconds, after it. */
export async function settleSoon(
  deps: ApiDependencies,
  held: BookedCall,
  price: () => CallPrice | Promise<CallPrice>,
): Promise<void> {
  await within(soonMs, inBackground(deps, held, settlementOf(deps, held, price)), () => undefined);
}

/** Gives a hold back after the answer. */
export function releaseInBackground(deps: ApiDependencies, held: BookedCall, reason: string): void {
  void inBackground(deps, held, deps.calls.release(held.hold, reason));
}

/** Gives a hold back before the caller gets its error; if the database takes longer than two seconds, after it. */
export async function releaseSoon(deps: ApiDependencies, held: BookedCall, reason: string): Promise<void> {
  await within(soonMs, inBackground(deps, held, deps.calls.release(held.hold, reason)), () => undefined);
}

/**
 * Works the price out and settles. A settlement that waits for others to be committed with keeps its hold and its price
 * alone: with the whole call it would be copied to the old objects.
 */
function settlementOf(
  deps: ApiDependencies,
  { hold, record }: BookedCall,
  price: () => CallPrice | Promise<CallPrice>,
): Promise<void> {
  return workedOut(price).then((known) => settle(deps, hold, record, known));
}

const workedOut = async (price: () => CallPrice | Promise<CallPrice>): Promise<CallPrice> => price();

async function settle(
  { calls, meters }: ApiDependencies,
  hold: CallHold,
  record: HeldCall['record'],
  price: CallPrice,
): Promise<void> {
  const charged = await calls.settle(hold, price);
  record?.settled(charged, price.counts, price.usageSource !== 'measured');
  countTokensIn(meters.chat.of(hold.model), price);
}

export function countTokensIn({ tokens }: ModelCells, { lines, usageSource }: CallPrice): void {
  if (usageSource === 'measured') return;
  const counted = tokens[usageSource];
  for (const { unit, units } of lines) if (isTokenUnit(unit)) counted.add(unit, units);
}

/** Never rejects. */
function inBackground(deps: ApiDependencies, { hold, record }: BookedCall, booking: Promise<void>): Promise<void> {
  const booked = booking.catch((error: unknown) => {
    deps.log.error(
      { err: error, requestId: hold.requestId, transferId: hold.transferId },
      'a call could not be booked',
    );
  });
  if (record) record.booked = booked;
  deps.background(booked);
  return booked;
}
