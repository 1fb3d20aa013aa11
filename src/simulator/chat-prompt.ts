/** What the simulator reads out of a chat or responses body. Bodies were checked by the gateway; odd parts are skipped. */
import { isObject, type JsonObject } from '../domain/json/json-object.ts';
import { roundOf, type Round, type Saying } from './chat-conversation.ts';
import { readChatKnobs, type ChatKnobs } from './chat-knobs.ts';
import { tokensOf } from './chat-tokens.ts';

export interface SimulatedTool {
  kind: 'function' | 'custom';
  name: string;
  /** JSON schema of the arguments. */
  parameters: unknown;
}

export interface ChatPrompt extends Round {
  model: string;
  knobs: ChatKnobs;
  images: number;
  inputTokens: number;
  n: number;
  stop: readonly string[];
  maxTokens: number;
  /** `undefined` for text, `null` for any JSON object, else a JSON schema. */
  schema: unknown;
  tools: readonly SimulatedTool[];
  /** `auto`, `none`, `required`, or the name of a tool. */
  toolChoice: { mode: 'auto' | 'none' | 'required' } | { name: string };
  /** Whether several tools may be called at once. */
  isParallel: boolean;
  thinks: boolean;
  /** As the answer says it; undefined where the request doesn't ask for one. */
  serviceTier: string | undefined;
  stream: boolean;
  includeUsage: boolean;
  seed: number;
  /** Of legacy completions: all prompts, each answered `n` times. */
  prompts?: readonly ChatPrompt[];
}

/** Plausible, and the same for every size. */
export const tokensPerImage = 85;
export const tokensPerMessage = 4;

/** The prompt of a chat completions body. */
export function chatPrompt(body: JsonObject): ChatPrompt {
  const messages = objectsIn(body['messages']);
  const format = objectIn(body['response_format']);
  return {
    ...common(body, messages, ''),
    maxTokens: leastOf(body['max_tokens'], body['max_completion_tokens']),
    schema: schemaOf(format, objectIn(format['json_schema'])['schema']),
    n: numberOr(body['n'], 1),
    stop: textsIn(body['stop']),
    includeUsage: objectIn(body['stream_options'])['include_usage'] === true,
  };
}

/** The prompt of a responses body. */
export function responsesPrompt(body: JsonObject): ChatPrompt {
  const { input } = body as { input?: unknown };
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : objectsIn(input);
  const format = objectIn(objectIn(body['text'])['format']);
  return {
    ...common(body, items, typeof body['instructions'] === 'string' ? body['instructions'] : ''),
    maxTokens: leastOf(body['max_output_tokens']),
    schema: schemaOf(format, format['schema']),
    n: 1,
    stop: [],
    includeUsage: true,
  };
}

function common(body: JsonObject, messages: readonly JsonObject[], instructions: string) {
  let inputTokens = instructions === '' ? 0 : tokensOf(instructions).length + tokensPerMessage;
  let images = 0;
  for (const message of messages) {
    const parts = objectsIn(message['content']);
    const imageParts = parts.filter(({ type }) => type === 'image_url' || type === 'input_image').length;
    images += imageParts;
    inputTokens += tokensOf(textOf(message)).length + tokensPerMessage + imageParts * tokensPerImage;
  }
  const tools = objectsIn(body['tools']).flatMap(toolIn);
  if (tools.length > 0) inputTokens += tokensOf(JSON.stringify(body['tools'])).length;
  const round = roundOf(messages.map(sayingOf));
  const knobs = readChatKnobs(round.asked);
  const { service_tier: tier } = body as { service_tier?: unknown };
  return {
    ...round,
    knobs,
    model: typeof body['model'] === 'string' ? body['model'] : 'sim',
    ...{ images, inputTokens, tools },
    toolChoice: toolChoiceIn(body['tool_choice']),
    isParallel: body['parallel_tool_calls'] !== false,
    thinks: knobs.thinks,
    serviceTier: typeof tier === 'string' ? (tier === 'auto' ? 'default' : tier) : undefined,
    stream: body['stream'] === true,
    seed: numberOr(body['seed'], 0),
  };
}

function sayingOf(message: JsonObject): Saying {
  const { role, type } = message as { role?: unknown; type?: unknown };
  if (role === 'user') return { by: 'user', text: textOf(message) };
  if (role === 'assistant') return { by: 'assistant', calls: objectsIn(message['tool_calls']).length };
  if (type === 'function_call' || type === 'custom_tool_call') return { by: 'assistant', calls: 1 };
  const isToolAnswer = role === 'tool' || type === 'function_call_output' || type === 'custom_tool_call_output';
  return isToolAnswer ? { by: 'tool', text: textOf(message) } : { by: 'other' };
}

/** Chat nests a tool's description in a field of its type, responses don't. */
function toolIn(tool: JsonObject): SimulatedTool[] {
  const kind = tool['type'];
  if (kind !== 'function' && kind !== 'custom') return [];
  const described = isObject(tool[kind]) ? tool[kind] : tool;
  const { name, parameters } = described as { name?: unknown; parameters?: unknown };
  return typeof name === 'string' ? [{ kind, name, parameters }] : [];
}

function toolChoiceIn(choice: unknown): ChatPrompt['toolChoice'] {
  if (choice === 'none' || choice === 'required') return { mode: choice };
  if (isObject(choice)) {
    for (const named of [choice, choice['function'], choice['custom']]) {
      if (isObject(named) && typeof named['name'] === 'string') return { name: named['name'] };
    }
  }
  return { mode: 'auto' };
}

function schemaOf(format: JsonObject, schema: unknown): unknown {
  if (format['type'] === 'json_object') return null;
  return format['type'] === 'json_schema' ? (schema ?? null) : undefined;
}

/** Returns the text of a message, an item or a block that holds text or parts. */
export function textOf(message: JsonObject): string {
  for (const held of [message['content'], message['output']]) {
    if (typeof held === 'string') return held;
    const texts = objectsIn(held).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
    if (texts.length > 0) return texts.join('\n');
  }
  return '';
}

export function textsIn(value: unknown): string[] {
  const texts: unknown[] = Array.isArray(value) ? value : [value];
  return texts.filter((text): text is string => typeof text === 'string' && text !== '');
}

export const objectIn = (value: unknown): JsonObject => (isObject(value) ? value : {});

export const objectsIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

export const numberOr = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

export const leastOf = (...limits: readonly unknown[]): number =>
  Math.min(...limits.map((limit) => (typeof limit === 'number' && limit > 0 ? limit : Number.POSITIVE_INFINITY)));
