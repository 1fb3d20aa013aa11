/** A call that goes to its routes in the form of chat completions, because none of them has its own. */
import { randomBytes } from 'node:crypto';
import type { TokenCounts } from '../domain/billing/token-counts.ts';
import type { CallEndpoint } from '../domain/call-endpoints.ts';
import type { MemoryRoom } from '../domain/chat/byte-collector.ts';
import { jsonObjectOf, type JsonObject } from '../domain/json/json-object.ts';
import { messagesAnswerOfChat } from '../domain/translate/messages-answer.ts';
import { MessagesStream } from '../domain/translate/messages-stream.ts';
import { chatRequestOfMessages } from '../domain/translate/messages-to-chat.ts';
import { responsesAnswerOfChat, type ResponseTerms } from '../domain/translate/responses-answer.ts';
import { ResponsesStream } from '../domain/translate/responses-stream.ts';
import { chatRequestOfResponses } from '../domain/translate/responses-to-chat.ts';

export type StreamTranslation = MessagesStream | ResponsesStream;

export class CallTranslation {
  /** As the header of the answer has it. */
  readonly name: string;
  readonly #isMessages: boolean;
  readonly #terms: ResponseTerms;
  readonly #chatRequest: JsonObject;

  /** Throws GatewayError for a request that can't be carried over whole. */
  constructor({ endpoint, bytes, model }: { endpoint: CallEndpoint; bytes: Buffer; model: { id: string } }) {
    const request = jsonObjectOf(bytes) ?? {};
    this.#isMessages = endpoint === 'messages';
    this.name = `${endpoint}->chat`;
    this.#chatRequest = this.#isMessages ? chatRequestOfMessages(request) : chatRequestOfResponses(request);
    const id = `${this.#isMessages ? 'msg' : 'resp'}_${randomBytes(16).toString('hex')}`;
    this.#terms = { id, model: model.id, request, createdAt: Math.floor(Date.now() / 1000) };
  }

  /** The request for a route that calls the model so. */
  bodyFor(model: string): Buffer[] {
    return [Buffer.from(JSON.stringify({ ...this.#chatRequest, model }))];
  }

  /** A whole answer in the caller's form; `counted` is its usage where it says none. Throws GatewayError for one that has no form there. */
  answer(bytes: Buffer, counted?: TokenCounts): Buffer {
    const chat = jsonObjectOf(bytes) ?? {};
    const translate = this.#isMessages ? messagesAnswerOfChat : responsesAnswerOfChat;
    return Buffer.from(JSON.stringify(translate(chat, this.#terms, counted)));
  }

  /** A new one for each route that is tried; what it keeps is taken from `room`. */
  stream(room: MemoryRoom): StreamTranslation {
    return this.#isMessages ? new MessagesStream(this.#terms, room) : new ResponsesStream(this.#terms, room);
  }
}
