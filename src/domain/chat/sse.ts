/**
 * Server-sent events, read by the grammar of the HTML standard (section 9.2.6): lines end in LF, CR or CRLF, a read
 * may end anywhere, comments and unknown fields are skipped, and a blank line ends an event.
 */
import { ByteCollector, type MemoryRoom } from './byte-collector.ts';

/** Ten times the largest event seen in use, an image in a responses stream. */
export const sseEventBytesMax = 16 * 1024 * 1024;

/** An event, or a line, has more bytes than are ever kept. */
export class SseTooLarge extends Error {
  override readonly name = 'SseTooLarge';
  constructor(bytesMax: number) {
    super(`an event of the stream has more than ${bytesMax} bytes`);
  }
}

export interface SseEvent {
  /** The value of its last `event` field; empty without one. */
  event: string;
  /** Its `data` lines, joined by LF. Not decoded: most events are only passed on. */
  data: Buffer;
  /** Its own bytes, where they are just `data: `, one line and two LF: what may be passed on without a copy. */
  wire: Buffer | undefined;
}

const LF = 0x0a;
const CR = 0x0d;
const colon = 0x3a;
const space = 0x20;
const nowhere = Number.MAX_SAFE_INTEGER;

/** One stream's decoder. After it threw it is of no more use. */
export class SseDecoder {
  readonly #bytesMax: number;
  /** The bytes of a line whose end has not come. */
  readonly #line: ByteCollector;
  /** The data of an event with several lines; the first of them is kept as it came until there is a second. */
  readonly #lines: ByteCollector;
  #firstLine: Buffer | undefined;
  #dataLines = 0;
  #event = '';
  /** The read before this one ended in CR: a LF that comes now belongs to it. */
  #skipsLf = false;
  #isFirstLine = true;

  /** What is half read is kept in `room`; without enough of it, it is too large. */
  constructor(bytesMax: number = sseEventBytesMax, room?: MemoryRoom) {
    this.#bytesMax = bytesMax;
    this.#line = new ByteCollector(bytesMax, room);
    this.#lines = new ByteCollector(bytesMax, room);
  }

  /** Whether nothing is half read: what comes next begins an event. */
  get isIdle(): boolean {
    return this.#dataLines === 0 && this.#line.length === 0 && this.#event === '' && !this.#skipsLf;
  }

  /** Events went by without being decoded: what comes next is not the first line, which alone may begin with a byte order mark. */
  skipEvents(): void {
    this.#isFirstLine = false;
  }

