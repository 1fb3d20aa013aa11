/** Prices per token as tests work with them: at the model's own card, of text. */
import { type CallBounds, holdOfCall } from '../../src/domain/billing/token-hold.ts';
import { cardFor, type TokenPrice } from '../../src/domain/billing/token-card.ts';
import { countsOf, nothingMeasured, promptTokens, type TokenCounts } from '../../src/domain/billing/token-counts.ts';
import { isUsage, readUsage, type UsageForm } from '../../src/domain/usage/vendor-usage.ts';
import { type PricedLines, tokensPrice } from '../../src/domain/billing/token-lines.ts';

export const noon = new Date('2026-11-24T12:00:00Z');

/** What counts cost, without a tier and at noon. */
export function priceOfCounts(price: TokenPrice, known: Partial<TokenCounts>): PricedLines {
  const counts = countsOf(known);
  return tokensPrice(cardFor(price, { inputTokens: promptTokens(counts), tier: undefined, at: noon }), counts);
}

/** The bounds of a call of text without tools. */
export const boundsOf = (bounds: Partial<CallBounds>): CallBounds => ({
  ...{ input: 0, output: 0, tiers: [undefined], at: noon },
  ...{
    hasAudioInput: false,
    hasImageInput: false,
    hasCacheWrite1h: false,
    hasAudioOutput: false,
    hasImageOutput: false,
  },
  measured: nothingMeasured,
  toolCalls: {},
  ...bounds,
});

/** What is held for a call. */
export const holdOfBounds = (price: TokenPrice, bounds: Partial<CallBounds>): PricedLines =>
  holdOfCall(price, boundsOf(bounds));

/** What a usage counts; undefined where it is none. */
export const countsIn = (form: UsageForm, usage: unknown): TokenCounts | undefined =>
  isUsage(form, usage) ? readUsage(form, usage).counts : undefined;
