/** The pieces of a body, up to a number of bytes. */
export class BoundedBuffer {
  readonly #bytesMax: number;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Adds as much of a piece as fits; returns false when not all of it did. */
  add(piece: Buffer): boolean {
    const left = this.#bytesMax - this.#bytes;
    const added = piece.length <= left ? piece : piece.subarray(0, left);
    this.#pieces.push(added);
    this.#bytes += added.length;
    return added === piece;
  }

  joined(): Buffer {
    const [only] = this.#pieces;
    return this.#pieces.length === 1 && only !== undefined ? only : Buffer.concat(this.#pieces, this.#bytes);
  }
}
