/** What both body readers share: callers that leave, and bytes that are not wanted any more. */
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../domain/errors.ts';

/** The caller went away before its request was whole: no one reads an answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
  constructor(cause?: unknown) {
    super('the client disconnected before its request was complete', { cause });
  }
}

// A caller that only reads after it has sent everything (most HTTP clients) would get a reset connection instead of
// our answer, so a refused body is read on and thrown away: for this long, and as many bytes as the reader allows.
const discardMs = 60_000;

const bounded = new WeakSet<IncomingMessage>();

/** Whether what is left of a request is bounded by the reader that refused it. */
export const isRestBounded = (request: IncomingMessage): boolean => bounded.has(request);

/**
 * Reads what is left of a request and throws it away, so that the answer given meanwhile can reach the caller.
 * Ends the connection after `bytesMax` more bytes or a minute. Answers at once.
 */
export function discardRest(request: IncomingMessage, bytesMax: number): void {
  bounded.add(request);
  if (request.readableEnded || request.destroyed) return;
  let bytes = 0;
  const giveUp = setTimeout(() => request.destroy(), discardMs).unref();
  request.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > bytesMax) request.destroy();
  });
  request.on('error', () => undefined); // a caller that leaves now has been answered or doesn't care
  request.once('close', () => clearTimeout(giveUp));
  request.resume();
}

/** Refuses a body in a content coding (415): what is sent is what is counted, hashed and handed on. */
export function refuseContentCoding(request: IncomingMessage): void {
  const coding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (coding === 'identity' || coding === '') return;
  throw new GatewayError(
    'unsupported_media_type',
    'The body must not be compressed. Send it without Content-Encoding.',
  );
}
