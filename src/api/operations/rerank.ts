/** Rankings of documents, in Cohere's and Jina's form: straight through, charged by the search or by the token. */
import * as z from 'zod';
import { serveCall } from '../../chat/serve-call.ts';
import { rerankBody } from '../../domain/requests/rerank-request.ts';
import { callErrors } from '../openapi/error-lists.ts';
import { one } from '../openapi/examples.ts';
import { headers, requestHeader } from '../openapi/headers.ts';
import { jsonContent } from '../openapi/json-body.ts';
import { answer, refOf } from '../openapi/schemas.ts';
import { operation } from '../public-operation.ts';

const count = z.int().min(0);
const ranking = answer(
  'Ranking',
  z
    .looseObject({
      results: z
        .array(z.looseObject({ index: count, relevance_score: z.number() }))
        .describe('The most relevant first.'),
      usage: z.looseObject({ total_tokens: count }).optional(),
      meta: z.looseObject({}).optional(),
    })
    .describe("The upstream's own answer, handed on as it came."),
);

const words = {
  model: 'Model id.',
  query: 'What the documents should be about.',
  documents: 'Texts, or objects as the model takes them.',
  top_n: 'How many results are returned. Default: all.',
  return_documents: 'Whether results have their documents. Default false.',
};

export const createRanking = operation({
  method: 'post',
  path: '/rerank',
  id: 'createRanking',
  tag: 'Embeddings',
  level: 'chat',
  summary: 'Documents by their relevance to a query',
  description: 'For models of kind `rerank`. Fields that are not listed are passed on to the model.',
  parameters: [requestHeader('Idempotency-Key')],
  body: {
    content: jsonContent('RankingRequest', rerankBody, {
      words,
      shown: ({ model }) => ({
        examples: {
          texts: {
            summary: 'Texts',
            value: { model: model('rerank'), query: 'toll', documents: ['A toll gate', 'A bridge'], top_n: 1 },
          },
        },
      }),
    }),
  },
  answer: z.void(),
  responses: {
    200: {
      description: 'The ranking.',
      headers: headers('Idempotency-Replayed'),
      content: { 'application/json': { schema: refOf(ranking) } },
      examples: ({ model }) => one('The ranking', rankingOf(model('rerank'))),
    },
  },
  errors: callErrors,
  upstreamRefusals: [400, 413, 422],
  handle: ({ ctx, deps }) => deps.during(() => serveCall(deps, ctx, 'rerank')),
});

const rankingOf = (model: string) => ({
  id: 'rerank-1',
  model,
  results: [{ index: 0, relevance_score: 0.95 }],
  meta: { billed_units: { search_units: 1 } },
});
