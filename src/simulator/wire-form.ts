/** The contract of the simulator's wire formats: how an endpoint's bodies are read, and its answers and errors written. */
import type { JsonObject } from '../domain/json/json-object.ts';
import type { ChatPrompt } from './chat-prompt.ts';
import type { ChatReply } from './chat-reply.ts';

export interface WireForm<Prompt extends ChatPrompt = ChatPrompt> {
  /** What ids of its answers begin with, such as `chatcmpl-`. */
  idPrefix: string;
  /** The field that holds the prompt: what a refusal names. */
  promptField: string;
  promptOf(body: JsonObject): Prompt;
  /** What is wrong with a prompt, beyond its knobs. */
  mistakeIn?(prompt: Prompt): string | undefined;
  /** The whole answer. */
  answer(answered: Answered<Prompt>): JsonObject;
  /** The stream of the same answer: each event as it is on the wire. */
  events(answered: Answered<Prompt>): string[];
  /** The body of an error. */
  error(failure: WireFailure): JsonObject;
  /** The event that ends a stream with an error, after `eventsBefore` others. */
  errorEvent: (message: string, eventsBefore: number) => string;
}

export interface Answered<Prompt extends ChatPrompt = ChatPrompt> {
  body: JsonObject;
  prompt: Prompt;
  /** One for each choice; a form without choices uses the first. */
  replies: readonly [ChatReply, ...ChatReply[]];
  facts: WireFacts;
}

export interface WireFacts {
  /** Of the answer, such as `chatcmpl-…`; ids of tool calls are made of it. */
  id: string;
  /** Unix seconds. */
  created: number;
}

/** What is wrong with a body, and in which of its fields. */
export interface Mistake {
  param: string;
  message: string;
}

export interface WireFailure {
  status: number;
  message: string;
  param?: string;
  code?: string;
}

/** The body of an error in OpenAI's form. */
export function openAiError({ status, message, param, code }: WireFailure): JsonObject {
  const type = status === 429 ? 'rate_limit_error' : status < 500 ? 'invalid_request_error' : 'server_error';
  return { error: { message, type, param: param ?? null, code: code ?? null } };
}
