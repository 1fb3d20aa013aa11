/**
 * The chat completion request, checked but not changed: the body is forwarded as it came, and only facts are taken from
 * it. Fields, roles and types of parts and tools that are not known here pass, and so does `null` for an optional field:
 * what an upstream makes of them is its own affair.
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
  another,
  flag,
  integerFrom,
  kindRule,
  listOf,
  mediaAddress,
  modelId,
  numberFrom,
  orAnother,
  text,
  word,
} from './fields.ts';
import { isObject } from '../json/json-object.ts';
import type { NamedAddress } from './named-addresses.ts';
import { invalid, parseWith } from './parse.ts';
import { type Allowed, refuseUnpriced } from './unpriced.ts';

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
  /** Web addresses in parts of other types, such as `video_url`. */
  otherUrls: readonly NamedAddress[];
}

const image = z.object({ url: mediaAddress(chatAddressCharactersMax) }, "must be an object with a 'url'");
const knownPart = z.discriminatedUnion(
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
const part = orAnother(knownPart, 'type', ['text', 'image_url', 'input_audio', 'file', 'refusal']);
const contentRule = 'must be a string or a non-empty array of parts';
const content = z.union([text, listOf(part, contentRule, { min: 1 })], contentRule);
const maybeEmpty = z.union([text, listOf(part, contentRule)], contentRule).nullish();

const named = z.looseObject({ name: word }, "must be an object with a 'name'");
const knownToolCall = z.discriminatedUnion(
  'type',
  [
    z.object({
      id: text,
      type: z.literal('function'),
      function: z.object({ name: word, arguments: text }, "must be an object with 'name' and 'arguments'"),
    }),
    z.object({ id: text, type: z.literal('custom'), custom: named }),
  ],
  { error: kindRule("must be 'function' or 'custom'") },
);
const toolCall = orAnother(knownToolCall, 'type', ['function', 'custom']);

const knownMessage = z.discriminatedUnion(
  'role',
  [
    z.object({ role: z.enum(['system', 'developer', 'user']), content }),
    z
      .object({
        role: z.literal('assistant'),
        content: maybeEmpty,
        reasoning_content: text.nullish(),
        reasoning: text.nullish(),
        refusal: text.nullish(),
        audio: anObject.nullish(),
        function_call: anObject.nullish(),
        tool_calls: listOf(toolCall, 'must be an array of tool calls').nullish(),
      })
      .refine(saysSomething, { path: ['content'], error: `${contentRule}, unless the message has 'tool_calls'` }),
    z.object({ role: z.literal('tool'), content: maybeEmpty, tool_call_id: word }),
    z.object({ role: z.literal('function'), content: maybeEmpty, name: word }),
  ],
  { error: kindRule("must be 'system', 'developer', 'user', 'assistant' or 'tool'") },
);
const message = orAnother(knownMessage, 'role', [...['system', 'developer', 'user', 'assistant', 'tool', 'function']]);

const knownTool = z.discriminatedUnion(
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

const tool = orAnother(knownTool, 'type', ['function', 'custom']);

const toolChoiceRule = "must be 'auto', 'none', 'required' or an object naming a tool";
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
    another('type', ['function', 'custom', 'allowed_tools']),
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

const stopRule = `must be a string or an array of at most ${stopSequencesMax} strings`;
const seedRule = 'must be a 64-bit integer';

export const chatBody = z.object({
  model: modelId,
  messages: listOf(message, 'must be a non-empty array of messages', { min: 1 }),
  stream: flag.nullish(),
  stream_options: z.object({ include_usage: flag.nullish() }, 'must be an object').nullish(),
  // 0 and -1 mean no limit, or nothing, to some upstreams.
  max_tokens: integerFrom(-1).nullish(),
  max_completion_tokens: integerFrom(-1).nullish(),
  temperature: numberFrom(0, temperatureMax).nullish(),
  top_p: numberFrom(0, 1).nullish(),
  stop: z.union([text, listOf(text, stopRule, { max: stopSequencesMax })], stopRule).nullish(),
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
 * The facts of a chat body. Refuses with `missing_parameter` or `invalid_parameter` and the path of the first fault. What costs money upstream and has no price here is refused unless it is `allowed`.
 */
export function parseChatRequest(body: unknown, allowed: Allowed = []): ChatFacts {
  const fields = parseWith(chatBody, body);
  if (typeof fields.top_logprobs === 'number' && fields.top_logprobs > 0 && fields.logprobs !== true) {
    throw invalid('top_logprobs', "needs 'logprobs' to be true");
  }
  refuseUnpriced(body, allowed);
  const limits = [fields.max_tokens, fields.max_completion_tokens].filter((limit) => typeof limit === 'number');
  // A limit that is none may mean anything: then the model's own is held.
  const maxOutputTokens = limits.some((limit) => limit < 1) ? 0 : Math.max(0, ...limits);
  const stream = fields.stream ?? false;
  return {
    model: fields.model,
    stream,
    includeUsage: stream && fields.stream_options?.include_usage === true,
    n: fields.n ?? 1,
    ...(maxOutputTokens > 0 ? { maxOutputTokens } : {}),
    ...urlsOf(fields.messages),
  };
}

function urlsOf(messages: readonly object[]): Pick<ChatFacts, 'imageUrls' | 'otherUrls'> {
  const imageUrls: NamedAddress[] = [];
  const otherUrls: NamedAddress[] = [];
  for (const [index, said] of messages.entries()) {
    const parts: unknown = 'content' in said ? said.content : undefined;
    if (!Array.isArray(parts)) continue;
    for (const [place, item] of (parts as readonly unknown[]).entries()) {
      const named = addressIn(item);
      if (!named) continue;
      const address = { param: `messages[${index}].content[${place}].${named.path}`, url: named.url };
      if (named.path === 'image_url.url') imageUrls.push(address);
      else if (/^https?:/i.test(named.url)) otherUrls.push(address);
    }
  }
  return { imageUrls, otherUrls };
}

/** What a part of the type `x_url` points to: in an object named like the type, or there itself. */
function addressIn(item: unknown): { path: string; url: string } | undefined {
  if (!isObject(item)) return undefined;
  const { type } = item as { type?: unknown };
  const held = typeof type === 'string' && Object.hasOwn(item, type) ? item[type] : undefined;
  if (typeof held === 'string') return { path: String(type), url: held };
  const url = isObject(held) ? held['url'] : undefined;
  return typeof url === 'string' ? { path: `${String(type)}.url`, url } : undefined;
}

/** An assistant's message has content, or stands for something else that the assistant did. */
function saysSomething(said: {
  content?: unknown;
  reasoning_content?: unknown;
  reasoning?: unknown;
  refusal?: unknown;
  audio?: unknown;
  function_call?: unknown;
  tool_calls?: readonly unknown[] | null | undefined;
}): boolean {
  const { content, reasoning_content, reasoning, refusal, audio, function_call } = said;
  const others = [Array.isArray(content) && content.length === 0 ? null : content, reasoning_content, reasoning];
  return (
    [...others, refusal, audio, function_call].some((value) => value !== undefined && value !== null) ||
    (said.tool_calls ?? []).length > 0
  );
}
