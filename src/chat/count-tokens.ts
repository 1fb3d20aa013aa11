/** Counting tokens here, for calls whose upstream sent no usage. The tokenizer is loaded by the first of them. */
import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import { isObject, type JsonObject } from '../domain/chat/token-usage.ts';

/** Beyond it the first part stands for the whole. */
const countedCharactersMax = 200_000;

/**
 * The tokenizer's time grows with the square of an unbroken run of letters, so it is given slices, and the event loop
 * its turn between them. A cut can add one token.
 */
const sliceCharacters = 2000;

export interface Tokenizer {
  count(text: string): number;
  /** Callers' texts don't stay behind in the tokenizer's cache of words, which counts entries and not bytes. */
  forget(): void;
}
let loading: Promise<Tokenizer> | undefined;

/**
 * The tokens of a text by the `o200k_base` vocabulary, which the models of today are near enough to: exact but for the
 * cuts up to 200,000 characters, extrapolated beyond. Special tokens in the text count as the text that they are.
 */
export async function countTokens(text: string): Promise<number> {
  if (text === '') return 0;
  const tokenizer = await loadTokenizer();
  const end = Math.min(text.length, countedCharactersMax);
  let tokens = 0;
  for (let at = 0; at < end; at += sliceCharacters) {
    if (at > 0) await nextEventLoopTurn();
    tokens += tokenizer.count(text.slice(at, Math.min(end, at + sliceCharacters)));
  }
  tokenizer.forget();
  return end === text.length ? tokens : Math.ceil((tokens * text.length) / end);
}

/**
 * Loads the tokenizer, if it isn't: 0.3 s during which this thread does nothing else, so that a server may rather do it
 * before its first call.
 */
export function loadTokenizer(): Promise<Tokenizer> {
  loading ??= import('gpt-tokenizer/encoding/o200k_base').then(({ countTokens: count, clearMergeCache }) => ({
    count: (text) => count(text, { disallowedSpecial: new Set() }),
    forget: clearMergeCache,
  }));
  return loading;
}

/**
 * The text of a chat or responses body that becomes input tokens: messages, instructions, tools and formats, without
 * images, files and addresses. Names of fields within tools count, since models see the schemas too.
 */
export function inputTextOf(body: unknown): string {
  if (!isObject(body)) return '';
  const texts: string[] = [];
  if (typeof body['instructions'] === 'string') texts.push(body['instructions']);
  if (typeof body['input'] === 'string') texts.push(body['input']);
  for (const message of [...listOf(body['messages']), ...listOf(body['input'])]) addMessage(message, texts);
  for (const field of ['tools', 'response_format', 'text']) {
    const value = body[field];
    if (isObject(value) || (Array.isArray(value) && value.length > 0)) texts.push(JSON.stringify(value));
  }
  return texts.join('\n');
}

/** A message of chat, or an item of responses: its texts, wherever the two formats have them. */
function addMessage(message: JsonObject, texts: string[]): void {
  for (const field of ['role', 'name', 'content', 'refusal', 'output', 'arguments']) {
    const value = message[field];
    if (typeof value === 'string') texts.push(value);
    for (const part of listOf(value)) {
      for (const text of [part['text'], part['refusal']]) if (typeof text === 'string') texts.push(text);
    }
  }
  for (const call of listOf(message['tool_calls']))
    texts.push(JSON.stringify(call['function'] ?? call['custom'] ?? ''));
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
