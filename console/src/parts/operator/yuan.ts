/** Typed amounts, added up in whole micro-yuan: what a dialog promises is what the server books. */

/** The micro-yuan of a plain decimal with at most nine whole digits and six decimals; undefined for anything else. */
export function microsOf(text: string): bigint | undefined {
  const match = /^([-+]?)(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text.trim());
  if (!match) return undefined;
  const [, sign, whole = '0', fraction = ''] = match;
  const count = BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
  return sign === '-' ? -count : count;
}

/** Of the API's yuan, whose every micro-yuan a number holds. */
export const microsOfYuan = (yuan: number): bigint => BigInt(Math.round(yuan * 1_000_000));

/** For `Money`. */
export const yuanOf = (micros: bigint): number => Number(micros) / 1_000_000;
