/**
 * The request of Anthropic's messages, checked but not changed, as chat completions are: only facts are taken from it, and
 * kinds of block, tool and field that are not known here pass. `null` stands for an absent value.
 */
import { z } from 'zod';
import { isObject } from '../json/json-object.ts';
import { chatAddressCharactersMax, temperatureMax } from '../limits.ts';
import {
  anObject,
  flag,
  httpAddress,
  integerFrom,
  kindRule,
  listOf,
  modelId,
  numberFrom,
  orAnother,
  text,
  word,
} from './fields.ts';
import type { NamedAddress } from './named-addresses.ts';
import { parseWith } from './parse.ts';
import type { Allowed } from './unpriced.ts';
import { refuseUnpricedMessages } from './unpriced-messages.ts';

/** What the gateway must know of a messages call; the rest is the upstream's. */
export interface MessagesFacts {
  model: string;
  stream: boolean;
  /** None where only the input is counted; 0 asks to fill the cache. */
  maxOutputTokens?: number;
  /** Images that are written out, and how many characters of the body those take. */
  images: number;
  imageCharacters: number;
  imageUrls: readonly NamedAddress[];
  /** Web addresses of documents, which may be of any length. */
  documentUrls: readonly NamedAddress[];
}

const source = orAnother(
  z.discriminatedUnion(
    'type',
    [
      z.object({ type: z.literal('base64'), media_type: word, data: word }),
      z.object({ type: z.literal('url'), url: httpAddress(chatAddressCharactersMax) }),
      z.object({ type: z.literal('file'), file_id: word }),
    ],
    { error: kindRule("must be 'base64', 'url' or 'file'") },
  ),
  'type',
  ['base64', 'url', 'file'],
);
const knownBlock = z.discriminatedUnion(
  'type',
  [
    z.object({ type: z.literal('text'), text }),
    z.object({ type: z.literal('image'), source }),
    z.object({ type: z.literal('document'), source }),
    z.object({ type: z.literal('tool_use'), id: word, name: word, input: anObject }),
    z.object({ type: z.literal('tool_result'), tool_use_id: word }),
  ],
  { error: kindRule("must be 'text', 'image', 'document', 'tool_use' or 'tool_result'") },
);
const block = orAnother(knownBlock, 'type', ['text', 'image', 'document', 'tool_use', 'tool_result']);
const contentRule = 'must be a string or an array of blocks';
const content = z.union([text, listOf(block, contentRule)], contentRule);
const message = z.object({ role: word, content }, "must be an object with 'role' and 'content'");

const tool = z.looseObject({ type: word.nullish(), name: word.nullish() }, 'must be an object');
const withType = z.looseObject({ type: word }, "must be an object with a 'type'");

/** What is counted as input. */
const inputFields = {
  model: modelId,
  messages: listOf(message, 'must be a non-empty array of messages', { min: 1 }),
  system: content.nullish(),
  tools: listOf(tool, 'must be an array of tools').nullish(),
  tool_choice: withType.nullish(),
  thinking: withType.nullish(),
  output_config: anObject.nullish(),
};

/** The body of `messages/count_tokens`. */
export const countTokensBody = z.object(inputFields);

export const messagesBody = z.object({
  ...inputFields,
  max_tokens: integerFrom(0),
  stream: flag.nullish(),
  stop_sequences: listOf(text, 'must be an array of strings').nullish(),
  temperature: numberFrom(0, temperatureMax).nullish(),
  top_p: numberFrom(0, 1).nullish(),
  top_k: integerFrom(0).nullish(),
  metadata: anObject.nullish(),
});

/**
 * The facts of a messages body. Refuses with `missing_parameter` or `invalid_parameter` and the path of the first fault.
 * What costs money upstream and has no price here is refused unless it is `allowed`.
 */
export function parseMessagesRequest(body: unknown, allowed: Allowed = []): MessagesFacts {
  const fields = parseWith(messagesBody, body);
  refuseUnpricedMessages(body, allowed);
  const { model, stream, max_tokens: maxOutputTokens, messages } = fields;
  return { model, stream: stream ?? false, maxOutputTokens, ...mediaIn(messages) };
}

/** The facts of a body whose input is only counted. Refuses as `parseMessagesRequest` does. */
export function parseCountTokensRequest(body: unknown, allowed: Allowed = []): MessagesFacts {
  const { model, messages } = parseWith(countTokensBody, body);
  refuseUnpricedMessages(body, allowed);
  return { model, stream: false, ...mediaIn(messages) };
}

type Media = Pick<MessagesFacts, 'images' | 'imageCharacters'> & Record<'imageUrls' | 'documentUrls', NamedAddress[]>;

function mediaIn(messages: readonly { content: unknown }[]): Media {
  const media: Media = { images: 0, imageCharacters: 0, imageUrls: [], documentUrls: [] };
  for (const [index, { content: said }] of messages.entries()) addMedia(said, `messages[${index}].content`, media, 0);
  return media;
}

/** The results of tools have blocks of their own, and so have documents that are made of some. */
const nestedMax = 4;

function addMedia(blocks: unknown, place: string, media: Media, depth: number): void {
  if (!Array.isArray(blocks) || depth > nestedMax) return;
  for (const [index, one] of (blocks as readonly unknown[]).entries()) {
    if (!isObject(one)) continue;
    const { type, source: from, content: inside } = one as { type?: unknown; source?: unknown; content?: unknown };
    if (inside !== undefined) addMedia(inside, `${place}[${index}].content`, media, depth + 1);
    if (isObject(from)) addSource(type === 'image', from, `${place}[${index}].source`, media, depth);
  }
}

function addSource(
  isImage: boolean,
  from: Readonly<Record<string, unknown>>,
  place: string,
  media: Media,
  depth: number,
) {
  const { url, data, content: inside } = from as { url?: unknown; data?: unknown; content?: unknown };
  addMedia(inside, `${place}.content`, media, depth + 1);
  if (typeof url === 'string') {
    const address = { param: `${place}.url`, url };
    if (isImage) media.imageUrls.push(address);
    else media.documentUrls.push(address);
  } else if (isImage && typeof data === 'string') {
    media.images++;
    media.imageCharacters += data.length;
  }
}
