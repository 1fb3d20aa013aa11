/** Frames one after the other in bytes that come in pieces: only a frame's head is looked at, the rest is passed over. */

/** Counts the seconds of one format in bytes that come in pieces of any size. */
export interface AudioCounter {
  push(bytes: Buffer): void;
  /** Seconds of all that came whole. */
  readonly seconds: number;
}

export interface FrameHead {
  /** Of the whole frame, its head included; at least one. */
  bytes: number;
  /** What it adds, once all of it came. */
  seconds: number;
}

/** Reads the frame that begins at this place: `none` where none does, `more` where that can't be seen yet. */
export type ReadHead = (bytes: Buffer, at: number) => FrameHead | 'none' | 'more';

export class FrameWalk implements AudioCounter {
  readonly #read: ReadHead;
  /** A head that is not whole. */
  #rest: Buffer = Buffer.alloc(0);
  /** Of the frame that is being passed over. */
  #left = 0;
  #pending = 0;
  #seconds = 0;

  constructor(read: ReadHead) {
    this.#read = read;
  }

  get seconds(): number {
    return this.#seconds;
  }

  /** What is no frame is passed over, a byte at a time. */
  push(piece: Buffer): void {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    let at = this.#skip(bytes, 0);
    while (at < bytes.length) {
      const head = this.#read(bytes, at);
      if (head === 'more') break;
      if (head === 'none') {
        at++;
        continue;
      }
      this.#left = head.bytes;
      this.#pending = head.seconds;
      at = this.#skip(bytes, at);
    }
    // A copy, or a few bytes would keep the whole piece.
    this.#rest = Buffer.from(bytes.subarray(at));
  }

  /** Passes over what is left of a frame, and counts it at its end. Returns where the next byte is. */
  #skip(bytes: Buffer, at: number): number {
    const skipped = Math.min(this.#left, bytes.length - at);
    this.#left -= skipped;
    if (this.#left === 0) {
      this.#seconds += this.#pending;
      this.#pending = 0;
    }
    return at + skipped;
  }
}
