/** What a chat answer says besides its parts: read of a whole answer, or chunk by chunk of a stream. */
import type { MemoryRoom } from '../chat/byte-collector.ts';
import { isObject, type JsonObject } from '../json/json-object.ts';
import { AnswerParts, type PartSink, unexpected } from './answer-parts.ts';
import { answerEnd, type AnswerEnd, refuseFailure } from './finish-reasons.ts';

/** What the caller's form needs and chat doesn't say. */
export interface AnswerTerms {
  /** The answer's id in the caller's form, such as `msg_…` or `resp_…`. */
  id: string;
  /** The model's name, for answers that don't say which model they are from. */
  model: string;
  /** The request in the caller's form, as it was translated. */
  request: JsonObject;
}

export class ChatAnswer {
  readonly #parts: AnswerParts;
  #model: string;
  #reason: string | undefined;
  #matchedStop: string | undefined;
  #usage: JsonObject | undefined;

  constructor(terms: AnswerTerms, sink: PartSink, room?: MemoryRoom) {
    this.#parts = new AnswerParts(sink, terms.id, room);
    this.#model = terms.model;
  }

  /** The model actually used, as far as the upstream has said. */
  get model(): string {
    return this.#model;
  }

  get usage(): JsonObject | undefined {
    return this.#usage;
  }

  /** How it ended; of a stream, as far as it has come. */
  get end(): AnswerEnd {
    return answerEnd(this.#reason, this.#parts.hasCalls);
  }

  /** The model declined, and said so in a refusal. */
  get isRefused(): boolean {
    return this.#parts.hasRefusal;
  }

  /** The stop sequence that ended the answer, where the upstream says it (vLLM does, as `stop_reason`). */
  get matchedStop(): string | undefined {
    return this.#matchedStop;
  }

  /** Reads the model of an answer or chunk, before its parts are taken. */
  readModel({ model }: { model?: unknown }): void {
    if (typeof model === 'string' && model !== '') this.#model = model;
  }

  /** Takes a whole answer, or a chunk of a stream: they differ in where the choice has its parts. */
  take(answer: JsonObject, where: 'message' | 'delta'): void {
    this.readModel(answer);
    const { choices, usage } = answer as { choices?: unknown; usage?: unknown };
    if (isObject(usage)) this.#usage = usage;
    // The gateway asks for one choice.
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
    if (!isObject(choice)) {
      if (where === 'message') throw unexpected('has no choice');
      return;
    }
    const { finish_reason: reason, stop_reason: stop } = choice as { finish_reason?: unknown; stop_reason?: unknown };
    if (typeof reason === 'string') {
      refuseFailure(reason);
      this.#reason = reason;
    }
    if (typeof stop === 'string') this.#matchedStop = stop;
    const parts = choice[where];
    if (isObject(parts)) this.#parts.take(where === 'message' ? withNumberedCalls(parts) : parts);
    if (this.#reason !== undefined) this.#parts.finish();
  }

  /** Nothing follows. */
  finish(): void {
    this.#parts.finish();
  }

  /**
   * Takes bytes of a stream that are whole events, each one line of data and a blank line, as a MeteredStream gives them;
   * that has bounded the number of their values. Calls `onChunk` before the first chunk's parts are taken. Throws GatewayError.
   */
  takeEvents(events: Buffer, onChunk: () => void): void {
    const text = events.toString();
    for (let at = 0; at < text.length;) {
      const lineEnd = text.indexOf('\n\n', at);
      const end = lineEnd === -1 ? text.length : lineEnd;
      if (text.startsWith('data: {', at)) {
        const chunk = chunkOf(text.slice(at + 6, end));
        this.readModel(chunk);
        onChunk();
        this.take(chunk, 'delta');
      }
      at = end + 2;
    }
  }
}

function chunkOf(json: string): JsonObject {
  let chunk: unknown;
  try {
    chunk = JSON.parse(json);
  } catch {
    throw unexpected('has an event that is no JSON');
  }
  if (!isObject(chunk)) throw unexpected('has an event that is no object');
  return chunk;
}

/** The calls of a whole message are distinguished by their places. */
function withNumberedCalls(message: JsonObject): JsonObject {
  const { tool_calls: calls } = message as { tool_calls?: unknown };
  if (!Array.isArray(calls)) return message;
  const numbered = (calls as readonly unknown[]).map((call, index) => (isObject(call) ? { ...call, index } : call));
  return { ...message, tool_calls: numbered };
}
