/** What the simulator reads out of an Anthropic messages body: as of chat, and what its caches and thinking need. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../domain/json/json-object.ts';
import { roundOf, type Saying } from './chat-conversation.ts';
import { readChatKnobs } from './chat-knobs.ts';
import {
  leastOf,
  objectIn,
  objectsIn,
  textOf,
  textsIn,
  tokensPerImage,
  tokensPerMessage,
  type ChatPrompt,
  type SimulatedTool,
} from './chat-prompt.ts';
import { tokensOf } from './chat-tokens.ts';
import type { CacheLife, PromptBlock } from './prompt-cache.ts';

export interface MessagesPrompt extends ChatPrompt {
  /** Tools, system and messages in the order of Anthropic's caches. */
  blocks: readonly PromptBlock[];
  /** Whether thoughts are shown, or only signed. */
  showsThinking: boolean;
  /** Where a thinking block is that isn't as the simulator wrote it, such as `messages.1.content.0`. */
  alteredThinkingAt: string | undefined;
}

/** The prompt of a body of messages, or of messages/count_tokens. */
export function messagesPrompt(body: JsonObject): MessagesPrompt {
  const messages = objectsIn(body['messages']).map((message) => ({
    role: message['role'],
    content: contentOf(message['content']),
  }));
  const round = roundOf(messages.flatMap(({ role, content }) => sayingsOf(role, content)));
  const knobs = readChatKnobs(round.asked);
  const blocks = blocksOf(body, messages);
  const thinking = objectIn(body['thinking']);
  const choice = objectIn(body['tool_choice']);
  const format = objectIn(objectIn(body['output_config'])['format'] ?? body['output_format']);
  return {
    ...round,
    ...{ knobs, blocks },
    model: typeof body['model'] === 'string' ? body['model'] : 'sim',
    images: messages.reduce((sum, { content }) => sum + content.reduce((all, block) => all + imagesIn(block), 0), 0),
    inputTokens: blocks.reduce((sum, { tokens }) => sum + tokens, 0),
    n: 1,
    stop: textsIn(body['stop_sequences']),
    // Zero is a request that only fills the cache.
    maxTokens: body['max_tokens'] === 0 ? 0 : leastOf(body['max_tokens']),
    schema: format['type'] === 'json_schema' ? (format['schema'] ?? null) : undefined,
    tools: objectsIn(body['tools']).flatMap(toolIn),
    toolChoice: toolChoiceIn(choice),
    isParallel: choice['disable_parallel_tool_use'] !== true,
    thinks: knobs.thinks || thinking['type'] === 'enabled' || thinking['type'] === 'adaptive',
    showsThinking: thinking['display'] !== 'omitted',
    alteredThinkingAt: alteredThinkingAt(messages),
    serviceTier: undefined,
    stream: body['stream'] === true,
    includeUsage: true,
    seed: 0,
  };
}

const signedBy = 'tollgate-simulator/'.padEnd(21, '/');

/** The signature of a thought: the same for the same text, and another one for any other. */
export const signatureOf = (thinking: string): string =>
  Buffer.from(`${signedBy}${createHash('sha256').update(thinking).digest('hex')}`).toString('base64');

interface Message {
  role: unknown;
  content: readonly JsonObject[];
}

/** A text is a block of text. */
const contentOf = (content: unknown): JsonObject[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content);

/** Results of tools stand in messages of the user, with or without a text beside them. */
function sayingsOf(role: unknown, content: readonly JsonObject[]): Saying[] {
  const ofType = (type: string) => content.filter((block) => block['type'] === type);
  if (role === 'assistant') return [{ by: 'assistant', calls: ofType('tool_use').length }];
  if (role !== 'user') return [];
  const answers = ofType('tool_result').map((block): Saying => ({ by: 'tool', text: textOf(block) }));
  const texts = content.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
  return texts.length > 0 || answers.length === 0 ? [...answers, { by: 'user', text: texts.join('\n') }] : answers;
}

function blocksOf(body: JsonObject, messages: readonly Message[]): PromptBlock[] {
  const parts = [
    ...objectsIn(body['tools']).map((block) => ({
      place: 'tool',
      block,
      tokens: tokensOf(JSON.stringify(block)).length,
    })),
    ...contentOf(body['system']).map((block) => ({
      place: 'system',
      block,
      tokens: tokensIn(block) + tokensPerMessage,
    })),
    ...messages.flatMap(({ role, content }) =>
      content.map((block, at) => ({
        place: String(role),
        block,
        tokens: tokensIn(block) + (at === 0 ? tokensPerMessage : 0),
      })),
    ),
  ];
  return parts.map(({ place, block, tokens }, at) => {
    const { cache_control: own, ...rest } = block as JsonObject & { cache_control?: unknown };
    // At the top of a body it marks the last block.
    const control = own ?? (at === parts.length - 1 ? body['cache_control'] : undefined);
    return { form: `${place}${JSON.stringify(rest)}`, tokens, cached: cacheLifeOf(control) };
  });
}

function cacheLifeOf(control: unknown): CacheLife | undefined {
  const { type, ttl } = objectIn(control) as { type?: unknown; ttl?: unknown };
  if (type !== 'ephemeral') return undefined;
  return ttl === '1h' ? '1h' : '5m';
}

/** Of a block in a message: of its text, or of what else it holds. */
function tokensIn(block: JsonObject): number {
  const { type, text, thinking, input } = block as Record<string, unknown>;
  const images = imagesIn(block);
  if (images > 0) return images * tokensPerImage + tokensOf(textOf(block)).length;
  if (type === 'tool_use') return tokensOf(JSON.stringify(input ?? {})).length;
  const held = typeof text === 'string' ? text : typeof thinking === 'string' ? thinking : textOf(block);
  return tokensOf(held).length;
}

/** An image is one; the result of a tool may hold some. */
function imagesIn(block: JsonObject): number {
  if (block['type'] === 'image') return 1;
  return block['type'] === 'tool_result'
    ? objectsIn(block['content']).filter(({ type }) => type === 'image').length
    : 0;
}

/** What the vendor runs itself is not called. */
const hostedTools = /^(?:web_search|web_fetch|code_execution|tool_search|mcp_toolset)/;

function toolIn({ type, name, input_schema: parameters }: JsonObject & { input_schema?: unknown }): SimulatedTool[] {
  const isHosted = typeof type === 'string' && hostedTools.test(type);
  return typeof name === 'string' && !isHosted ? [{ kind: 'function', name, parameters }] : [];
}

function toolChoiceIn({ type, name }: JsonObject): ChatPrompt['toolChoice'] {
  if (type === 'tool' && typeof name === 'string') return { name };
  return { mode: type === 'any' ? 'required' : type === 'none' ? 'none' : 'auto' };
}

/** Where a thought was signed by a simulator and altered since; those of others are not known here. */
function alteredThinkingAt(messages: readonly Message[]): string | undefined {
  const signedPrefix = Buffer.from(signedBy).toString('base64');
  for (const [at, { content }] of messages.entries()) {
    const altered = content.findIndex(({ type, thinking, signature }) => {
      const isOwn = type === 'thinking' && typeof signature === 'string' && signature.startsWith(signedPrefix);
      // An omitted thought comes back empty.
      return isOwn && typeof thinking === 'string' && thinking !== '' && signature !== signatureOf(thinking);
    });
    if (altered !== -1) return `messages.${at}.content.${altered}`;
  }
  return undefined;
}
