/**
 * What the kernel has taken of a connection's bytes and its peer has not acknowledged. Node's own counts end where the
 * kernel begins, and the buffers there hold megabytes.
 */
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

const tables = ['/proc/net/tcp', '/proc/net/tcp6'] as const;
/** How old a table may be for readers that only look now and then; reading one with 20,000 connections takes milliseconds. */
const tableMsMax = 1_000;

interface Connection {
  localPort: string;
  remotePort: string;
  remoteAddress: string;
  bytes: number;
}

let latest: { readAt: number; table: Promise<Connection[]> } | undefined;

/**
 * How many bytes of a connection are not acknowledged; undefined where that can't be known: on other systems than Linux,
 * and of a connection that is over. `isFresh` reads anew, else the answer may be a second old.
 */
export async function unacknowledgedBytes(socket: Socket, isFresh: boolean): Promise<number | undefined> {
  const { localPort, remotePort, remoteAddress } = socket;
  if (localPort === undefined || remotePort === undefined || remoteAddress === undefined) return undefined;
  const now = performance.now();
  if (isFresh || !latest || now - latest.readAt > tableMsMax) latest = { readAt: now, table: readTables() };
  const [local, remote] = [portText(localPort), portText(remotePort)];
  const address = canonical(remoteAddress);
  const isIt = (found: Connection) =>
    found.localPort === local && found.remotePort === remote && canonical(addressOf(found.remoteAddress)) === address;
  return (await latest.table).find(isIt)?.bytes;
}

async function readTables(): Promise<Connection[]> {
  const texts = await Promise.all(tables.map((path) => readFile(path, 'latin1').catch(() => ''))); // no Linux, or no IPv6
  return texts.flatMap((text) => [...text.matchAll(row)].map(connectionOf));
}

/** `sl: local rem st tx_queue:rx_queue`, all in hexadecimal digits. */
const row = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]{2} ([0-9A-F]{8}):/gm;

const connectionOf = ([, localPort = '', remoteAddress = '', remotePort = '', bytes = '']: RegExpMatchArray) => ({
  ...{ localPort, remotePort, remoteAddress },
  bytes: Number.parseInt(bytes, 16),
});

const portText = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');

/** The table has addresses as words of four bytes in the order of the machine; those of today are little-endian. */
function addressOf(digits: string): string {
  const bytes = Buffer.from(digits, 'hex').swap32();
  if (bytes.length === 4) return bytes.join('.');
  return [0, 2, 4, 6, 8, 10, 12, 14].map((at) => bytes.readUInt16BE(at).toString(16)).join(':');
}

/** One way to write an address, and one family: sockets for both have IPv4 within IPv6. */
function canonical(address: string): string {
  const [plain = ''] = address.split('%');
  if (!plain.includes(':')) return canonical(`::ffff:${plain}`);
  return new URL(`http://[${plain}]/`).hostname;
}
