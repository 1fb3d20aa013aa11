/** Quotes: what an operation would hold, and how that was worked out. */
import * as z from 'zod';
import { type MicroYuan, toYuan } from '../../domain/money.ts';
import { type Quote, tokensIn } from '../../domain/billing/pricing.ts';
import type { BoundedCall } from '../../chat/call.ts';
import { answer } from '../openapi/schemas.ts';
import { costLine, lineObject } from './ledger-entries.ts';

export const quoteRecord = answer(
  'Quote',
  z.strictObject({
    object: z.literal('quote'),
    model: z.string(),
    hold: z.number().describe('The amount that would be held, in yuan.'),
    currency: z.literal('CNY'),
    unit: z.enum(['image', 'second', 'token']),
    units: z.number(),
    unit_price: z.number().nullable(),
    lines: z.array(costLine).optional().describe('Of chat and responses.'),
    reason: z.string().optional(),
  }),
);
export type QuoteRecord = z.input<typeof quoteRecord>;

/** Of an image, a video or an avatar-talk task. */
export const taskQuote = (model: string, { amount, unit, units, unitPrice, reason }: Quote): QuoteRecord => ({
  ...quote(model, amount, { unit, units, unit_price: toYuan(unitPrice) }),
  ...(reason && { reason }),
});

/** Of a chat or responses call: input and output have prices of their own, so the sum is shown in lines. */
export const callQuote = ({ model, bound }: BoundedCall): QuoteRecord => ({
  ...quote(model.id, bound.total, { unit: 'token', units: tokensIn(bound.lines), unit_price: null }),
  lines: bound.lines.map(lineObject),
});

const quote = (
  model: string,
  hold: MicroYuan,
  of: Pick<QuoteRecord, 'unit' | 'units' | 'unit_price'>,
): QuoteRecord => ({ object: 'quote', model, hold: toYuan(hold), currency: 'CNY', ...of });
