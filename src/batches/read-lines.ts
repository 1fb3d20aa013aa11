/** The lines of a file, as they come: of a file of any size one line is in memory, and a piece of the next one. */

export interface FileLine {
  /** From 1. */
  number: number;
  /** In the file. */
  byteOffset: number;
  /** Without its line break; undefined: it has more than a line may have. */
  bytes: Buffer | undefined;
  byteLength: number;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** All lines that hold more than spaces, in their order. */
export async function* readLines(source: AsyncIterable<Uint8Array>, lineBytesMax: number): AsyncGenerator<FileLine> {
  let pieces: Buffer[] = [];
  let length = 0;
  let byteOffset = 0;
  let number = 0;
  const keep = (piece: Buffer) => {
    length += piece.length;
    if (length > lineBytesMax) pieces = [];
    else pieces.push(piece);
  };
  const take = (): FileLine | undefined => {
    const line = lineOf(
      { number: ++number, byteOffset, byteLength: length },
      length > lineBytesMax ? undefined : pieces,
    );
    byteOffset += length + 1;
    pieces = [];
    length = 0;
    return line;
  };
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, from)) {
      keep(bytes.subarray(from, end));
      from = end + 1;
      const line = take();
      if (line) yield line;
    }
    // A copy, since it would keep the whole chunk.
    if (from < bytes.length) keep(Buffer.from(bytes.subarray(from)));
  }
  const last = length > 0 ? take() : undefined;
  if (last) yield last;
}

function lineOf(facts: Omit<FileLine, 'bytes'>, pieces: readonly Buffer[] | undefined): FileLine | undefined {
  if (!pieces) return { ...facts, bytes: undefined };
  const [only] = pieces;
  const whole = pieces.length === 1 && only ? only : Buffer.concat(pieces);
  const bytes = whole.at(-1) === carriageReturn ? whole.subarray(0, -1) : whole;
  return isBlank(bytes) ? undefined : { ...facts, bytes, byteLength: bytes.length };
}

const isBlank = (bytes: Buffer): boolean => bytes.length === 0 || bytes.every((byte) => byte === 0x20 || byte === 0x09);
