/** The simulator's replies in the wire format of responses, whole and as the ordered events of a stream. */
import type { JsonObject } from '../domain/chat/token-usage.ts';
import type { WireFacts } from './chat-completions.ts';
import type { ChatPrompt } from './chat-prompt.ts';
import type { ChatReply } from './chat-reply.ts';

/** The `response` object as it is in the end. `facts.id` is `resp_…`. */
export function responseObject(body: JsonObject, prompt: ChatPrompt, reply: ChatReply, facts: WireFacts): JsonObject {
  return {
    ...openResponse(body, prompt, facts),
    status: reply.isCut ? 'incomplete' : 'completed',
    completed_at: reply.isCut ? null : facts.created,
    incomplete_details: reply.isCut ? { reason: 'max_output_tokens' } : null,
    output: [itemOf(reply, facts, 'done')],
    usage: usageOf(prompt, reply),
  };
}

/** The events of the stream that ends with that object, in the API's order. */
export function responseEvents(body: JsonObject, prompt: ChatPrompt, reply: ChatReply, facts: WireFacts): string[] {
  const events: string[] = [];
  const send = (type: string, fields: JsonObject) => {
    const data = { type, sequence_number: events.length, ...fields };
    events.push(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const open = openResponse(body, prompt, facts);
  send('response.created', { response: open });
  send('response.in_progress', { response: open });
  send('response.output_item.added', { output_index: 0, item: itemOf(reply, facts, 'begun') });
  const place = { item_id: itemId(reply, facts), output_index: 0 };
  const text = reply.tokens.join('');
  if (reply.kind === 'text') {
    const content = { ...place, content_index: 0 };
    send('response.content_part.added', { ...content, part: partOf('') });
    for (const delta of reply.tokens) send('response.output_text.delta', { ...content, delta, logprobs: [] });
    send('response.output_text.done', { ...content, text, logprobs: [] });
    send('response.content_part.done', { ...content, part: partOf(text) });
  } else if (reply.tool.kind === 'function') {
    for (const delta of reply.tokens) send('response.function_call_arguments.delta', { ...place, delta });
    send('response.function_call_arguments.done', { ...place, name: reply.tool.name, arguments: text });
  } else {
    for (const delta of reply.tokens) send('response.custom_tool_call_input.delta', { ...place, delta });
    send('response.custom_tool_call_input.done', { ...place, input: text });
  }
  send('response.output_item.done', { output_index: 0, item: itemOf(reply, facts, 'done') });
  const response = responseObject(body, prompt, reply, facts);
  send(reply.isCut ? 'response.incomplete' : 'response.completed', { response });
  return events;
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
    ...{ service_tier: 'default', store: asked('store', true), temperature: asked('temperature', 1) },
    text: asked('text', { format: { type: 'text' } }),
    ...{ tool_choice: asked('tool_choice', 'auto'), tools: asked('tools', []), top_p: asked('top_p', 1) },
    ...{ truncation: asked('truncation', 'disabled'), usage: null, user: asked('user') },
    metadata: asked('metadata', {}),
  };
}

function itemOf(reply: ChatReply, facts: WireFacts, stage: 'begun' | 'done'): JsonObject {
  const isDone = stage === 'done';
  const id = itemId(reply, facts);
  const status = isDone ? (reply.isCut ? 'incomplete' : 'completed') : 'in_progress';
  const text = isDone ? reply.tokens.join('') : '';
  if (reply.kind === 'text') {
    return { id, type: 'message', status, role: 'assistant', content: isDone ? [partOf(text)] : [] };
  }
  const call = { id, status, call_id: `call_${facts.id.slice(-16)}`, name: reply.tool.name };
  if (reply.tool.kind === 'custom') return { ...call, type: 'custom_tool_call', input: text };
  return { ...call, type: 'function_call', arguments: text };
}

function itemId(reply: ChatReply, facts: WireFacts): string {
  const prefix = reply.kind === 'text' ? 'msg' : reply.tool.kind === 'custom' ? 'ctc' : 'fc';
  return `${prefix}_${facts.id.slice(-16)}`;
}

const partOf = (text: string): JsonObject => ({ type: 'output_text', text, annotations: [], logprobs: [] });

function usageOf(prompt: ChatPrompt, reply: ChatReply): JsonObject {
  return {
    input_tokens: prompt.inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: reply.tokens.length,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: prompt.inputTokens + reply.tokens.length,
  };
}
