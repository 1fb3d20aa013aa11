/** The simulator's replies in the wire format of chat completions, whole and streamed. */
import type { ChatPrompt } from './chat-prompt.ts';
import type { ChatReply } from './chat-reply.ts';

export interface WireFacts {
  /** Of the answer, such as `chatcmpl-…`; ids of tool calls are made of it. */
  id: string;
  /** Unix seconds. */
  created: number;
}

/** `chat.completion`. */
export function chatCompletion(prompt: ChatPrompt, replies: readonly ChatReply[], facts: WireFacts): unknown {
  return {
    ...{ id: facts.id, object: 'chat.completion', created: facts.created, model: prompt.model },
    choices: replies.map((reply, index) => ({
      index,
      message: messageOf(reply, callId(facts, index)),
      logprobs: null,
      finish_reason: finishOf(reply),
    })),
    usage: usageOf(prompt, replies),
    system_fingerprint: 'fp_simulator',
  };
}

/** `chat.completion.chunk`s as server-sent events: role, deltas, finish, and the usage where it was asked for. */
export function chatChunks(prompt: ChatPrompt, replies: readonly ChatReply[], facts: WireFacts): string[] {
  const events: string[] = [];
  const send = (choices: unknown[], usage: unknown = null) => {
    const head = { id: facts.id, object: 'chat.completion.chunk', created: facts.created, model: prompt.model };
    const chunk = { ...head, system_fingerprint: 'fp_simulator', choices };
    events.push(`data: ${JSON.stringify(prompt.includeUsage ? { ...chunk, usage } : chunk)}\n\n`);
  };
  for (const [index, reply] of replies.entries()) {
    const tell = (delta: unknown, finish: string | null = null) =>
      send([{ index, delta, logprobs: null, finish_reason: finish }]);
    if (reply.kind === 'text') {
      tell({ role: 'assistant', content: '', refusal: null });
      for (const content of reply.tokens) tell({ content });
    } else {
      const { tool } = reply;
      const field = tool.kind === 'custom' ? 'input' : 'arguments';
      const begun = {
        index: 0,
        id: callId(facts, index),
        type: tool.kind,
        [tool.kind]: { name: tool.name, [field]: '' },
      };
      tell({ role: 'assistant', content: null, tool_calls: [begun] });
      for (const token of reply.tokens) tell({ tool_calls: [{ index: 0, [tool.kind]: { [field]: token } }] });
    }
    tell({}, finishOf(reply));
  }
  if (prompt.includeUsage) send([], usageOf(prompt, replies));
  events.push('data: [DONE]\n\n');
  return events;
}

function messageOf(reply: ChatReply, id: string): unknown {
  const text = reply.tokens.join('');
  if (reply.kind === 'text') return { role: 'assistant', content: text, refusal: null, annotations: [] };
  const { kind, name } = reply.tool;
  const call = kind === 'custom' ? { name, input: text } : { name, arguments: text };
  return { role: 'assistant', content: null, refusal: null, tool_calls: [{ id, type: kind, [kind]: call }] };
}

function finishOf(reply: ChatReply): string {
  if (reply.isCut) return 'length';
  return reply.kind === 'tool' ? 'tool_calls' : 'stop';
}

const callId = (facts: WireFacts, index: number): string => `call_${facts.id.slice(-16)}${index}`;

function usageOf(prompt: ChatPrompt, replies: readonly ChatReply[]): unknown {
  const completion = replies.reduce((sum, { tokens }) => sum + tokens.length, 0);
  return {
    prompt_tokens: prompt.inputTokens,
    completion_tokens: completion,
    total_tokens: prompt.inputTokens + completion,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}
