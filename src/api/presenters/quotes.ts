/** Quotes: what an operation would hold, and how that was worked out. */
import * as z from 'zod';
import { type Money, toAmount } from '../../domain/money.ts';
import type { Quote } from '../../domain/billing/pricing.ts';
import { basisOf } from '../../domain/billing/token-card.ts';
import { soldUnits } from '../../domain/billing/line-units.ts';
import { unitsSold } from '../../domain/billing/token-lines.ts';
import type { BoundedCall } from '../../chat/call.ts';
import { answer } from '../openapi/schemas.ts';
import { currencyField } from './currency.ts';
import { costLine, lineObject } from './ledger-entries.ts';
import { tokenPriceFields, tokenPriceObject } from './token-prices.ts';

export const quoteRecord = answer(
  'Quote',
  z.strictObject({
    object: z.literal('quote'),
    model: z.string(),
    hold: z.number().describe('The amount that would be held.'),
    currency: currencyField,
    unit: z.enum(['image', ...soldUnits]),
    units: z.number(),
    unit_price: z.number().nullable(),
    lines: z.array(costLine).optional().describe('Of a call.'),
    price: tokenPriceFields.optional().describe('Of a call: all that the model may cost, in `currency`.'),
    reason: z.string().optional(),
  }),
);
export type QuoteRecord = z.input<typeof quoteRecord>;

/** Of an image, a video or an avatar-talk task. */
export const taskQuote = (
  model: string,
  { amount, unit, units, unitPrice, reason }: Quote,
  currency: string,
): QuoteRecord => ({
  ...quote({ model, hold: amount, currency }, { unit, units, unit_price: toAmount(unitPrice) }),
  ...(reason && { reason }),
});

/**
 * Of a call: input and output have prices of their own, so the sum is shown in lines. What is agreed and
 * not held for is in the price.
 */
export const callQuote = ({ model, price, bound }: BoundedCall, currency: string): QuoteRecord => ({
  ...quote({ model: model.id, hold: bound.total, currency }, { ...unitsSold(bound.lines), unit_price: null }),
  lines: bound.lines.filter(({ units }, place) => units > 0 || place < basisOf(price).length).map(lineObject),
  price: tokenPriceObject(price),
});

const quote = (
  { model, hold, currency }: { model: string; hold: Money; currency: string },
  of: Pick<QuoteRecord, 'unit' | 'units' | 'unit_price'>,
): QuoteRecord => ({ object: 'quote', model, hold: toAmount(hold), currency, ...of });
