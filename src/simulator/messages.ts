/** Anthropic's messages as the simulator speaks them: prompts read, and replies written whole and as events. */
import { randomBytes } from 'node:crypto';
import { jsonObjectOf, type JsonObject } from '../domain/json/json-object.ts';
import { callsTools, tokenCountOf, type ChatReply, type ReplyPart } from './chat-reply.ts';
import { mergeUsage } from './chat-usage.ts';
import { messagesPrompt, signatureOf, type MessagesPrompt } from './messages-prompt.ts';
import type { PromptCache } from './prompt-cache.ts';
import type { Answered, WireFailure, WireForm } from './wire-form.ts';

/** The form of `messages`. Its answers read and write the cache. */
export const createMessagesForm = (cache: PromptCache): WireForm<MessagesPrompt> => ({
  idPrefix: 'msg_',
  promptField: 'messages',
  promptOf: messagesPrompt,
  mistakeIn: ({ alteredThinkingAt }) =>
    alteredThinkingAt === undefined ? undefined : `${alteredThinkingAt}: Invalid \`signature\` in \`thinking\` block`,
  answer: (answered) => messageOf(answered, usageOf(answered, cache)),
  events: (answered) => messageEvents(answered, usageOf(answered, cache)),
  error: messagesError,
  errorEvent: (message) => eventOf('error', messagesError({ status: 529, message })),
});

/** `message`, as it is in the end. */
function messageOf({ prompt, replies: [reply], facts }: Answered<MessagesPrompt>, usage: JsonObject): JsonObject {
  return {
    ...{ id: facts.id, type: 'message', role: 'assistant', model: prompt.model },
    content: blocksOf(reply).map((block, at) => blockOf(block, at, prompt, facts.id)),
    ...endOf(reply),
    usage,
  };
}

/** The events of the stream whose sum is that message. */
function messageEvents(answered: Answered<MessagesPrompt>, usage: JsonObject): string[] {
  const { prompt, replies, facts } = answered;
  const [reply] = replies;
  const events: string[] = [];
  const send = (type: string, fields: JsonObject = {}) => events.push(eventOf(type, { type, ...fields }));
  const open = { content: [], stop_reason: null, stop_sequence: null, stop_details: null };
  send('message_start', { message: { ...messageOf(answered, usage), ...open, usage: usageAtStart(usage) } });
  for (const [index, block] of blocksOf(reply).entries()) {
    const sendDelta = (delta: JsonObject) => send('content_block_delta', { index, delta });
    const whole = blockOf(block, index, prompt, facts.id);
    send('content_block_start', { index, content_block: { ...whole, ...emptied[block.kind] } });
    if (index === 0) send('ping');
    if (block.kind === 'thinking') {
      const shown = prompt.showsThinking ? block.tokens : [];
      for (const thinking of shown) sendDelta({ type: 'thinking_delta', thinking });
      sendDelta({ type: 'signature_delta', signature: whole['signature'] });
    } else if (block.kind === 'text') {
      for (const text of block.tokens) sendDelta({ type: 'text_delta', text });
    } else {
      for (const json of ['', ...block.tokens]) sendDelta({ type: 'input_json_delta', partial_json: json });
    }
    send('content_block_stop', { index });
  }
  send('message_delta', { delta: endOf(reply), usage: usageAtEnd(usage) });
  send('message_stop');
  return events;
}

type Block = ReplyPart | { kind: 'thinking'; tokens: readonly string[] };

const blocksOf = ({ thinking, parts }: ChatReply): Block[] =>
  thinking.length === 0 ? [...parts] : [{ kind: 'thinking', tokens: thinking }, ...parts];

/** What a block begins without in a stream. */
const emptied = { thinking: { thinking: '', signature: '' }, text: { text: '' }, tool: { input: {} } } as const;

function blockOf(block: Block, at: number, prompt: MessagesPrompt, id: string): JsonObject {
  const text = block.tokens.join('');
  if (block.kind === 'text') return { type: 'text', text };
  if (block.kind === 'thinking') {
    return { type: 'thinking', thinking: prompt.showsThinking ? text : '', signature: signatureOf(text) };
  }
  return {
    ...{ type: 'tool_use', id: `toolu_${id.slice(-16)}_${at}`, name: block.tool.name },
    // Cut arguments are no JSON.
    input: jsonObjectOf(Buffer.from(text)) ?? {},
    caller: { type: 'direct' },
  };
}

function endOf(reply: ChatReply): JsonObject {
  const reasons = { cut: 'max_tokens', stopped: 'stop_sequence', whole: callsTools(reply) ? 'tool_use' : 'end_turn' };
  return {
    stop_reason: reasons[reply.end],
    stop_sequence: reply.stopSequence ?? null,
    ...{ stop_details: null, container: null },
  };
}

function usageOf({ prompt, replies: [reply] }: Answered<MessagesPrompt>, cache: PromptCache): JsonObject {
  const { fresh, read, written5m, written1h } = cache.use(prompt.model, prompt.blocks);
  const usage = {
    input_tokens: fresh,
    cache_creation_input_tokens: written5m + written1h,
    cache_read_input_tokens: read,
    cache_creation: { ephemeral_5m_input_tokens: written5m, ephemeral_1h_input_tokens: written1h },
    output_tokens: tokenCountOf(reply),
    output_tokens_details: { thinking_tokens: reply.thinking.length },
    ...{ server_tool_use: null, service_tier: 'standard', inference_geo: null },
  };
  return mergeUsage(usage, prompt.knobs.usage);
}

/** Inputs are known in full when a stream begins, of the output only that it began. */
function usageAtStart(usage: JsonObject): JsonObject {
  const { output_tokens: output } = usage;
  return {
    ...without(usage, ['iterations']),
    output_tokens: typeof output === 'number' ? Math.min(1, output) : output,
    ...{ output_tokens_details: null, server_tool_use: null },
  };
}

/** Cumulative counts, without what is only said at the start. */
const usageAtEnd = (usage: JsonObject): JsonObject =>
  without(usage, ['cache_creation', 'service_tier', 'inference_geo']);

const without = (usage: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(usage).filter(([name]) => !names.includes(name)));

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

function messagesError({ status, message }: WireFailure): JsonObject {
  const type = errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return { type: 'error', error: { type, message }, request_id: `req_${randomBytes(12).toString('hex')}` };
}

const eventOf = (type: string, data: JsonObject): string => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
