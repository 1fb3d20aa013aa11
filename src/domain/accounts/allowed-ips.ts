/** From which addresses a key may be used: the list of its ranges, read once, and the refusal of all others. */
import { GatewayError } from '../errors.ts';
import { type AddressRange, contains, parseRange } from './address-ranges.ts';
import type { KeyRules } from './key-rules.ts';

/** Refuses with `permission_denied` an address that the key's list lacks; one that isn't known (`''`) too. */
export function refusalOfAddress(
  { allowedIps }: Pick<KeyRules, 'allowedIps'>,
  address: string,
): GatewayError | undefined {
  if (allowedIps === null) return undefined;
  const range = parseRange(address);
  if (range && rangesOf(allowedIps).some((allowed) => contains(allowed, range))) return undefined;
  return new GatewayError(
    'permission_denied',
    `This API key may not be used from this address${address === '' ? '' : `, ${address}`}. Allow it in the key's 'allowed_ips', or call from an address that is.`,
  );
}

/** Whether each of the wanted ranges lies within one of these; null stands for all addresses. */
export function areWithin(wanted: readonly string[] | null, own: readonly string[]): boolean {
  const ranges = rangesOf(own);
  return wanted !== null && rangesOf(wanted).every((range) => ranges.some((outer) => contains(outer, range)));
}

/** By their list, which lasts as long as the key is remembered. What is no range, as only a hand can have written it, allows nothing. */
const parsed = new WeakMap<readonly string[], readonly AddressRange[]>();

function rangesOf(list: readonly string[]): readonly AddressRange[] {
  let ranges = parsed.get(list);
  if (!ranges) {
    ranges = list.map(parseRange).filter((range) => range !== undefined);
    parsed.set(list, ranges);
  }
  return ranges;
}
