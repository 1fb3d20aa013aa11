/** Quotes: what an operation would hold, and how that was worked out. */
import { type MicroYuan, toYuan } from '../../domain/money.ts';
import { type Quote, tokensIn } from '../../domain/billing/pricing.ts';
import type { BoundedCall } from '../../chat/call.ts';
import { lineObject } from './account.ts';

/** Of an image, a video or an avatar-talk task. */
export const taskQuote = (model: string, { amount, unit, units, unitPrice, reason }: Quote) => ({
  ...quote(model, amount, { unit, units, unit_price: toYuan(unitPrice) }),
  ...(reason && { reason }),
});

/** Of a chat or responses call: input and output have prices of their own, so the sum is shown in lines. */
export const callQuote = ({ model, bound }: BoundedCall) => ({
  ...quote(model.id, bound.total, { unit: 'token', units: tokensIn(bound.lines), unit_price: null }),
  lines: bound.lines.map(lineObject),
});

const quote = (model: string, hold: MicroYuan, of: { unit: string; units: number; unit_price: number | null }) => ({
  object: 'quote',
  model,
  hold: toYuan(hold),
  currency: 'CNY',
  ...of,
});
