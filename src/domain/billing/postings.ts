/**
 * The ledger's rules. A posting moves a positive amount from one ledger account to another, so imbalance can't be
 * written down; an entry is the sum of its postings, one leg per ledger account.
 *
 * `available` and `held` belong to the customer; the rest are the operator's: `top_ups` (money that came in),
 * `adjustments` (corrections), `revenue` (earned) and `write_offs` (earned but not to be had).
 */
import { type Money, lesser, micros, minus, plus, zero } from '../money.ts';
import { implausibleUsage, plausibleOf } from './overrun.ts';

export const entryTypes = ['credit', 'hold', 'capture', 'release', 'adjustment', 'write_off'] as const;
export type EntryType = (typeof entryTypes)[number];

export const ledgerAccounts = ['available', 'held', 'revenue', 'top_ups', 'adjustments', 'write_offs'] as const;
export type LedgerAccount = (typeof ledgerAccounts)[number];

export interface Posting {
  from: LedgerAccount;
  to: LedgerAccount;
  amount: Money;
}

export type Legs = Readonly<Record<LedgerAccount, Money>>;

/** An entry before it has its place: what happens to the money, and nothing else. */
export interface Movement {
  type: EntryType;
  legs: Legs;
}

/** What the postings add to each ledger account. The sum of all legs is zero whatever the postings are. */
export function legsOf(postings: readonly Posting[]): Legs {
  const legs: Record<LedgerAccount, Money> = {
    available: zero,
    held: zero,
    revenue: zero,
    top_ups: zero,
    adjustments: zero,
    write_offs: zero,
  };
  for (const { from, to, amount } of postings) {
    if (amount < 0n) throw new RangeError(`a posting of ${String(amount)} micro-units: amounts are never negative`);
    legs[from] = micros(legs[from] - amount);
    legs[to] = micros(legs[to] + amount);
  }
  return legs;
}

export const credit = (amount: Money): Movement => movement('credit', { from: 'top_ups', to: 'available', amount });

/** A correction by a signed amount: in the customer's favour above zero, against it below. */
export const adjustment = (amount: Money): Movement =>
  amount >= 0n
    ? movement('adjustment', { from: 'adjustments', to: 'available', amount })
    : movement('adjustment', { from: 'available', to: 'adjustments', amount: micros(0n - amount) });

export const hold = (amount: Money): Movement => movement('hold', { from: 'available', to: 'held', amount });

export const release = (amount: Money): Movement => movement('release', { from: 'held', to: 'available', amount });

/** What the operator earned and won't get, without touching the customer. */
export const writeOff = (amount: Money): Movement =>
  movement('write_off', { from: 'write_offs', to: 'revenue', amount });

export interface Settlement {
  movements: readonly Movement[];
  /** Price less what had to be written off. */
  charged: Money;
  writtenOff: Money;
  /** Whether money was wanting: the account is in arrears. */
  isWanting: boolean;
  /** Why it was written off, if not for want of money alone. */
  reason?: typeof implausibleUsage;
}

/**
 * Captures a price from its hold. What the hold has too much is released; what it lacks is taken from the available
 * balance, and what that lacks is written off, so that no balance is ever negative. Beyond `most` nothing is taken: all
 * that is then written off is the operator's loss, even if money was wanting, too, as a transfer has one write-off.
 */
export function settlement({
  held,
  price,
  available,
  most,
}: {
  held: Money;
  price: Money;
  available: Money;
  most?: Money | undefined;
}): Settlement {
  const { due, implausible } = plausibleOf(price, most);
  const fromHold = lesser(held, due);
  const beyond = minus(due, fromHold);
  const fromAvailable = lesser(beyond, available);
  const wanting = minus(beyond, fromAvailable);
  const writtenOff = plus(wanting, implausible);
  const movements: Movement[] = [
    movement(
      'capture',
      { from: 'held', to: 'revenue', amount: fromHold },
      { from: 'available', to: 'revenue', amount: fromAvailable },
    ),
  ];
  const rest = minus(held, fromHold);
  if (rest > 0n) movements.push(release(rest));
  if (writtenOff > 0n) movements.push(writeOff(writtenOff));
  const charged = minus(price, writtenOff);
  if (implausible > 0n) return { movements, charged, writtenOff, isWanting: false, reason: implausibleUsage };
  return { movements, charged, writtenOff, isWanting: wanting > 0n };
}

function movement(type: EntryType, ...postings: Posting[]): Movement {
  return { type, legs: legsOf(postings) };
}
