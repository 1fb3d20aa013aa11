/** Legacy completions as the simulator speaks them: each prompt is answered as a chat's message would be. */
import type { JsonObject } from '../domain/json/json-object.ts';
import { chatPrompt, type ChatPrompt, numberOr } from './chat-prompt.ts';
import { tokenCountOf, type ChatReply } from './chat-reply.ts';
import { tokensOf } from './chat-tokens.ts';
import { mergeUsage } from './chat-usage.ts';
import { openAiError, type Answered, type WireForm } from './wire-form.ts';

export const textCompletionsForm: WireForm = {
  idPrefix: 'cmpl-',
  promptField: 'prompt',
  promptOf: textPrompt,
  answer: textCompletion,
  events: textChunks,
  error: openAiError,
  errorEvent: (message) => `data: ${JSON.stringify(openAiError({ status: 500, message }))}\n\n`,
};

/** The first prompt, with all of them in `prompts`. */
function textPrompt(body: JsonObject): ChatPrompt {
  const prompts = promptsIn(body['prompt']).map((tokens) => promptOf(body, tokens));
  const [first] = prompts;
  if (first === undefined) return promptOf(body, []);
  return { ...first, prompts, inputTokens: prompts.reduce((sum, { inputTokens }) => sum + inputTokens, 0) };
}

function promptOf(
  { n, stop, max_tokens, stream, stream_options, model }: JsonObject,
  tokens: readonly string[],
): ChatPrompt {
  const messages = [{ role: 'user', content: tokens.join('') }];
  const prompt = chatPrompt({ n: numberOr(n, 1), stop, max_tokens, stream, stream_options, model, messages });
  return { ...prompt, inputTokens: tokens.length };
}

function promptsIn(prompt: unknown): string[][] {
  if (typeof prompt === 'string') return [tokensOf(prompt)];
  const items: readonly unknown[] = Array.isArray(prompt) ? prompt : [];
  if (typeof items[0] === 'number') return [words(items)];
  return items.map((item) => (Array.isArray(item) ? words(item) : tokensOf(String(item))));
}

const words = (tokens: readonly unknown[]): string[] => tokens.map((token) => `${String(token)} `);

/** `text_completion`. */
function textCompletion({ body, prompt, replies, facts }: Answered): JsonObject {
  return {
    ...headOf(prompt, facts),
    choices: replies.map((reply, index) => ({
      text: `${echoOf(body, prompt, index)}${textIn(reply).join('')}`,
      index,
      logprobs: null,
      finish_reason: finishOf(reply),
    })),
    usage: usageOf(prompt, replies),
  };
}

/** The same in pieces, and the usage where it was asked for. */
function textChunks({ body, prompt, replies, facts }: Answered): string[] {
  const events: string[] = [];
  const send = (choices: unknown[], usage: unknown = null) => {
    const chunk = { ...headOf(prompt, facts), choices, ...(prompt.includeUsage && { usage }) };
    events.push(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  for (const [index, reply] of replies.entries()) {
    const sendText = (text: string, finish: string | null = null) =>
      send([{ text, index, logprobs: null, finish_reason: finish }]);
    const echo = echoOf(body, prompt, index);
    for (const text of echo === '' ? textIn(reply) : [echo, ...textIn(reply)]) sendText(text);
    sendText('', finishOf(reply));
  }
  if (prompt.includeUsage) send([], usageOf(prompt, replies));
  events.push('data: [DONE]\n\n');
  return events;
}

const headOf = ({ model }: ChatPrompt, { id, created }: Answered['facts']): JsonObject => ({
  ...{ id, object: 'text_completion', created, model },
  system_fingerprint: 'fp_simulator',
});

/** With `echo` an answer begins with its prompt; choices are in the order of their prompts. */
function echoOf({ echo }: JsonObject & { echo?: unknown }, { prompts = [], n }: ChatPrompt, choice: number): string {
  return echo === true ? (prompts[Math.floor(choice / n)]?.text ?? '') : '';
}

const textIn = ({ parts }: ChatReply): string[] =>
  parts.flatMap(({ kind, tokens }) => (kind === 'text' ? [...tokens] : []));

const finishOf = ({ end }: ChatReply): string => (end === 'cut' ? 'length' : 'stop');

function usageOf(prompt: ChatPrompt, replies: readonly ChatReply[]): JsonObject {
  const completion = replies.reduce((sum, reply) => sum + tokenCountOf(reply), 0);
  const { inputTokens: input } = prompt;
  const usage = { prompt_tokens: input, completion_tokens: completion, total_tokens: input + completion };
  return mergeUsage(usage, prompt.knobs.usage);
}