  /**
   * The events that are whole with this read; they may be views of it. Throws SseTooLarge.
   */
  push(chunk: Uint8Array): SseEvent[] {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const events: SseEvent[] = [];
    const end = bytes.length;
    let at = 0;
    if (this.#skipsLf && end > 0) {
      this.#skipsLf = false;
      if (bytes[0] === LF) at = 1;
    }
    let nextLf = -1;
    let nextCr = -1;
    while (at < end) {
      if (nextLf < at) nextLf = indexOfByte(bytes, LF, at);
      if (nextCr < at) nextCr = indexOfByte(bytes, CR, at);
      if (nextLf < nextCr && bytes[nextLf + 1] === LF && this.isIdle && beginsWithData(bytes, at)) {
        this.#isFirstLine = false;
        this.#check(nextLf - at);
        events.push({ event: '', data: bytes.subarray(at + 6, nextLf), wire: bytes.subarray(at, nextLf + 2) });
        at = nextLf + 2;
        continue;
      }
      const lineEnd = Math.min(nextLf, nextCr);
      if (lineEnd === nowhere) {
        if (!this.#line.append(bytes.subarray(at))) throw new SseTooLarge(this.#bytesMax);
        break;
      }
      const event = this.#takeLine(this.#wholeLine(bytes.subarray(at, lineEnd)));
      if (event !== undefined) events.push(event);
      at = lineEnd + 1;
      if (lineEnd === nextCr) {
        if (at === end) this.#skipsLf = true;
        else if (bytes[at] === LF) at++;
      }
    }
    return events;
  }

  /**
   * The event whose blank line, or even the end of its last line, never came. The standard drops it; the OpenAI SDKs
   * don't, and some servers close right after `data: [DONE]`.
   */
  end(): SseEvent[] {
    const events: SseEvent[] = [];
    if (this.#line.length > 0) this.#takeLine(this.#line.take());
    const event = this.#takeEvent();
    if (event !== undefined) events.push(event);
    return events;
  }

  #wholeLine(last: Buffer): Buffer {
    if (this.#line.length === 0) return last;
    if (!this.#line.append(last)) throw new SseTooLarge(this.#bytesMax);
    return this.#line.take();
  }

  /** Returns the event that a blank line ends. */
  #takeLine(line: Buffer): SseEvent | undefined {
    let start = 0;
    if (this.#isFirstLine) {
      this.#isFirstLine = false;
      if (line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf) start = 3;
    }
    if (line.length === start) return this.#takeEvent();
    const at = indexOfByte(line, colon, start);
    if (at === start) return undefined; // a comment
    const nameEnd = Math.min(at, line.length);
    if (nameEnd - start > 5) return undefined;
    const valueStart = Math.min(line.length, nameEnd + (line[nameEnd + 1] === space ? 2 : 1));
    const name = line.toString('latin1', start, nameEnd);
    if (name === 'data') this.#takeData(line.subarray(valueStart));
    else if (name === 'event') this.#event = line.toString('utf8', valueStart, line.length);
    // `id` and `retry` are for clients that connect again, which a gateway never does.
    return undefined;
  }

  #takeData(value: Buffer): void {
    this.#check(value.length);
    this.#dataLines++;
    if (this.#dataLines === 1) {
      this.#firstLine = value;
      return;
    }
    const isWithin =
      (this.#firstLine === undefined || this.#lines.append(this.#firstLine)) &&
      this.#lines.append(lineFeed) &&
      this.#lines.append(value);
    if (!isWithin) throw new SseTooLarge(this.#bytesMax);
    this.#firstLine = undefined;
  }

  #takeEvent(): SseEvent | undefined {
    const event = this.#event;
    this.#event = '';
    if (this.#dataLines === 0) return undefined;
    const data = this.#firstLine ?? this.#lines.take();
    this.#dataLines = 0;
    this.#firstLine = undefined;
    return { event, data, wire: undefined };
  }

  #check(bytes: number): void {
    if (bytes > this.#bytesMax) throw new SseTooLarge(this.#bytesMax);
  }
}

/** Whether `data: ` is at this place. */
export function beginsWithData(bytes: Uint8Array, at: number): boolean {
  return (
    bytes[at] === 0x64 &&
    bytes[at + 1] === 0x61 &&
    bytes[at + 2] === 0x74 &&
    bytes[at + 3] === 0x61 &&
    bytes[at + 4] === colon &&
    bytes[at + 5] === space
  );
}

/**
 * An event as it is written to a caller, with its name if there is one. The data's lines are joined by spaces, since
 * LF in JSON can only be white space and simple clients read one line an event.
 */
export function writeSseEvent(event: string, data: Buffer): Buffer {
  const prefix = event === '' ? dataPrefix : Buffer.from(`event: ${event}\ndata: `);
  const wire = Buffer.allocUnsafe(prefix.length + data.length + 2);
  wire.set(prefix);
  wire.set(data, prefix.length);
  wire.set(blankLine, wire.length - 2);
  for (let at = data.indexOf(LF); at !== -1; at = data.indexOf(LF, at + 1)) wire[prefix.length + at] = space;
  return wire;
}

const dataPrefix = Buffer.from('data: ');
const lineFeed = Buffer.from('\n');
const blankLine = Buffer.from('\n\n');

function indexOfByte(bytes: Buffer, byte: number, from: number): number {
  const at = bytes.indexOf(byte, from);
  return at === -1 ? nowhere : at;
}
