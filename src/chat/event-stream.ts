/** An event stream on its way to the caller. */
import type { ApiContext } from '../api/context.ts';

/**
 * Writes events in chunks that it frames itself (RFC 9112, section 7.1): Node frames each write in four pieces of its
 * own, which was a fifth of what a chunk of a stream costs here.
 */
export class EventStream {
  readonly #ctx: ApiContext;
  /** HTTP/1.0 knows no chunks: the end of the connection is the end of the stream. */
  readonly #isChunked: boolean;

  constructor(ctx: ApiContext) {
    this.#ctx = ctx;
    this.#isChunked = ctx.req.httpVersion === '1.1';
  }

  /** Sends events, after the head if it wasn't sent yet; returns whether the caller keeps up. */
  write(events: Buffer): boolean {
    this.#begin();
    return this.#ctx.res.write(this.#isChunked ? framed(events, false) : events);
  }

  /** Ends the stream, with the last events if there are any. */
  end(events: Buffer | undefined): void {
    this.#begin();
    const { res } = this.#ctx;
    if (this.#isChunked) res.end(events === undefined ? lastChunk : framed(events, true));
    else res.end(events);
  }

  /**
   * Ends a stream that isn't whole: the connection is closed behind the last events, without the last chunk, so that a
   * client that doesn't know the event of the error sees a broken transfer. Orderly, since a reset might overtake the event.
   */
  breakOff(events: Buffer): void {
    this.#begin();
    const { res } = this.#ctx;
    const { socket } = res;
    res.end(this.#isChunked ? framed(events, false) : events, () => socket?.destroySoon());
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

function framed(events: Buffer, isLast: boolean): Buffer {
  const size = events.length.toString(16) + lineEnd;
  const frame = Buffer.allocUnsafe(size.length + events.length + lineEnd.length + (isLast ? lastChunk.length : 0));
  frame.write(size, 0, 'latin1');
  frame.set(events, size.length);
  frame.write(lineEnd, size.length + events.length, 'latin1');
  if (isLast) frame.set(lastChunk, frame.length - lastChunk.length);
  return frame;
}
