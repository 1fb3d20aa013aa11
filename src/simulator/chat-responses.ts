/** Responses as the simulator speaks them: prompts read, and replies written whole and as the ordered events of a stream. */
import type { JsonObject } from '../domain/json/json-object.ts';
import { responsesPrompt, type ChatPrompt } from './chat-prompt.ts';
import { tokenCountOf, type ChatReply, type ReplyPart } from './chat-reply.ts';
import { mergeUsage } from './chat-usage.ts';
import { openAiError, type Answered, type WireFacts, type WireForm } from './wire-form.ts';

export const responsesForm: WireForm = {
  idPrefix: 'resp_',
  promptField: 'input',
  promptOf: responsesPrompt,
  answer: responseObject,
  events: responseEvents,
  error: openAiError,
  errorEvent: (message, eventsBefore) =>
    eventOf('error', { sequence_number: eventsBefore, code: 'server_error', message, param: null }),
};

/** The `response` object as it is in the end. `facts.id` is `resp_…`. */
export function responseObject({ body, prompt, replies: [reply], facts }: Answered): JsonObject {
  const isCut = reply.end === 'cut';
  return {
    ...openResponse(body, prompt, facts),
    status: isCut ? 'incomplete' : 'completed',
    completed_at: isCut ? null : facts.created,
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output: itemsOf(reply).map((item, at) => itemOf(item, at, facts, 'done')),
    usage: usageOf(prompt, reply),
  };
}

/** The events of the stream that ends with that object, in the API's order. */
function responseEvents(answered: Answered): string[] {
  const { body, prompt, replies, facts } = answered;
  const [reply] = replies;
  const events: string[] = [];
  const send = (type: string, fields: JsonObject) => {
    events.push(eventOf(type, { sequence_number: events.length, ...fields }));
  };
  const open = openResponse(body, prompt, facts);
  send('response.created', { response: open });
  send('response.in_progress', { response: open });
  for (const [at, item] of itemsOf(reply).entries()) {
    send('response.output_item.added', { output_index: at, item: itemOf(item, at, facts, 'begun') });
    sendContent(item, { item_id: itemId(item, at, facts), output_index: at }, send);
    send('response.output_item.done', { output_index: at, item: itemOf(item, at, facts, 'done') });
  }
  send(reply.end === 'cut' ? 'response.incomplete' : 'response.completed', { response: responseObject(answered) });
  return events;
}

/** An item of the output: what was thought, said, or called. */
type Item = (ReplyPart | { kind: 'thinking'; tokens: readonly string[] }) & { isCut: boolean };

function itemsOf({ thinking, parts, end }: ChatReply): Item[] {
  const items = [...(thinking.length === 0 ? [] : [{ kind: 'thinking' as const, tokens: thinking }]), ...parts];
  return items.map((item, at) => ({ ...item, isCut: end === 'cut' && at === items.length - 1 }));
}

function sendContent(item: Item, place: JsonObject, send: (type: string, fields: JsonObject) => void): void {
  const text = item.tokens.join('');
  if (item.kind === 'text') {
    const content = { ...place, content_index: 0 };
    send('response.content_part.added', { ...content, part: partOf('') });
    for (const delta of item.tokens) send('response.output_text.delta', { ...content, delta, logprobs: [] });
    send('response.output_text.done', { ...content, text, logprobs: [] });
    send('response.content_part.done', { ...content, part: partOf(text) });
  } else if (item.kind === 'thinking') {
    const summary = { ...place, summary_index: 0 };
    send('response.reasoning_summary_part.added', { ...summary, part: summaryOf('') });
    for (const delta of item.tokens) send('response.reasoning_summary_text.delta', { ...summary, delta });
    send('response.reasoning_summary_text.done', { ...summary, text });
    send('response.reasoning_summary_part.done', { ...summary, part: summaryOf(text) });
  } else if (item.tool.kind === 'function') {
    for (const delta of item.tokens) send('response.function_call_arguments.delta', { ...place, delta });
    send('response.function_call_arguments.done', { ...place, name: item.tool.name, arguments: text });
  } else {
    for (const delta of item.tokens) send('response.custom_tool_call_input.delta', { ...place, delta });
    send('response.custom_tool_call_input.done', { ...place, input: text });
  }
}

function openResponse(body: JsonObject, prompt: ChatPrompt, facts: WireFacts): JsonObject {
  const asked = (field: string, otherwise: unknown = null): unknown => body[field] ?? otherwise;
  return {
    ...{ id: facts.id, object: 'response', created_at: facts.created, status: 'in_progress', background: false },
    ...{ error: null, incomplete_details: null, instructions: asked('instructions') },
    ...{ max_output_tokens: asked('max_output_tokens'), max_tool_calls: null, model: prompt.model, output: [] },
    parallel_tool_calls: asked('parallel_tool_calls', true),
    previous_response_id: asked('previous_response_id'),
    reasoning: { effort: null, summary: null },
    service_tier: prompt.serviceTier ?? 'default',
    ...{ store: asked('store', true), temperature: asked('temperature', 1) },
    text: asked('text', { format: { type: 'text' } }),
    ...{ tool_choice: asked('tool_choice', 'auto'), tools: asked('tools', []), top_p: asked('top_p', 1) },
    ...{ truncation: asked('truncation', 'disabled'), usage: null, user: asked('user') },
    metadata: asked('metadata', {}),
  };
}

function itemOf(item: Item, at: number, facts: WireFacts, stage: 'begun' | 'done'): JsonObject {
  const isDone = stage === 'done';
  const id = itemId(item, at, facts);
  const status = isDone ? (item.isCut ? 'incomplete' : 'completed') : 'in_progress';
  const text = isDone ? item.tokens.join('') : '';
  if (item.kind === 'thinking') return { id, type: 'reasoning', status, summary: isDone ? [summaryOf(text)] : [] };
  if (item.kind === 'text') {
    return { id, type: 'message', status, role: 'assistant', content: isDone ? [partOf(text)] : [] };
  }
  const call = { id, status, call_id: `call_${idEnd(facts, at)}`, name: item.tool.name };
  if (item.tool.kind === 'custom') return { ...call, type: 'custom_tool_call', input: text };
  return { ...call, type: 'function_call', arguments: text };
}

function itemId(item: Item, at: number, facts: WireFacts): string {
  const prefixes = {
    thinking: 'rs',
    text: 'msg',
    tool: item.kind === 'tool' && item.tool.kind === 'custom' ? 'ctc' : 'fc',
  };
  return `${prefixes[item.kind]}_${idEnd(facts, at)}`;
}

const idEnd = (facts: WireFacts, at: number): string => `${facts.id.slice(-16)}${at === 0 ? '' : `_${at}`}`;

const eventOf = (type: string, fields: JsonObject): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

const partOf = (text: string): JsonObject => ({ type: 'output_text', text, annotations: [], logprobs: [] });

const summaryOf = (text: string): JsonObject => ({ type: 'summary_text', text });

function usageOf(prompt: ChatPrompt, reply: ChatReply): JsonObject {
  const output = tokenCountOf(reply);
  const usage = {
    input_tokens: prompt.inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reply.thinking.length },
    total_tokens: prompt.inputTokens + output,
  };
  return mergeUsage(usage, prompt.knobs.usage);
}
