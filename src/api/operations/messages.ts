/** Anthropic's messages: straight through as chat, and their input counted. */
import * as z from 'zod';
import { serveCountTokens } from '../../chat/count-input.ts';
import { serveCall } from '../../chat/serve-call.ts';
import { countTokensBody, messagesBody } from '../../domain/requests/messages-request.ts';
import { callErrors, modelErrors } from '../openapi/error-lists.ts';
import { one } from '../openapi/examples.ts';
import { headers, requestHeader } from '../openapi/headers.ts';
import { jsonContent } from '../openapi/json-body.ts';
import { answer, refOf } from '../openapi/schemas.ts';
import { jsonEvent, streamed } from '../openapi/streams.ts';
import { operation } from '../public-operation.ts';

const count = z.int().min(0);
const message = answer(
  'Message',
  z
    .looseObject({
      id: z.string(),
      type: z.literal('message'),
      role: z.string(),
      model: z.string().describe('The model actually used.'),
      content: z.array(z.looseObject({ type: z.string() })),
      stop_reason: z.string().nullable(),
      usage: z.looseObject({ input_tokens: count, output_tokens: count }),
    })
    .describe("The upstream's own answer, handed on as it came."),
);
const counted = answer('MessagesTokenCount', z.looseObject({ input_tokens: count }));

const stream = streamed(
  jsonEvent({ type: 'object', required: ['type'], properties: { type: { type: 'string' } } }),
  'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}\n\n',
);

const inputWords = {
  model: 'Model id.',
  messages: 'The conversation so far; `content` is a string or an array of blocks.',
  system: 'The system prompt: a string or an array of text blocks.',
  tools: 'Tool definitions. Those that the provider runs need a price or a permission.',
  tool_choice: '`auto`, `any`, `tool` or `none`, as an object with that `type`.',
  thinking: 'Whether the model thinks first, as an object with a `type`.',
  output_config: 'Effort and format of the answer.',
};
const words = {
  ...inputWords,
  max_tokens: 'Maximum number of tokens to generate; 0 only fills the cache.',
  stream: 'True returns named server-sent events. Default false.',
  stop_sequences: 'Texts that end the answer.',
  temperature: "Default: the model's own.",
  top_p: "Default: the model's own.",
  top_k: "Default: the model's own.",
  metadata: '`user_id`: end-user identifier for monitoring.',
};

const question = [{ role: 'user', content: 'Hello' }];

const createMessage = operation({
  method: 'post',
  path: '/messages',
  id: 'createMessage',
  tag: 'Chat',
  level: 'chat',
  summary: "Message (Anthropic's API)",
  description:
    "For Anthropic's SDKs and agents. Request and answer are those of Anthropic's Messages API; `anthropic-beta` and fields that are not listed are passed on to the model. The key may be sent as `x-api-key`.",
  parameters: [requestHeader('anthropic-version'), requestHeader('Idempotency-Key')],
  body: {
    content: jsonContent('MessagesRequest', messagesBody, {
      words,
      shown: ({ model }) => ({
        examples: {
          text: { summary: 'A question', value: { model: model('chat'), max_tokens: 100, messages: question } },
          stream: {
            summary: 'Streaming',
            value: { model: model('chat'), max_tokens: 100, messages: question, stream: true },
          },
        },
      }),
    }),
  },
  answer: z.void(),
  responses: {
    200: {
      description: "The model's message; with `stream` true as server-sent events.",
      headers: headers('request-id', 'Idempotency-Replayed'),
      content: { 'application/json': { schema: refOf(message) }, 'text/event-stream': stream },
      examples: ({ model }) => one('The message', messageOf(model('chat'))),
    },
  },
  errors: callErrors,
  errorForm: 'messages',
  upstreamRefusals: [400, 413, 422],
  handle: ({ ctx, deps }) => deps.during(() => serveCall(deps, ctx, 'messages')),
});

const countMessageTokens = operation({
  method: 'post',
  path: '/messages/count_tokens',
  id: 'countMessageTokens',
  tag: 'Chat',
  level: 'chat',
  summary: 'Count the input of a message',
  description: "The provider's own count where it has one, else the gateway's. Costs nothing.",
  parameters: [requestHeader('anthropic-version')],
  body: {
    content: jsonContent('MessagesTokenCountRequest', countTokensBody, {
      words: inputWords,
      shown: ({ model }) => ({
        examples: { text: { summary: 'A question', value: { model: model('chat'), messages: question } } },
      }),
    }),
  },
  answer: z.void(),
  responses: {
    200: {
      description: 'The count.',
      headers: headers('request-id'),
      content: { 'application/json': { schema: refOf(counted) } },
      examples: () => one('The count', { input_tokens: 8 }),
    },
  },
  errors: modelErrors,
  errorForm: 'messages',
  upstreamRefusals: [400, 413, 422],
  handle: ({ ctx, deps }) => deps.during(() => serveCountTokens(deps, ctx, 'messages')),
});

export const messagesOperations = [createMessage, countMessageTokens];

const messageOf = (model: string) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model,
  content: [{ type: 'text', text: 'Hello! How can I help?' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 8, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 7 },
});
