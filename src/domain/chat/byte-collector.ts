/** Bytes that come in pieces, copied into one growing buffer, up to a bound. */

/** A line that was cut in two fits, and comes from Node's pool of small buffers. */
const firstBytesDefault = 1024;

/** What bytes that are kept take of the memory, counted where they are many. */
export interface MemoryRoom {
  /** Returns false, and takes nothing, where there is no more. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/**
 * Copying beats keeping the pieces: a piece of 200 bytes holds a read buffer of its own, and a thousand streams of them
 * are what the garbage collector would have to walk.
 */
export class ByteCollector {
  readonly #bytesMax: number;
  readonly #firstBytes: number;
  readonly #room: MemoryRoom | undefined;
  #buffer: Buffer | undefined;
  #length = 0;

  constructor(bytesMax: number, room?: MemoryRoom, firstBytes: number = firstBytesDefault) {
    this.#bytesMax = bytesMax;
    this.#room = room;
    this.#firstBytes = firstBytes;
  }

  get length(): number {
    return this.#length;
  }

  /** Takes a piece whole, or returns false and takes nothing when it would pass the bound, or there is no room for it. */
  append(piece: Uint8Array): boolean {
    const length = this.#length + piece.length;
    if (length > this.#bytesMax) return false;
    const buffer = this.#bufferFor(length);
    if (buffer === undefined) return false;
    buffer.set(piece, this.#length);
    this.#length = length;
    return true;
  }

  /** A view of what was collected, good until the next `append` or `clear`. */
  view(): Buffer {
    return this.#buffer?.subarray(0, this.#length) ?? Buffer.alloc(0);
  }

  /** Hands over what was collected and starts anew. */
  take(): Buffer {
    const collected = this.view();
    this.#room?.give(this.#buffer?.length ?? 0);
    this.#buffer = undefined;
    this.#length = 0;
    return collected;
  }

  #bufferFor(length: number): Buffer | undefined {
    const buffer = this.#buffer;
    if (buffer !== undefined && buffer.length >= length) return buffer;
    const doubled = Math.max(this.#firstBytes, (buffer?.length ?? 0) * 2, length);
    const bytes = Math.min(doubled, this.#bytesMax);
    if (this.#room?.take(bytes - (buffer?.length ?? 0)) === false) return undefined;
    const larger = Buffer.allocUnsafe(bytes);
    if (buffer !== undefined) larger.set(buffer.subarray(0, this.#length));
    this.#buffer = larger;
    return larger;
  }
}
