/** HTTP as bytes on a socket, for requests that no client would send. */
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A connection whose errors are the test's matter, once it is there. */
export function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  return new Promise((resolve, reject) => {
    socket.once('error', reject).once('connect', () => {
      socket.off('error', reject).on('error', () => undefined);
      resolve(socket);
    });
  });
}

export interface RawAnswer {
  status: number;
  /** By their names in lower case. */
  headers: ReadonlyMap<string, string>;
  body: Buffer;
}

export interface Exchange {
  /** The answers that came, in order; interim ones are left out. */
  answers: RawAnswer[];
  /** Bytes after the last whole answer. */
  rest: Buffer;
  closed: boolean;
}

/**
 * Sends bytes on a connection of their own and reads until the server closes it, or until nothing has come for
 * `quietMs` after the first answer. Pieces of a list are sent apart.
 */
export async function exchange(url: string, request: string | readonly string[], quietMs = 300): Promise<Exchange> {
  const socket = await openSocket(url);
  const pieces: Buffer[] = [];
  const heard = { closed: false, at: Infinity };
  socket.on('data', (piece: Buffer) => {
    pieces.push(piece);
    heard.at = performance.now();
  });
  socket.once('close', () => (heard.closed = true));
  for (const piece of typeof request === 'string' ? [request] : request) {
    if (heard.closed) break;
    socket.write(piece, 'latin1');
    if (typeof request !== 'string') await pause(5);
  }
  while (!heard.closed && performance.now() < heard.at + quietMs) await pause(10);
  socket.destroy();
  return { ...answersIn(Buffer.concat(pieces)), closed: heard.closed };
}

/** Takes apart what a server wrote. */
export function answersIn(bytes: Buffer): Omit<Exchange, 'closed'> {
  const answers: RawAnswer[] = [];
  let at = 0;
  for (;;) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    const [statusLine = '', ...lines] = bytes.toString('latin1', at, Math.max(at, headEnd)).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    if (headEnd === -1 || Number.isNaN(status)) break;
    const headers = new Map(lines.map((line) => [nameOf(line), line.slice(line.indexOf(':') + 1).trim()]));
    const start = headEnd + 4;
    const end = status < 200 ? start : bodyEnd(bytes, start, headers);
    if (end > bytes.length) break;
    if (status >= 200) answers.push({ status, headers, body: bytes.subarray(start, end) });
    at = end;
  }
  return { answers, rest: bytes.subarray(at) };
}

const nameOf = (line: string): string => line.slice(0, line.indexOf(':')).toLowerCase();

function bodyEnd(bytes: Buffer, start: number, headers: ReadonlyMap<string, string>): number {
  if (headers.get('transfer-encoding') !== 'chunked') return start + Number(headers.get('content-length') ?? 0);
  const end = bytes.indexOf('0\r\n\r\n', start);
  return end === -1 ? bytes.length + 1 : end + 5;
}
