/** Embeddings: straight through as chat, and charged by what was read. */
import * as z from 'zod';
import { serveCall } from '../../chat/serve-call.ts';
import { embeddingsBody } from '../../domain/requests/embeddings-request.ts';
import { callErrors } from '../openapi/error-lists.ts';
import { one } from '../openapi/examples.ts';
import { headers, requestHeader } from '../openapi/headers.ts';
import { jsonContent } from '../openapi/json-body.ts';
import { answer, refOf } from '../openapi/schemas.ts';
import { operation } from '../public-operation.ts';

const count = z.int().min(0);
const embeddings = answer(
  'Embeddings',
  z
    .looseObject({
      object: z.literal('list'),
      data: z.array(
        z.looseObject({
          object: z.literal('embedding'),
          index: count,
          embedding: z
            .union([z.array(z.number()), z.string()])
            .describe('Numbers; with `encoding_format` `base64` little-endian 32-bit floats.'),
        }),
      ),
      model: z.string().describe('The model actually used.'),
      usage: z.looseObject({ prompt_tokens: count, total_tokens: count }).optional(),
    })
    .describe("The upstream's own answer, handed on as it came."),
);

const words = {
  model: 'Model id.',
  input: 'A text, a list of texts, a list of tokens, or a list of such lists.',
  dimensions: "Length of the vectors. Default: the model's own.",
  encoding_format: '`float` (default) or `base64`, as the model writes it.',
  user: 'End-user identifier for monitoring.',
};

export const embeddingsOperation = operation({
  method: 'post',
  path: '/embeddings',
  id: 'createEmbeddings',
  tag: 'Embeddings',
  level: 'chat',
  summary: 'Create embeddings',
  description:
    'For models of kind `embedding`. The answer is passed on byte for byte. Fields that are not listed are passed on to the model. A call whose answer is lost on its way is sent again.',
  parameters: [requestHeader('Idempotency-Key')],
  body: {
    content: jsonContent('EmbeddingsRequest', embeddingsBody, {
      words,
      shown: ({ model }) => ({
        examples: {
          text: { summary: 'A text', value: { model: model('embedding'), input: 'A toll gate' } },
          texts: {
            summary: 'Several, shorter',
            value: { model: model('embedding'), input: ['A toll gate', 'A bridge'], dimensions: 64 },
          },
        },
      }),
    }),
  },
  answer: z.void(),
  responses: {
    200: {
      description: 'The vectors.',
      headers: headers('Idempotency-Replayed'),
      content: { 'application/json': { schema: refOf(embeddings) } },
      examples: ({ model }) => one('The vectors', embeddingsOf(model('embedding'))),
    },
  },
  errors: callErrors,
  upstreamRefusals: [400, 413, 422],
  handle: ({ ctx, deps }) => deps.during(() => serveCall(deps, ctx, 'embeddings')),
});

const embeddingsOf = (model: string) => ({
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: [0.6, -0.8] }],
  model,
  usage: { prompt_tokens: 3, total_tokens: 3 },
});
