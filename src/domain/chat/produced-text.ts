/** The text that a model produced, as far as it is tokens: content, refusals, reasoning and the arguments of tool calls. */
import { isObject, type JsonObject } from './token-usage.ts';

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

function choicesText(answer: JsonObject, field: 'delta' | 'message'): string {
  let text = '';
  for (const choice of listOf(answer['choices'])) {
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
