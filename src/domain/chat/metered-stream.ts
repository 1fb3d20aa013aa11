/** A streamed answer on its way through the gateway: bytes in, bytes for the caller out, and a meter that reads along. */
import { valuesMax } from '../json/json-bounds.ts';
import type { AnswerStatement } from './answer-statement.ts';
import type { MemoryRoom } from './byte-collector.ts';
import { SseDecoder, sseEventBytesMax, writeSseEvent, type SseEvent } from './sse.ts';
import { readJson } from './json-reading.ts';

/**
 * What to do with an event: `last` is forwarded and ends the stream, `failure` is so with its error cleaned, `done` and
 * `error` end it unseen.
 */
export type Verdict = 'forward' | 'hide' | 'last' | 'failure' | 'done' | 'error';

/** What the gateway has to know of one wire format: which events pass, and what they say of tokens. */
export interface StreamMeter {
  /** Whether callers of this format are shown the events' names. */
  readonly showsNames: boolean;
  /** What the caller gets after a stream that is complete. */
  readonly terminator: Buffer | undefined;
  /** What the answer has said so far, with the last usage that has its whole counts. */
  readonly stated: AnswerStatement;
  /** Whether nothing of the answer is missing. */
  readonly isComplete: boolean;
  /** The data of the event that ended the stream with an error, JSON or not. */
  readonly errorData: Buffer | undefined;
  /** How many of the first bytes, which begin an event, are whole events with nothing to read in them. */
  plainBytes(bytes: Buffer): number;
  /** Remembers bytes that were found plain. */
  keep(events: Buffer): void;
  /** Says what to do with an event, and remembers it; `wire` is how it is written to the caller. */
  take(event: SseEvent, wire: Buffer): Verdict;
  /** The text that was sent, as far as its bytes were kept. Parsed here and now. */
  producedText(): string;
  /** By how much the produced text is longer than what was kept of it, from 1. */
  producedScale(): number;
}

/** The decoder and a meter in one, with a short way for plain events: most reads of a stream pass as they are. */
export class MeteredStream<Meter extends StreamMeter = StreamMeter> {
  readonly meter: Meter;
  readonly #cleaned: (data: Buffer) => Buffer;
  readonly #decoder: SseDecoder;
  #state: 'open' | 'done' | 'failed' = 'open';

  /**
   * `cleaned` takes from the data of an event that reports a failure what is not for the caller; events that are half
   * read are kept in `room`.
   */
  constructor(meter: Meter, cleaned: (data: Buffer) => Buffer = (data) => data, room?: MemoryRoom) {
    this.meter = meter;
    this.#cleaned = cleaned;
    this.#decoder = new SseDecoder(sseEventBytesMax, room);
  }

  /** `done` when the last event came, `failed` when one reported an error (`meter.errorData`), which is not in the bytes given. */
  get state(): 'open' | 'done' | 'failed' {
    return this.#state;
  }

  /**
   * The bytes for the caller that this read makes whole: whole events only, without comments, usually the read itself.
   * Undefined when there are none. Throws SseTooLarge, and TooManyValues for an event that has more than are ever parsed.
   */
  push(chunk: Buffer): Buffer | undefined {
    if (this.#state !== 'open') return undefined;
    const plainBytes = this.#decoder.isIdle && chunk.length <= valuesMax ? this.meter.plainBytes(chunk) : 0;
    if (plainBytes === 0) return this.#take(this.#decoder.push(chunk));
    const plain = plainBytes === chunk.length ? chunk : chunk.subarray(0, plainBytes);
    this.meter.keep(plain);
    this.#decoder.skipEvents();
    if (plain === chunk) return chunk;
    return this.#take(this.#decoder.push(chunk.subarray(plainBytes)), plain);
  }

  /**
   * What is left when the upstream closed in good order: an event whose blank line never came counts if it is whole,
   * and is dropped if it is cut off. Throws as `push`.
   */
  end(): Buffer | undefined {
    if (this.#state !== 'open') return undefined;
    const whole = this.#decoder.end().filter(({ data }) => isDoneMark(data) || readJson(data, []) !== undefined);
    return this.#take(whole);
  }

  #take(events: readonly SseEvent[], before?: Buffer): Buffer | undefined {
    const pieces: Buffer[] = before === undefined ? [] : [before];
    for (const event of events) {
      const name = this.meter.showsNames ? event.event : '';
      const wire = event.wire ?? writeSseEvent(name, event.data);
      const verdict = this.meter.take(event, wire);
      if (verdict === 'forward' || verdict === 'last') pieces.push(wire);
      if (verdict === 'failure') pieces.push(writeSseEvent(name, this.#cleaned(event.data)));
      if (verdict === 'forward' || verdict === 'hide') continue;
      this.#state = verdict === 'error' ? 'failed' : 'done';
      break;
    }
    return joined(pieces);
  }
}

/** As one piece; without a copy where they lie side by side in one read, as the events of most reads do. */
function joined(pieces: readonly Buffer[]): Buffer | undefined {
  const [first] = pieces;
  if (first === undefined || pieces.length === 1) return first;
  const start = first.byteOffset;
  let end = start;
  for (const piece of pieces) {
    if (piece.buffer !== first.buffer || piece.byteOffset !== end) return Buffer.concat(pieces);
    end += piece.length;
  }
  return Buffer.from(first.buffer, start, end - start);
}

/** Returns whether data is `[DONE]`, by its beginning only, as the OpenAI SDKs do. */
export function isDoneMark(data: Buffer): boolean {
  return data[0] === 0x5b && data.toString('latin1', 0, 6) === '[DONE]';
}
