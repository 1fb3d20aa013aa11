/** The text that a model produced, as far as it is tokens: content, refusals, reasoning and the arguments of tool calls. */
import { isObject, type JsonObject } from '../json/json-object.ts';

/** The text of one chunk of a chat stream, of all its choices. */
export function chatDeltaText(chunk: JsonObject): string {
  return choicesText(chunk, 'delta');
}

/** The text of a whole chat completion, of all its choices. */
export function chatAnswerText(answer: JsonObject): string {
  return choicesText(answer, 'message');
}

/** The text of one event of a responses stream: that of `*.delta` events. */
export function responsesDeltaText(data: JsonObject): string {
  const { type, delta } = data as { type?: unknown; delta?: unknown };
  return typeof type === 'string' && type.endsWith('.delta') && typeof delta === 'string' ? delta : '';
}

/** The text of a whole response. */
export function responsesAnswerText(answer: JsonObject): string {
  let text = '';
  for (const item of listOf(answer['output'])) {
    text += texts(item, ['name', 'arguments', 'input']);
    for (const part of [...listOf(item['content']), ...listOf(item['summary'])])
      text += texts(part, ['text', 'refusal']);
  }
  return text;
}

/** The text of one event of a messages stream: of texts, thoughts and the input of tools, whose names come before it. */
export function messagesDeltaText({ delta, content_block: block }: Partial<JsonObject>): string {
  if (isObject(delta)) return texts(delta, ['text', 'thinking', 'partial_json']);
  return isObject(block) ? texts(block, ['name']) : '';
}

/** The text of a whole message. */
export function messagesAnswerText(answer: JsonObject): string {
  let text = '';
  for (const block of listOf(answer['content'])) {
    text += texts(block, ['text', 'thinking', 'name']);
    if (isObject(block['input'])) text += JSON.stringify(block['input']);
  }
  return text;
}

function choicesText(answer: JsonObject, field: 'delta' | 'message'): string {
  let text = '';
  for (const choice of listOf(answer['choices'])) {
    text += texts(choice, ['text']); // of legacy completions
    const said = choice[field];
    if (!isObject(said)) continue;
    text += texts(said, ['content', 'refusal', 'reasoning_content', 'reasoning']);
    for (const call of listOf(said['tool_calls'])) {
      for (const kind of [call['function'], call['custom']]) {
        if (isObject(kind)) text += texts(kind, ['name', 'arguments', 'input']);
      }
    }
  }
  return text;
}

function texts(from: JsonObject, fields: readonly string[]): string {
  let text = '';
  for (const field of fields) {
    const value = from[field];
    if (typeof value === 'string') text += value;
  }
  return text;
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The text of a transcript. */
export const transcriptText = ({ text }: JsonObject & { text?: unknown }): string =>
  typeof text === 'string' ? text : '';
