/** An upstream that gives no answer: what chat adapters throw, and the relays turn into the caller's error. */

/** There is no answer, or the rest of one won't come. `kind` says whether it was a time-out or a connection that broke. */
export class ChatUnreachable extends Error {
  override readonly name = 'ChatUnreachable';
  readonly kind: 'connect' | 'timeout' | 'broken';
  constructor(kind: 'connect' | 'timeout' | 'broken', message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}
