/** What operators type of accounts and money: names, amounts, reasons, and the id by which a form is sent once. */
import { z } from 'zod';
import { type Money, parseAmount } from '../money.ts';
import { isKeepable } from '../text.ts';

export const reasonCharactersMax = 500;

/** An amount as a number or as typed digits, read digit by digit: what has more than six decimals is no amount. */
const amountField = (rule: string, fits: (amount: Money) => boolean) =>
  z
    .union([z.number(), z.string()], rule)
    .meta({ description: 'An amount, as a number or as decimal digits.' })
    .transform((value, context): Money => {
      const amount = parseAmount(String(value).trim());
      if (amount !== undefined && fits(amount)) return amount;
      context.addIssue({ code: 'custom', message: rule });
      return z.NEVER;
    });

export const positiveAmountField = amountField(
  'must be an amount above 0 and below 1000000000 with at most six decimals, such as 10 or 0.5',
  (amount) => amount > 0n,
);
export const signedAmountField = amountField(
  'must be an amount other than 0 with at most nine digits before the decimal point and six after it, such as 5 or -0.5',
  (amount) => amount !== 0n,
);

const textOf = (charactersMax: number) => {
  const rule = `must be a string of 1 to ${charactersMax} characters`;
  return z
    .string(rule)
    .transform((text) => text.trim())
    .refine((text) => text.length >= 1 && text.length <= charactersMax && isKeepable(text), rule)
    .meta({ minLength: 1, maxLength: charactersMax });
};

export const reasonField = textOf(reasonCharactersMax);
export const accountNameField = textOf(200);
/** A part of a name, an id or an address that is looked for. */
export const searchField = textOf(256);

const requestRule = 'must be the UUID generated for this form';
export const requestField = z.uuid(requestRule).transform((text) => text.toLowerCase());
