/** What the simulator reads out of a chat or responses body. Bodies were checked by the gateway; odd parts are skipped. */
import { isObject, type JsonObject } from '../domain/chat/token-usage.ts';
import { tokensOf } from './chat-tokens.ts';

export interface SimulatedTool {
  kind: 'function' | 'custom';
  name: string;
  /** JSON schema of the arguments. */
  parameters: unknown;
}

export interface ChatPrompt {
  model: string;
  /** The text of the last user's message: what is answered, and where the knobs are looked for. */
  text: string;
  /** The last message, if it is what a tool answered. */
  toolAnswer: string | undefined;
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
  stream: boolean;
  includeUsage: boolean;
  seed: number;
}

/** Plausible, and the same for every size. */
const tokensPerImage = 85;
const tokensPerMessage = 4;

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
  const last = messages.at(-1);
  const isToolAnswer = last?.['role'] === 'tool' || last?.['type'] === 'function_call_output';
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
  const user = messages.findLast(({ role }) => role === 'user');
  return {
    model: typeof body['model'] === 'string' ? body['model'] : 'sim',
    text: user === undefined ? '' : textOf(user),
    toolAnswer: isToolAnswer ? textOf(last) : undefined,
    ...{ images, inputTokens, tools },
    toolChoice: toolChoiceIn(body['tool_choice']),
    stream: body['stream'] === true,
    seed: numberOr(body['seed'], 0),
  };
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

function textOf(message: JsonObject): string {
  for (const held of [message['content'], message['output']]) {
    if (typeof held === 'string') return held;
    const texts = objectsIn(held).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
    if (texts.length > 0) return texts.join('\n');
  }
  return '';
}

function textsIn(value: unknown): string[] {
  const texts: unknown[] = Array.isArray(value) ? value : [value];
  return texts.filter((text): text is string => typeof text === 'string' && text !== '');
}

const objectIn = (value: unknown): JsonObject => (isObject(value) ? value : {});

const objectsIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

const numberOr = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

const leastOf = (...limits: readonly unknown[]): number =>
  Math.min(...limits.map((limit) => (typeof limit === 'number' && limit > 0 ? limit : Number.POSITIVE_INFINITY)));
