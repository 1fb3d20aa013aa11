/** Typed amounts, added up in whole micro-units: what a dialog promises is what the server books. */

/** The micro-units of a plain decimal with at most nine whole digits and six decimals; undefined for anything else. */
export function microsOf(text: string): bigint | undefined {
  const match = /^([-+]?)(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text.trim());
  if (!match) return undefined;
  const [, sign, whole = '0', fraction = ''] = match;
  const count = BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
  return sign === '-' ? -count : count;
}

/** Of an amount of the API: a number holds every micro-unit. */
export const microsOfAmount = (amount: number): bigint => BigInt(Math.round(amount * 1_000_000));

/** For `Money`. */
export const amountOf = (micros: bigint): number => Number(micros) / 1_000_000;
