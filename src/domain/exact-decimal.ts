/** Decimal numbers as whole digits and a scale, so that nothing is ever rounded unasked. */
import { micros, type Money } from './money.ts';

/** `digits` / 10^`scale`; the scale is 0 or more. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

// Prices of a token have ten decimals or so; what is far beyond that is a mistake, and would cost memory.
const lengthMax = 60;
const exponentMax = 40;

/** Reads `12.50`, `-3` or `2.5e-07`. Returns undefined for anything else, and for numbers of more than 60 characters. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text);
  if (!match || text.length > lengthMax) return undefined;
  const [, sign = '', whole = '', fraction = '', power = '0'] = match;
  const exponent = Number(power);
  if (Math.abs(exponent) > exponentMax) return undefined;
  const digits = BigInt(`${sign}${whole}${fraction}`);
  const scale = fraction.length - exponent;
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/**
 * The decimal that a number of a JSON document was written as: JavaScript prints the shortest digits that mean the same
 * number, which are the written ones up to 15 of them.
 */
export const decimalOfNumber = (value: number): Decimal | undefined => parseDecimal(String(value));

export const wholeDecimal = (value: bigint): Decimal => ({ digits: value, scale: 0 });

export const timesDecimal = (a: Decimal, b: Decimal): Decimal => ({
  digits: a.digits * b.digits,
  scale: a.scale + b.scale,
});

/** Returns -1, 0 or 1, as `a` is less than, equal to or greater than `b`. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const left = a.digits * 10n ** BigInt(b.scale);
  const right = b.digits * 10n ** BigInt(a.scale);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Rounds to so many decimals, halves away from zero, and returns whether nothing was lost. */
export function roundDecimal(value: Decimal, decimals: number): { rounded: Decimal; isExact: boolean } {
  if (value.scale <= decimals) return { rounded: value, isExact: true };
  const divisor = 10n ** BigInt(value.scale - decimals);
  const isNegative = value.digits < 0n;
  const magnitude = isNegative ? -value.digits : value.digits;
  const quotient = (2n * magnitude + divisor) / (2n * divisor);
  return {
    rounded: { digits: isNegative ? -quotient : quotient, scale: decimals },
    isExact: magnitude % divisor === 0n,
  };
}

/** Returns the shortest plain digits, such as `0.075`. */
export function decimalText({ digits, scale }: Decimal): string {
  const magnitude = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  const whole = magnitude.slice(0, magnitude.length - scale);
  const fraction = magnitude.slice(magnitude.length - scale).replace(/0+$/, '');
  return `${digits < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Money of a decimal amount, rounded to six decimals, halves away from zero. */
export function microsOfDecimal(value: Decimal): Money {
  const { rounded } = roundDecimal(value, 6);
  return micros(rounded.digits * 10n ** BigInt(6 - rounded.scale));
}
