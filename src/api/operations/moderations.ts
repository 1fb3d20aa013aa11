/** Moderations: straight through, charged by the call. */
import * as z from 'zod';
import { serveCall } from '../../chat/serve-call.ts';
import { moderationsBody } from '../../domain/requests/moderations-request.ts';
import { callErrors } from '../openapi/error-lists.ts';
import { one } from '../openapi/examples.ts';
import { headers, requestHeader } from '../openapi/headers.ts';
import { jsonContent } from '../openapi/json-body.ts';
import { answer, refOf } from '../openapi/schemas.ts';
import { operation } from '../public-operation.ts';

const moderation = answer(
  'Moderation',
  z
    .looseObject({
      id: z.string(),
      model: z.string().describe('The model actually used.'),
      results: z.array(
        z.looseObject({
          flagged: z.boolean(),
          categories: z.record(z.string(), z.boolean()),
          category_scores: z.record(z.string(), z.number()),
        }),
      ),
    })
    .describe("The upstream's own answer, handed on as it came."),
);

const words = {
  model: "Model id. Default: the gateway's first model of kind `moderation`.",
  input: 'A text, a list of texts, or a list of parts of types `text` and `image_url`.',
};

export const createModeration = operation({
  method: 'post',
  path: '/moderations',
  id: 'createModeration',
  tag: 'Embeddings',
  level: 'chat',
  summary: 'Check texts and images for harmful content',
  description: 'For models of kind `moderation`. Fields that are not listed are passed on to the model.',
  parameters: [requestHeader('Idempotency-Key')],
  body: {
    content: jsonContent('ModerationRequest', moderationsBody, {
      words,
      shown: ({ model }) => ({
        examples: {
          text: { summary: 'A text', value: { model: model('moderation'), input: 'A toll gate' } },
          texts: { summary: 'Several', value: { model: model('moderation'), input: ['A toll gate', 'A bridge'] } },
        },
      }),
    }),
  },
  answer: z.void(),
  responses: {
    200: {
      description: 'The results.',
      headers: headers('Idempotency-Replayed'),
      content: { 'application/json': { schema: refOf(moderation) } },
      examples: ({ model }) => one('The results', moderationOf(model('moderation'))),
    },
  },
  errors: callErrors,
  upstreamRefusals: [400, 413, 422],
  handle: ({ ctx, deps }) => deps.during(() => serveCall(deps, ctx, 'moderations')),
});

const moderationOf = (model: string) => ({
  id: 'modr-1',
  model,
  results: [{ flagged: false, categories: { violence: false }, category_scores: { violence: 0.001 } }],
});
