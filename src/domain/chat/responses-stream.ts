/**
 * A responses stream on its way through the gateway: events pass named and ordered as they come; read are those that
 * begin and end the response.
 */
import type { TokenCounts } from '../pricing.ts';
import { plainResponsesBytes } from './plain-events.ts';
import { ProducedBytes } from './produced-bytes.ts';
import { responsesDeltaText } from './produced-text.ts';
import { SseDecoder, writeSseEvent, type SseEvent } from './sse.ts';
import { isObject, jsonObjectOf, responsesUsage } from './usage.ts';

/** What to do with an event: `last` is forwarded and ends the stream, `error` ends it unseen. */
export type ResponsesVerdict = 'forward' | 'hide' | 'last' | 'error';

/** How a response ended (`response.completed` and so on). */
export type ResponsesEnd = 'completed' | 'incomplete' | 'failed';

const ends: ReadonlyMap<string, ResponsesEnd> = new Map([
  ['response.completed', 'completed'],
  ['response.incomplete', 'incomplete'],
  ['response.failed', 'failed'],
]);

/** Reads the events of one stream and keeps what billing needs. */
export class ResponsesStreamMeter {
  readonly #produced = new ProducedBytes();
  #usage: TokenCounts | undefined;
  #responseId: string | undefined;
  #end: ResponsesEnd | undefined;
  #errorData: Buffer | undefined;
  #last: Buffer | undefined;

  /** From the terminal event. */
  get usage(): TokenCounts | undefined {
    return this.#usage;
  }

  /** From `response.created`, or from the terminal event. */
  get responseId(): string | undefined {
    return this.#responseId;
  }

  /** How it ended, if it did. */
  get end(): ResponsesEnd | undefined {
    return this.#end;
  }

  /** The data of the `error` event that ended the stream. */
  get errorData(): Buffer | undefined {
    return this.#errorData;
  }

  /** Says what to do with an event, and remembers it. */
  take(event: SseEvent): ResponsesVerdict {
    const { data } = event;
    if (this.#end !== undefined || this.#errorData !== undefined || data.length === 0) return 'hide';
    if (data[0] === 0x5b) return 'hide'; // `[DONE]`, which this API doesn't have
    const name = event.event === '' ? typeOf(data) : event.event;
    if (name === 'error' || name === undefined) {
      this.#errorData = data;
      return 'error';
    }
    const end = ends.get(name);
    if (end === undefined && name !== 'response.created') {
      this.keep(writeSseEvent(event.event, data));
      return 'forward';
    }
    const response = jsonObjectOf(data)?.['response'];
    if (!isObject(response)) {
      this.#errorData = data;
      return 'error';
    }
    this.#last = data;
    if (typeof response['id'] === 'string') this.#responseId = response['id'];
    if (end === undefined) return 'forward';
    this.#end = end;
    this.#usage = responsesUsage(response['usage']);
    return 'last';
  }

  /** Remembers bytes that are events found plain by `plainResponsesBytes`. */
  keep(events: Buffer): void {
    this.#last = events;
    this.#produced.append(events);
  }

  /** The text that was sent, as far as its bytes were kept. Parsed here and now. */
  producedText(): string {
    return this.#produced.text(responsesDeltaText);
  }

  /** By how much the produced text is longer than what was kept of it, from 1. */
  producedScale(): number {
    return this.#produced.scale;
  }

  /** The `sequence_number` of the last event that was forwarded; -1 before the first. */
  lastSequenceNumber(): number {
    const last = this.#last;
    if (last === undefined) return -1;
    const at = last.lastIndexOf('"sequence_number"');
    const digits =
      at === -1 ? undefined : /^"sequence_number"\s*:\s*(\d{1,15})/.exec(last.toString('latin1', at, at + 64));
    return digits?.[1] === undefined ? -1 : Number(digits[1]);
  }
}

/** Bytes in, bytes for the caller out: the decoder and the meter in one, with the short way for plain events. */
export class ResponsesStream {
  readonly meter: ResponsesStreamMeter = new ResponsesStreamMeter();
  readonly #decoder = new SseDecoder();
  #state: 'open' | 'done' | 'failed' = 'open';

  /** `done` when a terminal event came, which is in the bytes given; `failed` when an `error` event did, which is not. */
  get state(): 'open' | 'done' | 'failed' {
    return this.#state;
  }

  /**
   * The bytes for the caller that this read makes whole: whole events only, without comments. Undefined when there are
   * none. Throws SseTooLarge.
   */
  push(chunk: Buffer): Buffer | undefined {
    if (this.#state !== 'open') return undefined;
    if (!this.#decoder.isIdle) return this.#take(this.#decoder.push(chunk));
    const plainBytes = plainResponsesBytes(chunk);
    if (plainBytes === 0) return this.#take(this.#decoder.push(chunk));
    const plain = plainBytes === chunk.length ? chunk : chunk.subarray(0, plainBytes);
    this.meter.keep(plain);
    if (plain === chunk) return chunk;
    return this.#take(this.#decoder.push(chunk.subarray(plainBytes)), plain);
  }

  /** What is left when the upstream closed in good order; a last event that was cut off is dropped. */
  end(): Buffer | undefined {
    if (this.#state !== 'open') return undefined;
    return this.#take(this.#decoder.end().filter(({ data }) => jsonObjectOf(data) !== undefined));
  }

  #take(events: readonly SseEvent[], before?: Buffer): Buffer | undefined {
    const pieces: Buffer[] = before === undefined ? [] : [before];
    for (const event of events) {
      const verdict = this.meter.take(event);
      if (verdict === 'forward' || verdict === 'last') pieces.push(writeSseEvent(event.event, event.data));
      if (verdict === 'last' || verdict === 'error') {
        this.#state = verdict === 'last' ? 'done' : 'failed';
        break;
      }
    }
    return pieces.length < 2 ? pieces[0] : Buffer.concat(pieces);
  }
}

/** The name of an event that has none but in its data. */
function typeOf(data: Buffer): string | undefined {
  const type = jsonObjectOf(data)?.['type'];
  return typeof type === 'string' ? type : undefined;
}
