/**
 * A stream of chat chunks as one of Anthropic's Messages API. Events are written as texts: of each only the caller's part
 * is quoted, which is most of what a translated stream costs.
 */
import type { TokenCounts } from '../billing/token-counts.ts';
import type { MemoryRoom } from '../chat/byte-collector.ts';
import type { ErrorCode } from '../errors.ts';
import { messagesError, messagesStatusOf } from '../messages-errors.ts';
import type { AnswerPart, PartSink } from './answer-parts.ts';
import { type AnswerTerms, ChatAnswer } from './chat-answer.ts';
import { messageStop, openMessage } from './messages-answer.ts';
import { chatCounts, messagesUsage } from './translated-usage.ts';

/** One stream's translation. After a method threw, only `fail` is of use. */
export class MessagesStream {
  readonly #terms: AnswerTerms;
  readonly #chat: ChatAnswer;
  readonly #events: BlockEvents;
  #isBegun = false;

  /** Parts that wait are kept in `room`. */
  constructor(terms: AnswerTerms, room?: MemoryRoom) {
    this.#terms = terms;
    this.#events = new BlockEvents();
    this.#chat = new ChatAnswer(terms, this.#events, room);
  }

  /**
   * Takes whole events as a MeteredStream gives them, the usage-only chunk among them. Returns what follows from them, if
   * anything does. Throws GatewayError for what has no form here.
   */
  push(events: Buffer): Buffer | undefined {
    this.#chat.takeEvents(events, this.#begin);
    return this.#events.takeBytes();
  }

  /** Returns what ends a stream that is whole; `counted` is its usage where the upstream said none. Throws as `push`. */
  end(counted?: TokenCounts): Buffer {
    this.#begin();
    this.#chat.finish();
    const stop = { ...messageStop(this.#chat.end, this.#chat, this.#terms), stop_details: null, container: null };
    const usage = messagesUsage(chatCounts(this.#chat.usage, counted));
    this.#events.write('message_delta', `"delta":${JSON.stringify(stop)},"usage":${JSON.stringify(usage)}`);
    this.#events.write('message_stop', undefined);
    return this.#events.takeBytes() ?? Buffer.alloc(0);
  }

  /** Returns the event that ends a stream which broke. */
  fail(error: { code: ErrorCode; message: string }, requestId: string): Buffer {
    this.#events.takeBytes();
    const { error: shown } = messagesError({ status: messagesStatusOf(error.code), message: error.message }, requestId);
    this.#events.write('error', `"error":${JSON.stringify(shown)},"request_id":${JSON.stringify(requestId)}`);
    return this.#events.takeBytes() ?? Buffer.alloc(0);
  }

  readonly #begin = (): void => {
    if (this.#isBegun) return;
    this.#isBegun = true;
    // The counts come at the end, in `message_delta`, where they are cumulative.
    const usage = messagesUsage(chatCounts(undefined));
    const message = { ...openMessage(this.#terms.id, this.#chat.model), usage };
    this.#events.write('message_start', `"message":${JSON.stringify(message)}`);
  };
}

class BlockEvents implements PartSink {
  #text = '';

  begin(part: AnswerPart): void {
    this.write('content_block_start', `"index":${part.index},"content_block":${openBlock(part)}`);
  }

  append({ kind, index }: AnswerPart, text: string): void {
    this.write('content_block_delta', `"index":${index},"delta":{${deltaOf[kind]}${JSON.stringify(text)}}`);
  }

  end({ index }: AnswerPart): void {
    this.write('content_block_stop', `"index":${index}`);
  }

  write(type: string, members: string | undefined): void {
    this.#text += `event: ${type}\ndata: {"type":"${type}"${members === undefined ? '' : `,${members}`}}\n\n`;
  }

  /** What was written since the last time. */
  takeBytes(): Buffer | undefined {
    if (this.#text === '') return undefined;
    const bytes = Buffer.from(this.#text);
    this.#text = '';
    return bytes;
  }
}

const deltaOf = {
  reasoning: '"type":"thinking_delta","thinking":',
  text: '"type":"text_delta","text":',
  refusal: '"type":"text_delta","text":',
  tool: '"type":"input_json_delta","partial_json":',
} as const satisfies Record<AnswerPart['kind'], string>;

function openBlock({ kind, callId, name }: AnswerPart): string {
  if (kind === 'tool') return JSON.stringify({ type: 'tool_use', id: callId, name, input: {} });
  return kind === 'reasoning' ? '{"type":"thinking","thinking":"","signature":""}' : '{"type":"text","text":""}';
}
