/**
 * IP addresses and CIDR ranges: read as people write them, written in one form, and compared. An IPv4 address that is
 * written as an IPv6 one (`::ffff:192.0.2.1`) is the IPv4 address.
 */

/** All addresses that begin with the same `prefix` bits; a single address has the most of them. */
export interface AddressRange {
  family: 4 | 6;
  /** The first address of the range, as a number of 32 or 128 bits. */
  first: bigint;
  /** How many bits all of its addresses share. */
  prefix: number;
}

const bitsOf = { 4: 32, 6: 128 } as const;

/** Reads an address, or a range such as `10.0.0.0/8`; bits behind the prefix are cleared. Undefined: it is neither. */
export function parseRange(text: string): AddressRange | undefined {
  const [address = '', prefixText, ...rest] = text.split('/');
  if (rest.length > 0) return undefined;
  const family = address.includes(':') ? 6 : 4;
  const bits = family === 6 ? parseIpv6(address) : parseIpv4(address);
  if (bits === undefined) return undefined;
  if (prefixText !== undefined && !/^(0|[1-9]\d{0,2})$/.test(prefixText)) return undefined;
  const prefix = prefixText === undefined ? bitsOf[family] : Number(prefixText);
  if (prefix > bitsOf[family]) return undefined;
  if (family === 6 && prefix >= mappedBits && bits >> 32n === mapped)
    return rangeOf(4, bits & 0xffff_ffffn, prefix - mappedBits);
  return rangeOf(family, bits, prefix);
}

/** The one form of a range: lower case, the longest run of zeros left out, no prefix where it is a single address. */
export function rangeText({ family, first, prefix }: AddressRange): string {
  const address = family === 4 ? ipv4Text(first) : ipv6Text(first);
  return prefix === bitsOf[family] ? address : `${address}/${prefix}`;
}

/** Whether every address of `inner` is one of `outer`. */
export function contains(outer: AddressRange, inner: AddressRange): boolean {
  if (outer.family !== inner.family || outer.prefix > inner.prefix) return false;
  const rest = BigInt(bitsOf[outer.family] - outer.prefix);
  return inner.first >> rest === outer.first >> rest;
}

/** Before an IPv4 address in IPv6 form stand 96 bits, of which the last 16 are ones. */
const mappedBits = 96;
const mapped = 0xffffn;

function rangeOf(family: 4 | 6, bits: bigint, prefix: number): AddressRange {
  const rest = BigInt(bitsOf[family] - prefix);
  return { family, first: (bits >> rest) << rest, prefix };
}

/** Without leading zeros, which some programs read as octal. */
function parseIpv4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255))
    return undefined;
  return parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

const groupsOfIpv6 = 8;

function parseIpv6(text: string): bigint | undefined {
  const [head = '', tail, ...rest] = withHexTail(text)?.split('::') ?? [];
  if (rest.length > 0) return undefined;
  const [before, behind] = [groupsIn(head), groupsIn(tail ?? '')];
  const zeros = groupsOfIpv6 - before.length - behind.length;
  if (tail === undefined ? zeros !== 0 : zeros < 1) return undefined;
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...behind];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return groups.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}

const groupsIn = (text: string): string[] => (text === '' ? [] : text.split(':'));

/** An IPv4 address at the end of an IPv6 one, as the two groups that it stands for. */
function withHexTail(text: string): string | undefined {
  if (!text.includes('.')) return text;
  const at = text.lastIndexOf(':') + 1;
  const bits = parseIpv4(text.slice(at));
  return bits === undefined
    ? undefined
    : `${text.slice(0, at)}${(bits >> 16n).toString(16)}:${(bits & 0xffffn).toString(16)}`;
}

const ipv4Text = (bits: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join('.');

/** As RFC 5952 has it. */
function ipv6Text(bits: bigint): string {
  const groups = Array.from({ length: groupsOfIpv6 }, (_, at) =>
    ((bits >> BigInt(16 * (groupsOfIpv6 - 1 - at))) & 0xffffn).toString(16),
  );
  const written = groups.join(':');
  const zeros = [...written.matchAll(/(?:^|(?<=:))0(?::0)+(?=:|$)/g)].sort(([a], [b]) => b.length - a.length)[0];
  if (!zeros) return written;
  const [before, behind] = [written.slice(0, zeros.index), written.slice(zeros.index + zeros[0].length)];
  return `${before.replace(/:$/, '')}::${behind.replace(/^:/, '')}`;
}
