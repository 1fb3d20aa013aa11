/** A whole chat completion as a response of OpenAI's Responses API. */
import type { TokenCounts } from '../billing/token-counts.ts';
import type { JsonObject } from '../json/json-object.ts';
import type { AnswerPart, PartSink } from './answer-parts.ts';
import { type AnswerTerms, ChatAnswer } from './chat-answer.ts';
import type { AnswerEnd } from './finish-reasons.ts';
import { namespacedTools, type ToolName } from './tool-names.ts';
import { chatCounts, responsesUsageOf } from './translated-usage.ts';

/** What a response says besides. */
export interface ResponseTerms extends AnswerTerms {
  /** When it was begun, in Unix seconds. */
  createdAt: number;
}

/** Returns the response; `counted` is its usage where the answer says none. Throws GatewayError for one that has no form there. */
export function responsesAnswerOfChat(answer: JsonObject, terms: ResponseTerms, counted?: TokenCounts): JsonObject {
  const items = new Items(terms);
  const chat = new ChatAnswer(terms, items);
  chat.take(answer, 'message');
  chat.finish();
  const usage = chat.usage || counted ? responsesUsageOf(chatCounts(chat.usage, counted)) : null;
  const form = new ResponseForm(terms);
  return { ...form.head(chat.model), ...responseEnd(chat.end), ...form.tail, output: items.output(chat.end), usage };
}

/** The fields by which a response says how it ended. */
export const responseEnd = (end: AnswerEnd): JsonObject => {
  const reason = incompleteReasons[end];
  if (reason === undefined) return { status: 'completed', incomplete_details: null };
  return { status: 'incomplete', incomplete_details: { reason } };
};

const incompleteReasons: { readonly [End in AnswerEnd]: string | undefined } = {
  whole: undefined,
  calls: undefined,
  length: 'max_output_tokens',
  filtered: 'content_filter',
};

/** What a response repeats of its request, and the forms of its items. */
export class ResponseForm {
  /** What is the same from the first event to the last. */
  readonly tail: JsonObject;
  readonly #terms: ResponseTerms;
  readonly #itemSuffix: string;
  readonly #toolNames: ReadonlyMap<string, ToolName>;

  constructor(terms: ResponseTerms) {
    this.#terms = terms;
    this.#itemSuffix = terms.id.replace(/^resp_/, '');
    this.#toolNames = namespacedTools(terms.request);
    this.tail = repeated(terms.request);
  }

  head(model: string): JsonObject {
    return { id: this.#terms.id, object: 'response', created_at: this.#terms.createdAt, model };
  }

  itemId({ kind, index }: AnswerPart): string {
    return `${prefixes[kind]}_${this.#itemSuffix}_${index}`;
  }

  /** What a call's tool is called in the request. */
  toolName({ name }: AnswerPart): { name: string; namespace?: string } {
    return this.#toolNames.get(name) ?? { name };
  }

  /** An item that is done, or that begins if it has no text yet. */
  item(part: AnswerPart, text: string, status: 'in_progress' | 'completed' | 'incomplete'): JsonObject {
    const id = this.itemId(part);
    const isBegun = status === 'in_progress';
    if (part.kind === 'tool') {
      return { id, type: 'function_call', status, arguments: text, call_id: part.callId, ...this.toolName(part) };
    }
    if (part.kind === 'reasoning') {
      // As a summary, which clients show and send back; Codex does neither with the raw text.
      return { id, type: 'reasoning', status, summary: isBegun ? [] : [{ type: 'summary_text', text }] };
    }
    return { id, type: 'message', status, role: 'assistant', content: isBegun ? [] : [contentPart(part, text)] };
  }
}

/** The one part of a message's content. */
export const contentPart = ({ kind }: AnswerPart, text: string): JsonObject =>
  kind === 'refusal'
    ? { type: 'refusal', refusal: text }
    : { type: 'output_text', text, annotations: [], logprobs: [] };

/** An item that the limit or a filter cut off is incomplete: it can only be the last. */
export const itemStatus = (isLast: boolean, end: AnswerEnd): 'completed' | 'incomplete' =>
  isLast && incompleteReasons[end] !== undefined ? 'incomplete' : 'completed';

const prefixes = {
  text: 'msg',
  refusal: 'msg',
  reasoning: 'rs',
  tool: 'fc',
} as const satisfies Record<AnswerPart['kind'], string>;

/** The request's fields that OpenAI's responses repeat, with its defaults. */
function repeated(request: JsonObject): JsonObject {
  const { reasoning, ...asked } = request as Record<string, unknown>;
  const { effort, summary } = (reasoning ?? {}) as { effort?: unknown; summary?: unknown };
  return {
    background: false,
    error: null,
    instructions: asked['instructions'] ?? null,
    max_output_tokens: asked['max_output_tokens'] ?? null,
    metadata: asked['metadata'] ?? {},
    parallel_tool_calls: asked['parallel_tool_calls'] ?? true,
    previous_response_id: null,
    reasoning: { effort: effort ?? null, summary: summary ?? null },
    store: false,
    temperature: asked['temperature'] ?? 1,
    text: asked['text'] ?? { format: { type: 'text' } },
    tool_choice: asked['tool_choice'] ?? 'auto',
    tools: asked['tools'] ?? [],
    top_p: asked['top_p'] ?? 1,
    truncation: 'disabled',
  };
}

class Items implements PartSink {
  readonly #form: ResponseForm;
  readonly #items: { part: AnswerPart; text: string; isLast: boolean }[] = [];

  constructor(terms: ResponseTerms) {
    this.#form = new ResponseForm(terms);
  }

  begin(part: AnswerPart): void {
    this.#items.push({ part, text: '', isLast: false });
  }

  append(_part: AnswerPart, text: string): void {
    const item = this.#items.at(-1);
    if (item) item.text += text;
  }

  end(_part: AnswerPart, isLast: boolean): void {
    const item = this.#items.at(-1);
    if (item) item.isLast = isLast;
  }

  output(end: AnswerEnd): readonly JsonObject[] {
    return this.#items.map(({ part, text, isLast }) => this.#form.item(part, text, itemStatus(isLast, end)));
  }
}
