/** An event stream on its way to the caller. */
import type { ApiContext } from '../api/context.ts';
import type { BodyTap } from '../bodies/body-tap.ts';

/**
 * Writes events in chunks that it frames itself (RFC 9112, section 7.1): Node frames each write in four pieces of its
 * own, which was a fifth of what a chunk of a stream costs here.
 */
export class EventStream {
  readonly #ctx: ApiContext;
  /** HTTP/1.0 knows no chunks: the end of the connection is the end of the stream. */
  readonly #isChunked: boolean;
  readonly #bodies: BodyTap | undefined;

  constructor(ctx: ApiContext) {
    this.#ctx = ctx;
    this.#bodies = ctx.state.bodies;
    this.#isChunked = ctx.req.httpVersion === '1.1';
  }

  /** Sends events, after the head if it wasn't sent yet; returns whether the caller keeps up. */
  write(events: Buffer): boolean {
    this.#begin();
    this.#bodies?.addAnswer(events);
    return this.#ctx.res.write(this.#isChunked ? framed([events], false) : events);
  }

  /** Ends the stream, with the last events if there are any. */
  end(...events: Buffer[]): void {
    this.#begin();
    if (this.#bodies) for (const piece of events) this.#bodies.addAnswer(piece);
    this.#ctx.res.end(this.#isChunked ? framed(events, true) : Buffer.concat(events));
  }

  /**
   * Ends a stream that isn't whole: the connection is closed behind the last events, without the last chunk, so that a
   * client that doesn't know the event of the error sees a broken transfer. Orderly, since a reset might overtake the event.
   */
  breakOff(events: Buffer): void {
    this.#begin();
    this.#bodies?.addAnswer(events);
    const { res } = this.#ctx;
    const { socket } = res;
    res.end(this.#isChunked ? framed([events], false) : events, () => socket?.destroySoon());
  }

  #begin(): void {
    const { res } = this.#ctx;
    if (res.headersSent) return;
    this.#ctx.respond = false; // the answer is ours from here on
    this.#ctx.state.headAt = performance.now();
    res.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      // Proxies are not to gather what should flow.
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
      ...(this.#isChunked && { 'Transfer-Encoding': 'chunked' }),
    });
    if (this.#isChunked) res.chunkedEncoding = false;
  }
}

const lastChunk = Buffer.from('0\r\n\r\n');
const lineEnd = '\r\n';

/** The events as one chunk, and behind it the end of all chunks if it is the last. */
function framed(events: readonly Buffer[], isLast: boolean): Buffer {
  const bytes = events.reduce((sum, { length }) => sum + length, 0);
  if (bytes === 0) return lastChunk; // a chunk of no bytes is the end
  const size = bytes.toString(16) + lineEnd;
  const frame = Buffer.allocUnsafe(size.length + bytes + lineEnd.length + (isLast ? lastChunk.length : 0));
  let at = frame.write(size, 0, 'latin1');
  for (const piece of events) {
    frame.set(piece, at);
    at += piece.length;
  }
  at += frame.write(lineEnd, at, 'latin1');
  if (isLast) frame.set(lastChunk, at);
  return frame;
}
