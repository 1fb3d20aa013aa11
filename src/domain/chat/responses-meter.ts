/**
 * The meter of responses streams: events pass named and ordered as they come; read are those that begin and end the
 * response.
 */
import { refuseManyValues } from '../json/json-bounds.ts';
import type { JsonObject } from '../json/json-object.ts';
import { toolCallsIn } from '../usage/tool-calls.ts';
import { isUsage } from '../usage/vendor-usage.ts';
import { type AnswerStatement, textIn } from './answer-statement.ts';
import type { MemoryRoom } from './byte-collector.ts';
import { readJson } from './json-reading.ts';
import type { StreamMeter, Verdict } from './metered-stream.ts';
import { plainResponsesBytes } from './plain-events.ts';
import { ProducedBytes } from './produced-bytes.ts';
import { responsesDeltaText } from './produced-text.ts';
import type { SseEvent } from './sse.ts';

/** How a response ended (`response.completed` and so on). */
export type ResponsesEnd = 'completed' | 'incomplete' | 'failed';

const ends: ReadonlyMap<string, ResponsesEnd> = new Map([
  ['response.completed', 'completed'],
  ['response.incomplete', 'incomplete'],
  ['response.failed', 'failed'],
]);

const responseMembers = ['id', 'usage', 'service_tier', 'output'];

/** Reads the events of one stream and keeps what billing needs. */
export class ResponsesStreamMeter implements StreamMeter {
  readonly showsNames = true;
  /** The terminal event says it all. */
  readonly terminator = undefined;
  readonly #produced: ProducedBytes;
  readonly #countsTools: boolean;
  #tier: string | undefined;
  #usage: JsonObject | undefined;
  #toolCalls: AnswerStatement['toolCalls'] = {};
  #responseId: string | undefined;
  #end: ResponsesEnd | undefined;
  #errorData: Buffer | undefined;
  #last: Buffer | undefined;

  /** What was produced is kept in `room`; with `countsTools`, calls of hosted tools are counted. */
  constructor(room?: MemoryRoom, { countsTools = false }: { countsTools?: boolean } = {}) {
    this.#produced = new ProducedBytes(room);
    this.#countsTools = countsTools;
  }

  /** From the terminal event, but for the id. */
  get stated(): AnswerStatement {
    return { id: this.#responseId, tier: this.#tier, usage: this.#usage, toolCalls: this.#toolCalls };
  }

  /** From `response.created`, or from the terminal event. */
  get responseId(): string | undefined {
    return this.#responseId;
  }

  /** How it ended, if it did. */
  get end(): ResponsesEnd | undefined {
    return this.#end;
  }

  /** A terminal event came. */
  get isComplete(): boolean {
    return this.#end !== undefined;
  }

  get errorData(): Buffer | undefined {
    return this.#errorData;
  }

  plainBytes(bytes: Buffer): number {
    return plainResponsesBytes(bytes);
  }

  take(event: SseEvent, wire: Buffer): Verdict {
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
      refuseManyValues(data);
      this.keep(wire);
      return 'forward';
    }
    const response = readJson(data, ['response'])?.object('response', responseMembers);
    if (!response) {
      this.#errorData = data;
      return 'error';
    }
    this.#last = data;
    const id = response.value('id');
    if (typeof id === 'string') this.#responseId = id;
    if (end === undefined) return 'forward';
    this.#end = end;
    const usage = response.value('usage');
    if (isUsage('responses', usage)) this.#usage = usage;
    this.#tier = textIn(response.value('service_tier'));
    if (this.#countsTools) this.#toolCalls = toolCallsIn(response.value('output'));
    return end === 'failed' ? 'failure' : 'last';
  }

  keep(events: Buffer): void {
    this.#last = events;
    this.#produced.append(events);
  }

  producedText(): string {
    return this.#produced.text(responsesDeltaText);
  }

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

/** The name of an event that has none but in its data. */
function typeOf(data: Buffer): string | undefined {
  const type = readJson(data, ['type'])?.value('type');
  return typeof type === 'string' ? type : undefined;
}
