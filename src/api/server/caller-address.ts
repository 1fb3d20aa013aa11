/** Who calls: the connection's other end, or whom a trusted proxy says that it speaks for. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { callerBehind } from './proxy-protocol.ts';

/** Chains of proxies are short; whatever is left of the last entries was written by the caller. */
const hopsMax = 20;
/** `192.0.2.1:4711` and `[2001:db8::1]:4711`: some proxies name the port, too. */
const withPort = /^(?:(\d+\.\d+\.\d+\.\d+):\d{1,5}|\[([^\]]+)\](?::\d{1,5})?)$/;
/** An IPv4 address as a socket for both families names it. */
const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Returns the caller's address, or '' where the connection is gone already. */
export type CallerAddress = (request: Pick<IncomingMessage, 'socket' | 'headers'>) => string;

/**
 * Each proxy appends whom it was called by to `X-Forwarded-For`, so the header is read from its right end as long as its
 * entries are trusted proxies (addresses, or networks such as `10.0.0.0/8`). The first that is none is the caller, and
 * what stands before it is the caller's own invention. A header of a peer that is not trusted means nothing; one that is
 * no list of addresses, or has no end, leaves the peer.
 */
export function callerAddress(trustedProxies: readonly string[]): CallerAddress {
  const isTrusted = addressList(trustedProxies);
  return ({ socket, headers }) => {
    const peer = addressIn(callerBehind(socket) ?? socket.remoteAddress ?? '');
    if (peer === undefined) return '';
    const forwarded = headers['x-forwarded-for'];
    if (trustedProxies.length === 0 || forwarded === undefined || !isTrusted(peer)) return peer;
    const written = (typeof forwarded === 'string' ? forwarded : forwarded.join(',')).split(',');
    let last = peer;
    for (const entry of written.slice(-hopsMax).reverse()) {
      const address = addressIn(entry.trim());
      if (address === undefined) return peer;
      if (!isTrusted(address)) return address;
      last = address;
    }
    // All are proxies of ours: one of them called by itself.
    return written.length > hopsMax ? peer : last;
  };
}

/** What one caller can have for the asking: an IPv4 address, or a whole /64 of IPv6. `''` stays so. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  // The first four groups, `::` written out.
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Math.max(0, 8 - groups.length - after.length - (address.includes('.') ? 1 : 0));
  const all = [...groups, ...Array<string>(tail === undefined ? 0 : zeros).fill('0'), ...after];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/** What makes callers distinct: without a port, a zone, or a second form of the same address. */
function addressIn(text: string): string | undefined {
  const [, v4, v6] = withPort.exec(text) ?? [];
  const bare = (v4 ?? v6 ?? text).replace(/%.*$/, '');
  const address = mapped.exec(bare)?.[1] ?? bare;
  return isIP(address) === 0 ? undefined : address;
}

/** Whether an address, in either form of IPv4, is one of these or in one of these networks. */
export function addressList(entries: readonly string[]): (address: string) => boolean {
  const list = listOf(entries);
  return (text) => {
    const address = addressIn(text);
    return address !== undefined && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  };
}

function listOf(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}
