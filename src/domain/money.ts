/**
 * Money: integer millionths of the gateway's currency inside (1 is 1,000,000), a number with at most six decimals outside.
 * No floating point on the way: a price is read from its decimal digits, a total is rounded once, half up.
 */
export type Money = bigint & { readonly unit: 'micro-units' };

export const zero = 0n as Money;

/** Takes an integer count of micro-units as money. */
export const micros = (count: bigint): Money => count as Money;

/** The number shown outside; exact, since a double holds every micro-unit below nine billion. */
export const toAmount = (amount: Money): number => Number(amount) / 1_000_000;

/** An amount as decimal digits, for texts and headers: `0.62`, never `6.2e-1`. */
export function amountText(amount: Money): string {
  const digits = (amount < 0n ? 0n - amount : amount).toString().padStart(7, '0');
  const whole = digits.slice(0, -6);
  const fraction = digits.slice(-6).replace(/0+$/, '');
  return `${amount < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/**
 * Reads an amount written by a person or a yaml file, digit by digit.
 * Returns undefined for anything but a plain decimal with at most six decimals and at most nine whole digits.
 */
export function parseAmount(text: string): Money | undefined {
  const match = /^(-?)(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '0', fraction = ''] = match;
  const count = BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
  return micros(sign === '-' ? -count : count);
}

/** numerator / denominator in whole micro-units, rounded half up. Both non-negative. */
export const roundedHalfUp = (numerator: bigint, denominator: bigint): Money =>
  micros((2n * numerator + denominator) / (2n * denominator));

/** The price of one unit as that of a million, which lines of a price have: a single token may cost less than a micro-unit. */
export const ofOne = (price: Money): Money => micros(price * 1_000_000n);

export const plus = (a: Money, b: Money): Money => micros(a + b);
export const minus = (a: Money, b: Money): Money => micros(a - b);
export const lesser = (a: Money, b: Money): Money => (a < b ? a : b);
export const greater = (a: Money, b: Money): Money => (a > b ? a : b);
