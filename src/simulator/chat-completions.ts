/** Chat completions as the simulator speaks them: prompts read, and replies written whole and streamed. */
import type { JsonObject } from '../domain/json/json-object.ts';
import { chatPrompt, type ChatPrompt } from './chat-prompt.ts';
import { callsTools, tokenCountOf, type ChatReply, type ReplyPart } from './chat-reply.ts';
import { mergeUsage } from './chat-usage.ts';
import { openAiError, type Answered, type WireFacts, type WireForm } from './wire-form.ts';

export const completionsForm: WireForm = {
  idPrefix: 'chatcmpl-',
  promptField: 'messages',
  promptOf: chatPrompt,
  answer: chatCompletion,
  events: chatChunks,
  error: openAiError,
  errorEvent: (message) => `data: ${JSON.stringify(openAiError({ status: 500, message }))}\n\n`,
};

/** `chat.completion`. */
function chatCompletion({ prompt, replies, facts }: Answered): JsonObject {
  return {
    ...{ id: facts.id, object: 'chat.completion', created: facts.created, model: prompt.model },
    ...tierOf(prompt),
    choices: replies.map((reply, index) => ({
      index,
      message: messageOf(reply, facts, index),
      logprobs: null,
      finish_reason: finishOf(reply),
    })),
    usage: usageOf(prompt, replies),
    system_fingerprint: 'fp_simulator',
  };
}

/** `chat.completion.chunk`s as server-sent events: role, deltas, finish, and the usage where it was asked for. */
function chatChunks({ prompt, replies, facts }: Answered): string[] {
  const events: string[] = [];
  const head = { id: facts.id, object: 'chat.completion.chunk', created: facts.created, model: prompt.model };
  const send = (choices: unknown[], usage: unknown = null) => {
    const chunk = { ...head, ...tierOf(prompt), system_fingerprint: 'fp_simulator', choices };
    events.push(`data: ${JSON.stringify(prompt.includeUsage ? { ...chunk, usage } : chunk)}\n\n`);
  };
  for (const [index, reply] of replies.entries()) {
    const sendDelta = (delta: unknown, finish: string | null = null) =>
      send([{ index, delta, logprobs: null, finish_reason: finish }]);
    const saysText = reply.thinking.length > 0 || reply.parts[0]?.kind !== 'tool';
    let role: JsonObject = { role: 'assistant' };
    if (saysText) {
      sendDelta({ ...role, content: '', refusal: null });
      role = {};
    }
    for (const token of reply.thinking) sendDelta({ reasoning_content: token });
    let call = 0;
    for (const part of reply.parts) {
      if (part.kind === 'text') {
        for (const content of part.tokens) sendDelta({ content });
        continue;
      }
      const begun = { index: call, ...callOf(part, '', callId(facts, index, call)) };
      sendDelta(saysText || call > 0 ? { tool_calls: [begun] } : { ...role, content: null, tool_calls: [begun] });
      const { kind } = part.tool;
      for (const token of part.tokens)
        sendDelta({ tool_calls: [{ index: call, [kind]: { [inputField[kind]]: token } }] });
      call++;
    }
    sendDelta({}, finishOf(reply));
  }
  if (prompt.includeUsage) send([], usageOf(prompt, replies));
  events.push('data: [DONE]\n\n');
  return events;
}

function messageOf(reply: ChatReply, facts: WireFacts, index: number): JsonObject {
  const texts = reply.parts.filter(({ kind }) => kind === 'text');
  const calls = reply.parts.filter((part) => part.kind === 'tool');
  const content = texts.length === 0 && calls.length > 0 ? null : texts.flatMap(({ tokens }) => tokens).join('');
  return {
    ...{ role: 'assistant', content, refusal: null },
    ...(reply.thinking.length === 0 ? {} : { reasoning_content: reply.thinking.join('') }),
    ...(calls.length === 0
      ? { annotations: [] }
      : { tool_calls: calls.map((part, at) => callOf(part, part.tokens.join(''), callId(facts, index, at))) }),
  };
}

const inputField = { custom: 'input', function: 'arguments' } as const;

function callOf({ tool }: Extract<ReplyPart, { kind: 'tool' }>, input: string, id: string): JsonObject {
  return { id, type: tool.kind, [tool.kind]: { name: tool.name, [inputField[tool.kind]]: input } };
}

function finishOf(reply: ChatReply): string {
  if (reply.end === 'cut') return 'length';
  return callsTools(reply) ? 'tool_calls' : 'stop';
}

const callId = (facts: WireFacts, choice: number, at: number): string =>
  `call_${facts.id.slice(-16)}${choice}${at === 0 ? '' : `_${at}`}`;

const tierOf = ({ serviceTier }: ChatPrompt): JsonObject =>
  serviceTier === undefined ? {} : { service_tier: serviceTier };

function usageOf(prompt: ChatPrompt, replies: readonly ChatReply[]): JsonObject {
  const completion = replies.reduce((sum, reply) => sum + tokenCountOf(reply), 0);
  const usage = {
    prompt_tokens: prompt.inputTokens,
    completion_tokens: completion,
    total_tokens: prompt.inputTokens + completion,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: replies.reduce((sum, { thinking }) => sum + thinking.length, 0) },
  };
  return mergeUsage(usage, prompt.knobs.usage);
}
