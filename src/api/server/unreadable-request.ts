/**
 * Requests that can't be read as HTTP/1.1, or could be read in two ways by two programs (RFC 9112): refused in the form
 * of all errors, each answered once, and their connection closed.
 */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { newRequestId } from '../../postgres/new-ids.ts';

/** How long the caller may go on sending what is not read; closed at once, it could lose the answer. */
const lingerMs = 2_000;

interface Refusal {
  status: 400 | 408 | 413 | 431;
  message: string;
}

const broken: Refusal = { status: 400, message: 'Malformed HTTP/1.1 request.' };
const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The request line and headers must not exceed 16 KiB.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'The chunk extensions of the body are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time.' },
};

/** The latest answer of each connection, and the connections that are given up. */
const latest = new WeakMap<Duplex, ServerResponse>();
const givenUp = new WeakSet<Duplex>();

/**
 * Makes a request ready for the application: its target becomes a path. Answers false after refusing one whose framing,
 * host or target is doubtful although Node's parser lets it pass.
 */
export function isReadable(request: IncomingMessage, response: ServerResponse): boolean {
  latest.set(request.socket, response);
  const fault = faultOf(request);
  // What follows an offer to change the protocol, the parser throws away without a word.
  if (request.headers.upgrade !== undefined) response.setHeader('Connection', 'close');
  if (fault === undefined) return true;
  answer(response, { status: 400, message: fault });
  return false;
}

/** What to do when the parser gives a connection up (`clientError`). Whatever follows on it is thrown away. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (givenUp.has(socket)) return;
  givenUp.add(socket);
  const last = latest.get(socket);
  const refusal = refusals[error.code ?? ''] ?? broken;
  if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
  else if (last && !last.req.complete) {
    // The body of a request that the application has: if it has answered by now, that was the answer.
    if (last.headersSent) socket.destroy();
    else {
      answer(last, refusal);
      // Node forgets a request that was answered, and a reader of its body would wait for ever.
      socket.once('close', () => last.req.destroy());
    }
  } else if (last && !last.writableFinished) {
    // Nonsense behind a request that is being answered: it gets its answer, and nothing comes after it.
    if (last.headersSent) last.once('close', () => socket.end());
    else last.setHeader('Connection', 'close');
  } else {
    const { head, body } = written(refusal);
    const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
    setTimeout(() => socket.destroy(), lingerMs).unref();
  }
}

/** Refuses a CONNECT, for which Node has no response object. */
export function refuseConnect(_request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => undefined);
  refuseUnreadable(new Error('CONNECT'), socket);
}

function faultOf(request: IncomingMessage): string | undefined {
  const { httpVersion, rawHeaders, headers } = request;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'Only HTTP/1.1 and HTTP/1.0 are supported.';
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === 'host') hosts++;
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1') || !/^[\w.~!$&'()*+,;=%:[\]-]*$/.test(headers.host ?? '')) {
    return 'A request must have exactly one Host header, with a host and an optional port.';
  }
  // Node takes whatever ends in `chunked`, and hands over what is still compressed.
  if ((headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked') {
    return 'The only supported Transfer-Encoding is chunked.';
  }
  const path = pathOf(request.url ?? '');
  if (path === undefined) return 'The request target must be a path or an http or https URL.';
  request.url = path;
  return undefined;
}

/** Path and query of the target's origin form, `*`, or absolute form; the host of the last one means nothing here. */
function pathOf(target: string): string | undefined {
  if (target.startsWith('/') || target === '*') return target;
  const origin = /^https?:\/\/[^/?#]+/i.exec(target)?.[0];
  if (origin === undefined) return undefined;
  const path = target.slice(origin.length);
  return path.startsWith('/') ? path : `/${path}`;
}

function answer(response: ServerResponse, refusal: Refusal): void {
  const { head, body } = written(refusal);
  response.writeHead(refusal.status, head).end(body);
  givenUp.add(response.req.socket);
}

function written({ message }: Refusal): { head: Record<string, string>; body: string } {
  const body = JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code: null } });
  const head = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': newRequestId(),
    Connection: 'close',
    Date: new Date().toUTCString(),
  };
  return { head, body };
}
