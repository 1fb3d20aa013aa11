/**
 * The chat completion request (specification 2.1), checked but not changed: the body is forwarded as it came, and only
 * facts are taken from it. Fields that the specification doesn't have pass, and so does `null` for an optional one.
 */
import { z } from 'zod';
import {
  chatAddressCharactersMax,
  choicesMax,
  penaltyMax,
  stopSequencesMax,
  temperatureMax,
  topLogprobsMax,
} from '../limits.ts';
import {
  anObject,
  flag,
  integerFrom,
  kindRule,
  listOf,
  mediaAddress,
  modelId,
  numberFrom,
  text,
  word,
} from './fields.ts';
import type { NamedAddress } from './addresses.ts';
import { invalid, parseWith } from './parse.ts';

/** What the gateway must know of a chat call; the rest is the upstream's. */
export interface ChatFacts {
  model: string;
  stream: boolean;
  /** Whether the caller asked for the usage-only chunk of a stream. */
  includeUsage: boolean;
  n: number;
  /** The caller's limit for each choice: the larger one of `max_tokens` and `max_completion_tokens` if both are there. */
  maxOutputTokens?: number;
  imageUrls: readonly NamedAddress[];
}

const image = z.object({ url: mediaAddress(chatAddressCharactersMax) }, "must be an object with the 'url'");
const part = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('text'), text }),
    z.object({ type: z.literal('image_url'), image_url: image }),
    z.object({ type: z.literal('input_audio'), input_audio: anObject }),
    z.object({ type: z.literal('file'), file: anObject }),
    z.object({ type: z.literal('refusal'), refusal: text }),
  ],
  { error: kindRule("must be 'text' or 'image_url' (or the OpenAI API's 'input_audio', 'file' or 'refusal')") },
);
const contentRule = 'must be a text or a non-empty array of parts';
const content = z.union([text, listOf(part, contentRule, { min: 1 })], contentRule);

const named = z.looseObject({ name: word }, "must be an object with a 'name'");
const toolCall = z.discriminatedUnion(
  'type',
  [
    z.object({
      id: word,
      type: z.literal('function'),
      function: z.object({ name: word, arguments: text }, "must be an object with 'name' and 'arguments'"),
    }),
    z.object({ id: word, type: z.literal('custom'), custom: named }),
  ],
  { error: kindRule("must be 'function' or 'custom'") },
);

const message = z.discriminatedUnion(
  'role',
  [
    z.object({ role: z.enum(['system', 'developer', 'user']), content }),
    z
      .object({
        role: z.literal('assistant'),
        content: content.nullish(),
        refusal: text.nullish(),
        audio: anObject.nullish(),
        function_call: anObject.nullish(),
        tool_calls: listOf(toolCall, 'must be an array of tool calls').nullish(),
      })
      .refine(saysSomething, { path: ['content'], error: `${contentRule}, unless the message has 'tool_calls'` }),
    z.object({ role: z.literal('tool'), content, tool_call_id: word }),
  ],
  { error: kindRule("must be 'system', 'developer', 'user', 'assistant' or 'tool'") },
);

const tool = z.discriminatedUnion(
  'type',
  [
    z.object({
      type: z.literal('function'),
      function: z.object(
        { name: word, description: text.nullish(), parameters: anObject.nullish(), strict: flag.nullish() },
        "must be an object with a 'name'",
      ),
    }),
    z.object({ type: z.literal('custom'), custom: named }),
  ],
  { error: kindRule("must be 'function' or 'custom'") },
);

const toolChoiceRule = "must be 'auto', 'none', 'required' or an object that names a tool";
const toolChoice = z.union(
  [
    z.enum(['auto', 'none', 'required']),
    z.discriminatedUnion(
      'type',
      [
        z.object({ type: z.literal('function'), function: named }),
        z.object({ type: z.literal('custom'), custom: named }),
        z.object({ type: z.literal('allowed_tools'), allowed_tools: anObject }),
      ],
      { error: kindRule("must be 'function', 'custom' or 'allowed_tools'") },
    ),
  ],
  toolChoiceRule,
);

