/** Quotes in the document. */
import * as z from 'zod';
import { quoteBody } from '../routes/quotes.ts';
import { costLine } from './account.ts';
import { modelErrors } from './errors.ts';
import type { Group } from './operation.ts';
import { answer, refOf, request } from './schemas.ts';

const quote = answer(
  'Quote',
  z.strictObject({
    object: z.literal('quote'),
    model: z.string(),
    hold: z.number().describe('The amount that would be held, in yuan.'),
    currency: z.literal('CNY'),
    unit: z.enum(['image', 'second', 'token']),
    units: z.number(),
    unit_price: z.number().nullable(),
    lines: z.array(costLine).optional().describe('Of chat and responses.'),
    reason: z.string().optional(),
  }),
);

const quoteRequest = request('QuoteRequest', quoteBody, {
  path: 'The path of the operation, without the root.',
  body: 'What would be sent to it; of avatar-talk `{audio_seconds}`.',
});

export const quoteOperations: Group = ({ model }) => [
  {
    method: 'post',
    path: '/quotes',
    id: 'createQuote',
    tag: 'Tasks',
    level: 'read',
    summary: 'What an operation would hold',
    description: 'The body is judged as the operation judges it; nothing is counted, held or stored.',
    body: {
      content: {
        'application/json': {
          schema: quoteRequest,
          examples: {
            image: {
              summary: 'An image',
              value: { path: '/images/generations', body: { model: model('image'), prompt: 'A toll gate', n: 2 } },
            },
            talk: {
              summary: 'An avatar-talk video',
              value: { path: '/svctalk/generate', body: { model: model('avatar-talk'), audio_seconds: 12.4 } },
            },
          },
        },
      },
    },
    answers: { 200: { description: 'The quote.', content: { 'application/json': { schema: refOf(quote) } } } },
    errors: [...modelErrors, 'response_not_found'],
  },
];
