/**
 * Who calls through a balancer that passes connections on as they are: it says so in front of the first byte, by the PROXY
 * protocol, version 2 (https://www.haproxy.org/download/3.2/doc/proxy-protocol.txt, section 2.2).
 */
import type { Server } from 'node:http';
import { isIP, type Socket } from 'node:net';

const signature = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const fixedBytes = 16;
/** HAProxy sends 12 bytes for IPv4, 36 for IPv6, and a few dozen more where it is set to add facts. */
const restBytesMax = 2_048;
/** A balancer sends it together with the connection. */
const headerMsMax = 5_000;

const passedOn = new WeakMap<Socket, string>();

/** Whom a balancer passed this connection on for, if one did. */
export const callerBehind = (socket: Socket): string | undefined => passedOn.get(socket);

/**
 * Has the server read such headers, of connections from balancers only. A connection without one is taken as it is; one
 * whose header is broken, or takes longer than five seconds, is ended.
 */
export function readProxyHeaders(server: Server, isBalancer: (address: string) => boolean): void {
  // Node's own, by which its HTTP server takes a connection over.
  const takers = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const take = () => {
      for (const taker of takers) taker.call(server, socket);
    };
    if (isBalancer(socket.remoteAddress ?? '')) readHeader(socket, take);
    else take();
  });
}

function readHeader(socket: Socket, take: () => void): void {
  let bytes: Buffer = Buffer.alloc(0);
  const onReadable = () => {
    const piece: unknown = socket.read();
    if (!Buffer.isBuffer(piece)) return;
    bytes = Buffer.concat([bytes, piece]);
    const header = headerOf(bytes);
    if (header === 'more') return;
    leave();
    if (header === 'broken') {
      socket.destroy();
      return;
    }
    if (header.caller !== undefined) passedOn.set(socket, header.caller);
    if (header.bytes < bytes.length) socket.unshift(bytes.subarray(header.bytes));
    take();
  };
  const onEnd = () => {
    leave();
    socket.destroy();
  };
  const leave = () => {
    clearTimeout(timer);
    socket.off('readable', onReadable).off('end', onEnd).off('error', onEnd).off('close', onEnd);
  };
  const timer = setTimeout(onEnd, headerMsMax).unref();
  socket.on('readable', onReadable).on('end', onEnd).on('error', onEnd).on('close', onEnd);
}

/** Its length, 0 where there is none, and the caller it names: none where the balancer speaks for itself (LOCAL). */
type Header = { bytes: number; caller?: string } | 'more' | 'broken';

function headerOf(bytes: Buffer): Header {
  const seen = Math.min(bytes.length, signature.length);
  if (!bytes.subarray(0, seen).equals(signature.subarray(0, seen))) return { bytes: 0 };
  if (bytes.length < fixedBytes) return 'more';
  const [versionAndCommand, family] = [bytes.readUInt8(12), bytes.readUInt8(13)];
  const rest = bytes.readUInt16BE(14);
  if (versionAndCommand >> 4 !== 2 || (versionAndCommand & 0xf) > 1 || rest > restBytesMax) return 'broken';
  const end = fixedBytes + rest;
  if (bytes.length < end) return 'more';
  const isLocal = (versionAndCommand & 0xf) === 0;
  if (isLocal) return { bytes: end };
  const caller = sourceOf(family, bytes.subarray(fixedBytes, end));
  return caller === undefined ? 'broken' : { bytes: end, caller };
}

/** The source address: TCP over IPv4 (0x11) or IPv6 (0x21). */
function sourceOf(family: number, addresses: Buffer): string | undefined {
  if (family === 0x11 && addresses.length >= 12) return addresses.subarray(0, 4).join('.');
  if (family !== 0x21 || addresses.length < 36) return undefined;
  const groups = Array.from({ length: 8 }, (_, at) => addresses.readUInt16BE(2 * at).toString(16));
  const address = groups.join(':');
  return isIP(address) === 6 ? address : undefined;
}
