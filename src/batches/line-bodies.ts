/**
 * The lines of an input file, read by their places. Lines that lie together are read at once, a megabyte at a time, so that
 * a store behind a network is not asked for each.
 */
import * as z from 'zod';
import { jsonMembers } from '../domain/chat/json-members.ts';
import type { BlobStore } from '../blobs/blob-store.ts';

export interface LinePlace {
  byteOffset: number;
  byteLength: number;
}

const spanBytesMax = 1024 * 1024;

interface Span {
  start: number;
  end: number;
  bytes?: Promise<Buffer>;
}

export class LineBodies {
  readonly #blobs: Pick<BlobStore, 'read'>;
  readonly #key: string;
  readonly #spans = new Map<LinePlace, Span>();

  /** The lines in their order; of them bytes are kept until `read` was asked for the last line that shares them. */
  constructor(blobs: Pick<BlobStore, 'read'>, key: string, lines: readonly LinePlace[]) {
    this.#blobs = blobs;
    this.#key = key;
    let span: Span | undefined;
    for (const line of lines) {
      const end = line.byteOffset + line.byteLength;
      if (!span || line.byteOffset < span.start || end - span.start > spanBytesMax) {
        span = { start: line.byteOffset, end };
      }
      span.end = Math.max(span.end, end);
      this.#spans.set(line, span);
    }
  }

  /** The bytes of a line's `body`, as they were uploaded. */
  async read(line: LinePlace): Promise<Buffer> {
    const span = this.#spans.get(line);
    if (!span) throw new RangeError('this line is not among them');
    this.#spans.delete(line);
    span.bytes ??= bytesOf(this.#blobs, this.#key, span);
    const from = line.byteOffset - span.start;
    return bodyOf((await span.bytes).subarray(from, from + line.byteLength));
  }
}

/** The body in the bytes of a line that was found valid when its batch was created. */
function bodyOf(line: Buffer): Buffer {
  const [body] = jsonMembers(line, ['body']).found;
  if (!body) throw new TypeError('a line has no body');
  return line.subarray(body.start, body.end);
}

async function bytesOf(blobs: Pick<BlobStore, 'read'>, key: string, range: Span): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of await blobs.read(key, range)) pieces.push(z.instanceof(Uint8Array).parse(piece));
  return Buffer.concat(pieces);
}
