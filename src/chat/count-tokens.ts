/**
 * Counting tokens here, for calls whose upstream sent no usage: in a thread, started when needed and ended when idle. Its
 * tables take 0.3 s to load, in which no call could be served, and 20 to 40 MB, which a gateway at rest does without.
 */
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { isObject, type JsonObject } from '../domain/json/json-object.ts';

/** Beyond it the first part stands for the whole. */
const countedCharactersMax = 200_000;
const idleMs = 60_000;

/** What the thread runs: the file of the last build, wherever this very file runs from. */
const threadPath = fileURLToPath(new URL('../../dist/chat/token-thread.js', import.meta.url));

/**
 * The tokens of a text by the `o200k_base` vocabulary, which the models of today are near enough to: exact but for one
 * more at some cuts up to 200,000 characters, extrapolated beyond. Special tokens in the text count as the text that they are.
 */
export async function countTokens(text: string): Promise<number> {
  if (text === '') return 0;
  const tokens = await (thread ??= startThread()).count(text.slice(0, countedCharactersMax));
  return text.length <= countedCharactersMax ? tokens : Math.ceil((tokens * text.length) / countedCharactersMax);
}

let thread: TokenThread | undefined;

function startThread(): TokenThread {
  const started = new TokenThread(() => {
    if (thread === started) thread = undefined;
  });
  return started;
}

/** Deeper ones are in no format. */
const contentDepthMax = 4;

interface Waiting {
  resolve: (tokens: number) => void;
  reject: (error: Error) => void;
}

class TokenThread {
  readonly #worker = new Worker(threadPath, { execArgv: [] });
  /** In the order in which the thread answers. */
  readonly #waiting: Waiting[] = [];
  #idle: NodeJS.Timeout | undefined;

  /** Calls back when nothing can be counted in it any more. */
  constructor(onEnd: () => void) {
    const end = (error: Error) => {
      onEnd();
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    };
    this.#worker.on('message', (tokens: number) => {
      this.#waiting.shift()?.resolve(tokens);
      if (this.#waiting.length > 0) return;
      this.#worker.unref(); // an idle thread keeps no process alive
      this.#idle = setTimeout(() => {
        onEnd();
        void this.#worker.terminate();
      }, idleMs).unref();
    });
    this.#worker.on('error', (error) => end(error instanceof Error ? error : new Error(String(error))));
    this.#worker.on('exit', () => end(new Error('the thread that counts tokens ended')));
  }

  count(text: string): Promise<number> {
    clearTimeout(this.#idle);
    this.#worker.ref();
    this.#worker.postMessage(text);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }
}

/**
 * The text of a body that becomes input tokens: messages, instructions, tools and formats, without
 * images, files and addresses. Names of fields within tools count, since models see the schemas too.
 */
export function inputTextOf(body: unknown): string {
  if (!isObject(body)) return '';
  const texts: string[] = [];
  if (typeof body['instructions'] === 'string') texts.push(body['instructions']);
  for (const field of ['input', 'prompt', 'query', 'documents']) addTexts(body[field], texts);
  for (const document of listOf(body['documents'])) addContent([document], texts);
  addContent(body['system'], texts);
  for (const message of [...listOf(body['messages']), ...listOf(body['input'])]) addMessage(message, texts);
  for (const field of ['tools', 'response_format', 'text']) {
    const value = body[field];
    if (isObject(value) || (Array.isArray(value) && value.length > 0)) texts.push(JSON.stringify(value));
  }
  return texts.join('\n');
}

/** A text, or a list of them as embeddings, completions and rankings have it. */
function addTexts(value: unknown, texts: string[]): void {
  for (const text of Array.isArray(value) ? (value as readonly unknown[]) : [value])
    if (typeof text === 'string') texts.push(text);
}

/** A message, or an item of responses: its texts, wherever the formats have them. */
function addMessage(message: JsonObject, texts: string[]): void {
  for (const field of ['role', 'name', 'content', 'refusal', 'output', 'arguments']) {
    addContent(message[field], texts);
  }
  for (const call of listOf(message['tool_calls']))
    texts.push(JSON.stringify(call['function'] ?? call['custom'] ?? ''));
}

/** A text, or a list of parts. Calls of tools among them have their input, results of tools have parts of their own. */
function addContent(content: unknown, texts: string[], depth = 0): void {
  if (typeof content === 'string') texts.push(content);
  for (const part of listOf(content)) {
    for (const text of [part['text'], part['refusal'], part['thinking']])
      if (typeof text === 'string') texts.push(text);
    if (isObject(part['input'])) texts.push(JSON.stringify({ name: part['name'], input: part['input'] }));
    if (depth < contentDepthMax) addContent(part['content'], texts, depth + 1);
  }
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