const responseFormat = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('text') }),
    z.object({ type: z.literal('json_object') }),
    z.object({ type: z.literal('json_schema'), json_schema: named }),
  ],
  { error: kindRule("must be 'text', 'json_object' or 'json_schema'") },
);

const stopRule = `must be a text or an array of 1 to ${stopSequencesMax} texts`;
const seedRule = 'must be an integer of at most 64 bits';

export const chatBody = z.object({
  model: modelId,
  messages: listOf(message, 'must be a non-empty array of messages', { min: 1 }),
  stream: flag.nullish(),
  stream_options: z.object({ include_usage: flag.nullish() }, 'must be an object').nullish(),
  max_tokens: integerFrom(1).nullish(),
  max_completion_tokens: integerFrom(1).nullish(),
  temperature: numberFrom(0, temperatureMax).nullish(),
  top_p: numberFrom(0, 1).nullish(),
  stop: z.union([text, listOf(text, stopRule, { min: 1, max: stopSequencesMax })], stopRule).nullish(),
  frequency_penalty: numberFrom(-penaltyMax, penaltyMax).nullish(),
  presence_penalty: numberFrom(-penaltyMax, penaltyMax).nullish(),
  n: integerFrom(1, choicesMax).nullish(),
  response_format: responseFormat.nullish(),
  // The OpenAI API takes 64 bits; JSON numbers above 2^53 arrive rounded here, but the body is forwarded as it came.
  seed: z
    .number(seedRule)
    .refine((seed) => Number.isInteger(seed) && Math.abs(seed) <= 2 ** 63, seedRule)
    .meta({ type: 'integer' })
    .nullish(),
  logprobs: flag.nullish(),
  top_logprobs: integerFrom(0, topLogprobsMax).nullish(),
  tools: listOf(tool, 'must be an array of tool definitions').nullish(),
  tool_choice: toolChoice.nullish(),
  user: text.nullish(),
});

/**
 * The facts of a chat body. Refuses with `missing_parameter` or `invalid_parameter` and the path of the first fault.
 */
export function parseChatRequest(body: unknown): ChatFacts {
  const fields = parseWith(chatBody, body);
  if (typeof fields.top_logprobs === 'number' && fields.logprobs !== true) {
    throw invalid('top_logprobs', "needs 'logprobs' to be true");
  }
  const maxOutputTokens = Math.max(fields.max_tokens ?? 0, fields.max_completion_tokens ?? 0);
  const stream = fields.stream ?? false;
  return {
    model: fields.model,
    stream,
    includeUsage: stream && fields.stream_options?.include_usage === true,
    n: fields.n ?? 1,
    ...(maxOutputTokens > 0 ? { maxOutputTokens } : {}),
    imageUrls: imageUrlsOf(fields.messages),
  };
}

function imageUrlsOf(messages: readonly z.output<typeof message>[]): NamedAddress[] {
  const found: NamedAddress[] = [];
  for (const [index, { content: parts }] of messages.entries()) {
    if (!Array.isArray(parts)) continue;
    for (const [place, item] of parts.entries()) {
      if (item.type !== 'image_url') continue;
      found.push({ param: `messages[${index}].content[${place}].image_url.url`, url: item.image_url.url });
    }
  }
  return found;
}

/** An assistant's message has content, or stands for something else that the assistant did. */
function saysSomething(said: {
  content?: unknown;
  refusal?: unknown;
  audio?: unknown;
  function_call?: unknown;
  tool_calls?: readonly unknown[] | null | undefined;
}): boolean {
  const others = [said.content, said.refusal, said.audio, said.function_call];
  return others.some((value) => value !== undefined && value !== null) || (said.tool_calls ?? []).length > 0;
}
