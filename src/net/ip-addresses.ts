/** Which IP addresses are public: everything that IANA has not set aside, and that no cloud uses for itself. */
import { BlockList, isIP } from 'node:net';

/** IANA's IPv4 special-purpose registry, multicast, reserved, and one cloud's service address in public space. */
const closedIpv4 = blockList('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10', // shared by carriers; 100.100.100.200 is a metadata service
  '127.0.0.0/8',
  '169.254.0.0/16', // link-local; 169.254.169.254 is the metadata service of most clouds
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '168.63.129.16/32', // Azure's host
]);

/** Global unicast; all other IPv6 space is special or unassigned. */
const globalIpv6 = blockList('ipv6', ['2000::/3']);
/** Set aside within global unicast (IANA's IPv6 special-purpose registry): protocols with Teredo, documentation. */
const closedIpv6 = blockList('ipv6', ['2001::/23', '2001:db8::/32', '3fff::/20']);

/** Whether packets to `address` (an IPv4 or IPv6 literal without brackets) leave for the public internet. */
export function isPublicAddress(address: string): boolean {
  const plain = address.split('%', 1)[0] ?? '';
  if (isIP(plain) === 4) return !closedIpv4.check(plain, 'ipv4');
  if (isIP(plain) !== 6) return false;
  const embedded = embeddedIpv4(groupsOf(plain));
  if (embedded !== undefined) return !closedIpv4.check(embedded, 'ipv4');
  return globalIpv6.check(plain, 'ipv6') && !closedIpv6.check(plain, 'ipv6');
}

/** The IPv4 address that an IPv6 one leads to: mapped (RFC 4291), NAT64 (RFC 6052) or 6to4 (RFC 3056). */
function embeddedIpv4(groups: readonly number[]): string | undefined {
  const dotted = (at: number) => [groups[at] ?? 0, groups[at + 1] ?? 0].flatMap((g) => [g >> 8, g & 255]).join('.');
  const startsWith = (...prefix: number[]) => prefix.every((group, at) => groups[at] === group);
  if (startsWith(0, 0, 0, 0, 0, 0xffff) || startsWith(0x64, 0xff9b, 0, 0, 0, 0)) return dotted(6);
  return startsWith(0x2002) ? dotted(1) : undefined;
}

/** The eight groups of an IPv6 literal, which the URL parser writes in hexadecimal only. */
function groupsOf(address: string): number[] {
  const [left = '', right] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const parse = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const [head, tail] = [parse(left), parse(right ?? '')];
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

function blockList(family: 'ipv4' | 'ipv6', subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', bits] = subnet.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}
