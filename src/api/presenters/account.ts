/** An account as callers see it. The commands print the same object. */
import * as z from 'zod';
import { toAmount } from '../../domain/money.ts';
import type { Account } from '../../accounts/accounts.ts';
import { answer } from '../openapi/schemas.ts';
import { currencyField } from './currency.ts';

export const accountFields = {
  object: z.literal('account'),
  id: z.string(),
  name: z.string(),
  currency: currencyField,
  balance: z.number().describe('Available balance.'),
  held: z.number().describe('On hold for running tasks and calls, not included in the balance.'),
  webhook_url: z.string().nullable().describe("The default for the account's tasks."),
  low_balance: z.number().nullable().describe('The webhook is notified when the balance falls below this amount.'),
  time_zone: z.string().describe('Of the days and months that the console shows, such as `Asia/Shanghai`.'),
};
export const accountRecord = answer('Account', z.strictObject(accountFields));

export const accountObject = (account: Account, currency: string): z.input<typeof accountRecord> => ({
  object: 'account',
  id: account.id,
  name: account.name,
  currency,
  balance: toAmount(account.available),
  held: toAmount(account.held),
  webhook_url: account.webhookUrl,
  low_balance: account.lowBalance === null ? null : toAmount(account.lowBalance),
  time_zone: account.timeZone,
});
