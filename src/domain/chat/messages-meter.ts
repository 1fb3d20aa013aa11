/**
 * The meter of messages streams: events pass named and ordered as they come; read are those that begin the message, count
 * its tokens and end it.
 */
import { refuseManyValues } from '../json/json-bounds.ts';
import { MessagesUsage } from '../usage/messages-usage.ts';
import { isUsage } from '../usage/vendor-usage.ts';
import { type AnswerStatement, textIn } from './answer-statement.ts';
import type { MemoryRoom } from './byte-collector.ts';
import { readJson } from './json-reading.ts';
import type { StreamMeter, Verdict } from './metered-stream.ts';
import { plainMessagesBytes } from './plain-events.ts';
import { ProducedBytes } from './produced-bytes.ts';
import { messagesDeltaText } from './produced-text.ts';
import type { SseEvent } from './sse.ts';

const stopEvent = Buffer.from('event: message_stop\ndata: {"type":"message_stop"}\n\n');

/** Reads the events of one stream and keeps what billing needs. */
export class MessagesStreamMeter implements StreamMeter {
  readonly showsNames = true;
  readonly #produced: ProducedBytes;
  readonly #usage = new MessagesUsage();
  #id: string | undefined;
  /** The output was counted, so far or at last: `message_start` only knows that it has begun. */
  #hasOutputCount = false;
  #isStopped = false;
  #isDone = false;
  #errorData: Buffer | undefined;

  /** What was produced is kept in `room`. */
  constructor(room?: MemoryRoom) {
    this.#produced = new ProducedBytes(room);
  }

  get stated(): AnswerStatement {
    const { usage } = this.#usage;
    const counted = isUsage('messages', usage) ? usage : undefined;
    return {
      id: this.#id,
      tier: textIn(usage?.['service_tier']),
      usage: this.#hasOutputCount ? counted : undefined,
      ...(counted && !this.#hasOutputCount && { promptUsage: counted }),
      toolCalls: {},
    };
  }

  /** What is missing of a stream that gave its stop reason and then ended. */
  get terminator(): Buffer | undefined {
    return this.#isDone ? undefined : stopEvent;
  }

  /** `message_stop` came, or at least the reason to stop. */
  get isComplete(): boolean {
    return this.#isDone || this.#isStopped;
  }

  get errorData(): Buffer | undefined {
    return this.#errorData;
  }

  plainBytes(bytes: Buffer): number {
    return plainMessagesBytes(bytes);
  }

  take(event: SseEvent, wire: Buffer): Verdict {
    const { data } = event;
    if (this.#isDone || this.#errorData !== undefined || data.length === 0) return 'hide';
    if (data[0] === 0x5b) return 'hide'; // `[DONE]`, which this API doesn't have
    const name = event.event === '' ? typeOf(data) : event.event;
    if (name === 'error' || name === undefined) return this.#fail(data);
    if (name === 'message_start') return this.#takeStart(data);
    if (name === 'message_delta') return this.#takeDelta(data);
    if (name === 'message_stop') {
      this.#isDone = true;
      return 'last';
    }
    refuseManyValues(data);
    this.keep(wire);
    return 'forward';
  }

  keep(events: Buffer): void {
    this.#produced.append(events);
  }

  producedText(): string {
    return this.#produced.text(messagesDeltaText);
  }

  producedScale(): number {
    return this.#produced.scale;
  }

  #takeStart(data: Buffer): Verdict {
    const message = readJson(data, ['message'])?.object('message', ['id', 'usage']);
    if (!message) return this.#fail(data);
    this.#id = textIn(message.value('id'));
    this.#usage.take(message.value('usage'));
    return 'forward';
  }

  #takeDelta(data: Buffer): Verdict {
    const event = readJson(data, ['delta', 'usage']);
    if (!event) return this.#fail(data);
    this.#isStopped ||= typeof event.object('delta', ['stop_reason'])?.value('stop_reason') === 'string';
    const usage = event.object('usage', ['output_tokens']);
    if (typeof usage?.value('output_tokens') === 'number') this.#hasOutputCount = true;
    this.#usage.take(event.value('usage'));
    return 'forward';
  }

  #fail(data: Buffer): Verdict {
    this.#errorData = data;
    return 'error';
  }
}

/** The name of an event that has none but in its data. */
function typeOf(data: Buffer): string | undefined {
  return textIn(readJson(data, ['type'])?.value('type'));
}
