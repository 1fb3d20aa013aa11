/** The low-balance event: an account whose money, held money included, falls below its threshold has crossed it, once until it is back above. */
import { plus, toAmount } from '../domain/money.ts';
import { newEventId } from '../postgres/new-ids.ts';
import type { NewEvent } from './commit/ledger-operation.ts';
import type { LockedAccount } from './commit/locked-rows.ts';

/**
 * Notes on the account whether it is low now. Returns the event of having crossed its threshold, if it has just done so
 * and there is a webhook to notify; its amounts get their currency when it is delivered. What is held counts as there: it mostly comes back, and calls would cross to and fro.
 */
export function noteBalance(account: LockedAccount): NewEvent | undefined {
  const { id, available, held, lowBalance, webhookUrl } = account;
  const isLow = lowBalance !== null && plus(available, held) < lowBalance;
  const hasCrossed = isLow && !account.isLow;
  account.isLow = isLow;
  if (!hasCrossed || webhookUrl === null) return undefined;
  return {
    id: newEventId(),
    account: id,
    type: 'account.balance_low',
    url: webhookUrl,
    data: {
      id,
      object: 'account',
      balance: toAmount(available),
      held: toAmount(held),
      low_balance: toAmount(lowBalance),
    },
  };
}
