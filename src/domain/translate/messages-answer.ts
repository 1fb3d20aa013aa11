/** A whole chat completion as an answer of Anthropic's Messages API. */
import type { TokenCounts } from '../billing/token-counts.ts';
import { isObject, type JsonObject } from '../json/json-object.ts';
import { type AnswerPart, type PartSink, unexpected } from './answer-parts.ts';
import { type AnswerTerms, ChatAnswer } from './chat-answer.ts';
import type { AnswerEnd } from './finish-reasons.ts';
import { chatCounts, messagesUsage } from './translated-usage.ts';

/** Returns the message; `counted` is its usage where the answer says none. Throws GatewayError for one that has no form there. */
export function messagesAnswerOfChat(answer: JsonObject, terms: AnswerTerms, counted?: TokenCounts): JsonObject {
  const blocks = new Blocks();
  const chat = new ChatAnswer(terms, blocks);
  chat.take(answer, 'message');
  chat.finish();
  const { end } = chat;
  return {
    ...openMessage(terms.id, chat.model),
    content: blocks.content(end),
    ...messageStop(end, chat, terms),
    usage: messagesUsage(chatCounts(chat.usage, counted)),
  };
}

/** What a message begins with. */
export const openMessage = (id: string, model: string): JsonObject => ({
  id,
  type: 'message',
  role: 'assistant',
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  stop_details: null,
  container: null,
});

/** The fields that say why a message ended. */
export function messageStop(end: AnswerEnd, chat: ChatAnswer, { request }: AnswerTerms): JsonObject {
  const asked: unknown = request['stop_sequences'];
  const { matchedStop: matched } = chat;
  if (end === 'whole' && matched !== undefined && Array.isArray(asked) && asked.includes(matched)) {
    return { stop_reason: 'stop_sequence', stop_sequence: matched };
  }
  const isRefusal = end === 'whole' && chat.isRefused;
  return { stop_reason: isRefusal ? 'refusal' : stopReasons[end], stop_sequence: null };
}

const stopReasons = {
  whole: 'end_turn',
  length: 'max_tokens',
  filtered: 'refusal',
  calls: 'tool_use',
} as const satisfies Record<AnswerEnd, string>;

class Blocks implements PartSink {
  readonly #blocks: { part: AnswerPart; text: string }[] = [];

  begin(part: AnswerPart): void {
    this.#blocks.push({ part, text: '' });
  }

  append(_part: AnswerPart, text: string): void {
    const last = this.#blocks.at(-1);
    if (last) last.text += text;
  }

  end(): void {
    // The next begins one of its own.
  }

  /** A call that was cut off by the limit is left out: with the arguments it has it would be another call. */
  content(end: AnswerEnd): readonly JsonObject[] {
    return this.#blocks.flatMap<JsonObject>(({ part, text }) => {
      if (part.kind === 'reasoning') return [{ type: 'thinking', thinking: text, signature: '' }];
      if (part.kind !== 'tool') return [{ type: 'text', text }];
      const input = inputOf(text);
      if (input) return [{ type: 'tool_use', id: part.callId, name: part.name, input }];
      if (end === 'length' || end === 'filtered') return [];
      throw unexpected('calls a tool with arguments that are no JSON object');
    });
  }
}

/** Tools without parameters are called with an empty text by some vendors. */
function inputOf(args: string): JsonObject | undefined {
  if (args.trim() === '') return {};
  try {
    const input: unknown = JSON.parse(args);
    return isObject(input) ? input : undefined;
  } catch {
    return undefined;
  }
}
