/**
 * The meter of chat completion streams: what of them the caller gets, and what they say of tokens. An event is parsed
 * only where a look at its bytes says that there is something to read.
 */
import { refuseManyValues } from '../json/json-bounds.ts';
import { isUsage } from '../usage/vendor-usage.ts';
import { type AnswerStatement, textIn } from './answer-statement.ts';
import type { MemoryRoom } from './byte-collector.ts';
import { isDoneMark, type StreamMeter, type Verdict } from './metered-stream.ts';
import { isPlainChatData, plainChatBytes } from './plain-events.ts';
import { ProducedBytes } from './produced-bytes.ts';
import { chatDeltaText } from './produced-text.ts';
import type { SseEvent } from './sse.ts';
import { isObject, jsonObjectOf, type JsonObject } from '../json/json-object.ts';

export interface ChatStreamOptions {
  /** How many choices the caller asked for (`n`). */
  choices: number;
  /** Whether the caller asked for the usage-only chunk. */
  showsUsage: boolean;
}

const doneEvent = Buffer.from('data: [DONE]\n\n');

/** Reads the events of one stream and keeps what billing needs. */
export class ChatStreamMeter implements StreamMeter {
  readonly showsNames = false;
  readonly terminator: Buffer = doneEvent;
  readonly #options: ChatStreamOptions;
  readonly #produced: ProducedBytes;
  readonly #finished = new Set<number>();
  #id: string | undefined;
  #tier: string | undefined;
  #usage: JsonObject | undefined;
  #isDone = false;
  #errorData: Buffer | undefined;

  /** What was produced is kept in `room`. */
  constructor(options: ChatStreamOptions, room?: MemoryRoom) {
    this.#options = options;
    this.#produced = new ProducedBytes(room);
  }

  get stated(): AnswerStatement {
    return { id: this.#id, tier: this.#tier, usage: this.#usage, toolCalls: {} };
  }

  /** Whether `[DONE]` came. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Whether nothing of the answer is missing: `[DONE]` came, or every choice had its finish reason. */
  get isComplete(): boolean {
    return this.#isDone || this.#finished.size >= this.#options.choices;
  }

  get errorData(): Buffer | undefined {
    return this.#errorData;
  }

  plainBytes(bytes: Buffer): number {
    return plainChatBytes(bytes);
  }

  take(event: SseEvent, wire: Buffer): Verdict {
    const { data } = event;
    refuseManyValues(data);
    if (this.#isDone || this.#errorData !== undefined || data.length === 0) return 'hide';
    if (isDoneMark(data)) {
      this.#isDone = true;
      return 'done';
    }
    if (event.event !== 'error' && isPlainChatData(data)) {
      this.keep(wire);
      return 'forward';
    }
    const chunk = jsonObjectOf(data);
    if (chunk === undefined || event.event === 'error' || isError(chunk)) {
      this.#errorData = data;
      return 'error';
    }
    return this.#takeChunk(chunk, wire);
  }

  keep(events: Buffer): void {
    this.#produced.append(events);
  }

  producedText(): string {
    return this.#produced.text(chatDeltaText);
  }

  producedScale(): number {
    return this.#produced.scale;
  }

  #takeChunk(chunk: JsonObject, wire: Buffer): Verdict {
    const { choices, usage, id, service_tier: tier } = chunk;
    this.#id ??= textIn(id);
    this.#tier = textIn(tier) ?? this.#tier;
    if (isUsage('chat', usage)) this.#usage = usage;
    if (Array.isArray(choices) && choices.length > 0) {
      for (const choice of choices as readonly unknown[]) this.#takeChoice(choice);
      this.keep(wire);
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

/** `{"error":…}` as OpenAI has it, or vLLM's older `{"object":"error",…}`. */
function isError(chunk: JsonObject): boolean {
  const { error, object } = chunk as { error?: unknown; object?: unknown };
  return (error !== undefined && error !== null) || object === 'error';
}
