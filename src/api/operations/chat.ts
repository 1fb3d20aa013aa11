/** Chat completions: straight through, held before and charged after. */
import * as z from 'zod';
import { chatBody } from '../../domain/requests/chat-request.ts';
import { serveCall } from '../../chat/serve-call.ts';
import { callErrors } from '../openapi/error-lists.ts';
import { errorAnswer } from '../openapi/error-object.ts';
import { exampleCreated, one } from '../openapi/examples.ts';
import { headers, requestHeader } from '../openapi/headers.ts';
import { jsonContent } from '../openapi/json-body.ts';
import { answer, refOf } from '../openapi/schemas.ts';
import { jsonEvent, streamed } from '../openapi/streams.ts';
import { operation } from '../public-operation.ts';

const count = z.int().min(0);
const usage = answer('Usage', z.looseObject({ prompt_tokens: count, completion_tokens: count, total_tokens: count }));

const completion = answer(
  'ChatCompletion',
  z
    .looseObject({
      id: z.string(),
      object: z.literal('chat.completion'),
      created: z.int(),
      model: z.string().describe('The model actually used.'),
      choices: z.array(
        z.looseObject({
          index: count,
          message: z.looseObject({ role: z.string(), content: z.unknown() }),
          finish_reason: z.string().nullable(),
        }),
      ),
      usage: usage.optional(),
    })
    .describe("The upstream's own answer, handed on as it came."),
);

const chunk = answer(
  'ChatCompletionChunk',
  z
    .looseObject({
      id: z.string(),
      object: z.literal('chat.completion.chunk'),
      created: z.int().optional(),
      model: z.string().optional(),
      choices: z.array(
        z.looseObject({
          index: count,
          delta: z.looseObject({ content: z.string().nullish().describe('Incremental text.') }),
          finish_reason: z.string().nullish().describe('`stop` or `length` on the last chunk, otherwise null.'),
        }),
      ),
      usage: usage.nullish().describe('On the last chunk only, and only if it was asked for.'),
    })
    .describe('One `data: ` line of a stream. The stream ends with `data: [DONE]`.'),
);
const stream = streamed(
  { anyOf: [{ const: '[DONE]' }, jsonEvent(refOf(chunk), refOf(errorAnswer))] },
  'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}\n\ndata: [DONE]\n\n',
);

const words = {
  model: 'Model id.',
  messages: 'The conversation so far; `content` is a string or an array of parts (vision input).',
  stream: 'True returns server-sent events. Default false.',
  stream_options: '`include_usage`: ask for a last chunk with the usage.',
  max_tokens: "Maximum number of tokens to generate. Default: the model's own.",
  max_completion_tokens: 'A newer name of `max_tokens`.',
  temperature: 'Default 1.',
  top_p: 'Default 1.',
  stop: 'At most 4 stop sequences.',
  frequency_penalty: 'Default 0.',
  presence_penalty: 'Default 0.',
  n: 'Number of replies. Default 1.',
  response_format: '`{type: json_object}` enables JSON mode.',
  seed: 'Makes output more stable for the same prompt.',
  logprobs: 'Default false.',
  top_logprobs: 'Number of most likely tokens returned. Used with `logprobs`.',
  tools: 'Function-call tool definitions. The model must support them.',
  tool_choice: '`auto`, `none`, `required`, or the tool to call.',
  user: 'End-user identifier for monitoring.',
};

export const createChatCompletion = operation({
  method: 'post',
  path: '/chat/completions',
  id: 'createChatCompletion',
  tag: 'Chat',
  level: 'chat',
  summary: 'Chat completion',
  description:
    'Streaming (SSE) and non-streaming. Fields that are not listed are passed on to the model. Code-generation models may also be called here.',
  parameters: [requestHeader('Idempotency-Key')],
  body: {
    content: jsonContent('ChatCompletionRequest', chatBody, {
      words,
      shown: ({ model }) => ({
        examples: {
          text: {
            summary: 'A question',
            value: { model: model('chat'), messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 },
          },
          stream: {
            summary: 'Streaming',
            value: { model: model('chat'), messages: [{ role: 'user', content: 'Hello' }], stream: true },
          },
          vision: {
            summary: 'With an image',
            value: {
              model: model('chat'),
              messages: [
                {
                  role: 'user',
                  content: [
                    { type: 'text', text: 'What is this?' },
                    { type: 'image_url', image_url: { url: onePixel } },
                  ],
                },
              ],
            },
          },
        },
      }),
    }),
  },
  answer: z.void(),
  responses: {
    200: {
      description: "The model's answer; with `stream` true as server-sent events.",
      headers: headers('Idempotency-Replayed'),
      content: { 'application/json': { schema: refOf(completion) }, 'text/event-stream': stream },
      examples: ({ model }) => one('The answer', completionOf(model('chat'))),
    },
  },
  errors: callErrors,
  upstreamRefusals: [400, 413, 422],
  handle: ({ ctx, deps }) => deps.during(() => serveCall(deps, ctx, 'chat/completions')),
});

/** A red pixel. */
const onePixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';

const completionOf = (model: string) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: exampleCreated,
  model,
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hello! How can I help?', refusal: null },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
});
