/** Legacy completions: straight through as chat, for the models whose provider still has them. */
import * as z from 'zod';
import { serveCall } from '../../chat/serve-call.ts';
import { completionsBody } from '../../domain/requests/completions-request.ts';
import { callErrors } from '../openapi/error-lists.ts';
import { exampleCreated, one } from '../openapi/examples.ts';
import { headers, requestHeader } from '../openapi/headers.ts';
import { jsonContent } from '../openapi/json-body.ts';
import { answer, refOf } from '../openapi/schemas.ts';
import { jsonEvent, streamed } from '../openapi/streams.ts';
import { operation } from '../public-operation.ts';

const count = z.int().min(0);
const completion = answer(
  'TextCompletion',
  z
    .looseObject({
      id: z.string(),
      object: z.literal('text_completion'),
      created: z.int(),
      model: z.string().describe('The model actually used.'),
      choices: z.array(z.looseObject({ text: z.string(), index: count, finish_reason: z.string().nullish() })),
      usage: z.looseObject({ prompt_tokens: count, completion_tokens: count, total_tokens: count }).nullish(),
    })
    .describe("The upstream's own answer, handed on as it came; of a stream one `data: ` line."),
);
const stream = streamed(
  { anyOf: [{ const: '[DONE]' }, jsonEvent({ type: 'object' })] },
  'data: {"id":"cmpl-1","object":"text_completion","choices":[{"text":"Hello","index":0,"finish_reason":null}]}\n\ndata: [DONE]\n\n',
);

const words = {
  model: 'Model id.',
  prompt: 'A text, a list of texts, a list of tokens, or a list of such lists; each is completed.',
  stream: 'True returns server-sent events. Default false.',
  stream_options: '`include_usage`: ask for a last chunk with the usage.',
  max_tokens: "Maximum number of tokens to generate. Default: the model's own.",
  n: 'Number of completions of each prompt. Default 1.',
  temperature: 'Default 1.',
  top_p: 'Default 1.',
  stop: 'At most 4 stop sequences.',
  frequency_penalty: 'Default 0.',
  presence_penalty: 'Default 0.',
  echo: 'True repeats the prompt before the completion.',
  suffix: 'What comes after the completion.',
  user: 'End-user identifier for monitoring.',
};

export const createCompletion = operation({
  method: 'post',
  path: '/completions',
  id: 'createCompletion',
  tag: 'Chat',
  level: 'chat',
  summary: 'Text completion (legacy)',
  description:
    'For chat and code models whose provider has the endpoint. Streaming (SSE) and non-streaming. Fields that are not listed are passed on to the model.',
  parameters: [requestHeader('Idempotency-Key')],
  body: {
    content: jsonContent('CompletionRequest', completionsBody, {
      words,
      shown: ({ model }) => ({
        examples: {
          text: { summary: 'A text', value: { model: model('chat'), prompt: 'Once upon a time', max_tokens: 50 } },
          stream: { summary: 'Streaming', value: { model: model('chat'), prompt: 'Once upon a time', stream: true } },
        },
      }),
    }),
  },
  answer: z.void(),
  responses: {
    200: {
      description: "The model's completion; with `stream` true as server-sent events.",
      headers: headers('Idempotency-Replayed'),
      content: { 'application/json': { schema: refOf(completion) }, 'text/event-stream': stream },
      examples: ({ model }) => one('The completion', completionOf(model('chat'))),
    },
  },
  errors: callErrors,
  upstreamRefusals: [400, 413, 422],
  handle: ({ ctx, deps }) => deps.during(() => serveCall(deps, ctx, 'completions')),
});

const completionOf = (model: string) => ({
  id: 'cmpl-1',
  object: 'text_completion',
  created: exampleCreated,
  model,
  choices: [{ text: ' there was a toll gate.', index: 0, logprobs: null, finish_reason: 'stop' }],
  usage: { prompt_tokens: 4, completion_tokens: 6, total_tokens: 10 },
});
