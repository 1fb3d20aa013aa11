/**
 * A chat completion stream on its way through the gateway: what of it the caller gets, and what it says of tokens. An
 * event is parsed only where a look at its bytes says that there is something to read.
 */
import type { TokenCounts } from '../pricing.ts';
import { isPlainChatData, plainChatBytes } from './plain-events.ts';
import { ProducedBytes } from './produced-bytes.ts';
import { chatDeltaText } from './produced-text.ts';
import { SseDecoder, writeSseEvent, type SseEvent } from './sse.ts';
import { chatUsage, isObject, jsonObjectOf, type JsonObject } from './usage.ts';

/** What to do with an event. After `done` and `error` the stream is over, whatever else comes. */
export type ChatVerdict = 'forward' | 'hide' | 'done' | 'error';

export interface ChatStreamOptions {
  /** How many choices the caller asked for (`n`). */
  choices: number;
  /** Whether the caller asked for the usage-only chunk. */
  showsUsage: boolean;
}

/** How a stream that is over ends for its caller. */
export const chatStreamDone: Buffer = Buffer.from('data: [DONE]\n\n');

/** Reads the events of one stream and keeps what billing needs. */
export class ChatStreamMeter {
  readonly #options: ChatStreamOptions;
  readonly #produced = new ProducedBytes();
  readonly #finished = new Set<number>();
  #usage: TokenCounts | undefined;
  #isDone = false;
  #errorData: Buffer | undefined;

  constructor(options: ChatStreamOptions) {
    this.#options = options;
  }

  /** The last usage that made sense. */
  get usage(): TokenCounts | undefined {
    return this.#usage;
  }

  /** Whether `[DONE]` came. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Whether nothing of the answer is missing: `[DONE]` came, or every choice had its finish reason. */
  get isComplete(): boolean {
    return this.#isDone || this.#finished.size >= this.#options.choices;
  }

  /** The data of the event that ended the stream with an error, JSON or not. */
  get errorData(): Buffer | undefined {
    return this.#errorData;
  }

  /** Says what to do with an event, and remembers it. */
  take(event: SseEvent): ChatVerdict {
    const { data } = event;
    if (this.#isDone || this.#errorData !== undefined || data.length === 0) return 'hide';
    if (isDoneMark(data)) {
      this.#isDone = true;
      return 'done';
    }
    if (event.event !== 'error' && isPlainChatData(data)) {
      this.keep(event.wire ?? writeSseEvent('', data));
      return 'forward';
    }
    const chunk = jsonObjectOf(data);
    if (chunk === undefined || event.event === 'error' || isError(chunk)) {
      this.#errorData = data;
      return 'error';
    }
    return this.#takeChunk(event, chunk);
  }

  /** Remembers bytes that are events found plain by `plainChatBytes`. */
  keep(events: Buffer): void {
    this.#produced.append(events);
  }

  /** The text that was sent, of all choices, as far as its bytes were kept. Parsed here and now. */
  producedText(): string {
    return this.#produced.text(chatDeltaText);
  }

  /** By how much the produced text is longer than what was kept of it, from 1. */
  producedScale(): number {
    return this.#produced.scale;
  }

  #takeChunk(event: SseEvent, chunk: JsonObject): ChatVerdict {
    const { choices, usage } = chunk as { choices?: unknown; usage?: unknown };
    this.#usage = chatUsage(usage) ?? this.#usage;
    if (Array.isArray(choices) && choices.length > 0) {
      for (const choice of choices as readonly unknown[]) this.#takeChoice(choice);
      this.keep(event.wire ?? writeSseEvent('', event.data));
      return 'forward';
    }
    return isObject(usage) && !this.#options.showsUsage ? 'hide' : 'forward';
  }

  #takeChoice(choice: unknown): void {
    if (!isObject(choice)) return;
    const { index, finish_reason: reason } = choice as { index?: unknown; finish_reason?: unknown };
    if (typeof reason === 'string') this.#finished.add(typeof index === 'number' ? index : 0);
  }
}

/** Bytes in, bytes for the caller out: the decoder and the meter in one, with the short way for plain events. */
export class ChatStream {
  readonly meter: ChatStreamMeter;
  readonly #decoder = new SseDecoder();
  #state: 'open' | 'done' | 'failed' = 'open';

  constructor(options: ChatStreamOptions) {
    this.meter = new ChatStreamMeter(options);
  }

  /** `done` when `[DONE]` came, `failed` when an error event did (`meter.errorData`). Neither is in the bytes given. */
  get state(): 'open' | 'done' | 'failed' {
    return this.#state;
  }

  /**
   * The bytes for the caller that this read makes whole: whole events only, `data: ` and blank lines only, usually the
   * read itself. Undefined when there are none. Throws SseTooLarge.
   */
  push(chunk: Buffer): Buffer | undefined {
    if (this.#state !== 'open') return undefined;
    if (!this.#decoder.isIdle) return this.#take(this.#decoder.push(chunk));
    const plainBytes = plainChatBytes(chunk);
    if (plainBytes === 0) return this.#take(this.#decoder.push(chunk));
    const plain = plainBytes === chunk.length ? chunk : chunk.subarray(0, plainBytes);
    this.meter.keep(plain);
    if (plain === chunk) return chunk;
    return this.#take(this.#decoder.push(chunk.subarray(plainBytes)), plain);
  }

  /**
   * What is left when the upstream closed in good order: an event whose blank line never came counts if it is whole,
   * and is dropped if it is cut off.
   */
  end(): Buffer | undefined {
    if (this.#state !== 'open') return undefined;
    const whole = this.#decoder.end().filter(({ data }) => isDoneMark(data) || jsonObjectOf(data) !== undefined);
    return this.#take(whole);
  }

  #take(events: readonly SseEvent[], before?: Buffer): Buffer | undefined {
    const pieces: Buffer[] = before === undefined ? [] : [before];
    for (const event of events) {
      const wire = (event.wire ??= writeSseEvent('', event.data));
      const verdict = this.meter.take(event);
      if (verdict === 'forward') pieces.push(wire);
      else if (verdict !== 'hide') {
        this.#state = verdict === 'done' ? 'done' : 'failed';
        break;
      }
    }
    return pieces.length < 2 ? pieces[0] : Buffer.concat(pieces);
  }
}

/** The OpenAI SDKs look at the beginning only, too. */
function isDoneMark(data: Buffer): boolean {
  return data[0] === 0x5b && data.toString('latin1', 0, 6) === '[DONE]';
}

/** `{"error":…}` as OpenAI has it, or vLLM's older `{"object":"error",…}`. */
function isError(chunk: JsonObject): boolean {
  const { error, object } = chunk as { error?: unknown; object?: unknown };
  return (error !== undefined && error !== null) || object === 'error';
}
