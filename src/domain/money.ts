/**
 * Money: integer micro-yuan inside (1 yuan = 1,000,000), a yuan number with at most six decimals outside.
 * No floating point on the way: a price is read from its decimal digits, a total is rounded once, half up.
 */
export type MicroYuan = bigint & { readonly unit: 'micro-yuan' };

export const zero = 0n as MicroYuan;

/** Takes an integer count of micro-yuan as money. */
export const micros = (count: bigint): MicroYuan => count as MicroYuan;

/** The yuan number shown outside; exact, since a double holds every micro-yuan below nine billion yuan. */
export const toYuan = (amount: MicroYuan): number => Number(amount) / 1_000_000;

/** Yuan as decimal digits, for texts and headers: `0.62`, never `6.2e-1`. */
export function yuanText(amount: MicroYuan): string {
  const digits = (amount < 0n ? 0n - amount : amount).toString().padStart(7, '0');
  const whole = digits.slice(0, -6);
  const fraction = digits.slice(-6).replace(/0+$/, '');
  return `${amount < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/**
 * Reads a yuan amount written by a person or a yaml file, digit by digit.
 * Returns undefined for anything but a plain decimal with at most six decimals and at most nine whole digits.
 */
export function parseYuan(text: string): MicroYuan | undefined {
  const match = /^(-?)(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '0', fraction = ''] = match;
  const count = BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
  return micros(sign === '-' ? -count : count);
}

/** numerator / denominator in whole micro-yuan, rounded half up. Both non-negative. */
export const roundedHalfUp = (numerator: bigint, denominator: bigint): MicroYuan =>
  micros((2n * numerator + denominator) / (2n * denominator));

export const plus = (a: MicroYuan, b: MicroYuan): MicroYuan => micros(a + b);
export const minus = (a: MicroYuan, b: MicroYuan): MicroYuan => micros(a - b);
export const lesser = (a: MicroYuan, b: MicroYuan): MicroYuan => (a < b ? a : b);
export const greater = (a: MicroYuan, b: MicroYuan): MicroYuan => (a > b ? a : b);
