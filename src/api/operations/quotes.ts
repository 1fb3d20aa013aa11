/** Quotes: what an operation would hold for a body, before anything is spent. */
import * as z from 'zod';
import { GatewayError } from '../../domain/errors.ts';
import { anObject, oneOf } from '../../domain/requests/fields.ts';
import { parseWith } from '../../domain/requests/parse.ts';
import { namesOf, readMembers } from '../body/json-names.ts';
import { requestJson } from '../body/request-json.ts';
import { modelErrors } from '../openapi/error-lists.ts';
import { one } from '../openapi/examples.ts';
import { jsonContent } from '../openapi/json-body.ts';
import { quoteRecord } from '../presenters/quotes.ts';
import { operation } from '../public-operation.ts';
import { namesOfQuoted, quotedPaths, quoteOf } from './quotes/quote-of-body.ts';

const quoteBody = z.object({ path: oneOf(quotedPaths), body: anObject });
const names = namesOf(quoteBody);

export const createQuote = operation({
  method: 'post',
  path: '/quotes',
  id: 'createQuote',
  tag: 'Tasks',
  level: 'read',
  summary: 'Quote the hold of an operation',
  description: 'The body is judged as the operation judges it; nothing is counted, held or stored.',
  body: {
    content: jsonContent('QuoteRequest', quoteBody, {
      words: {
        path: 'The path of the operation, without the root.',
        body: 'What would be sent to it; of avatar-talk `{audio_seconds}`.',
      },
      shown: ({ model }) => ({
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
      }),
    }),
  },
  answer: quoteRecord,
  responses: {
    200: {
      description: 'The quote.',
      examples: ({ currency, model }) =>
        one('An image', {
          object: 'quote',
          model: model('image'),
          hold: 0.4,
          currency,
          unit: 'image',
          units: 2,
          unit_price: 0.2,
        }),
    },
  },
  errors: [...modelErrors, 'response_not_found'],
  handle: async ({ ctx, deps }) => {
    const { bytes, value, members } = await requestJson(deps, ctx, { names, places: ['body'] });
    const { path, body } = parseWith(quoteBody, value);
    // As the operation would get it: the hold of a call depends on its bytes.
    const written = members?.found.at(-1);
    const inner = { bytes: bytes.subarray(written?.start, written?.end), value: body };
    try {
      readMembers(inner.bytes, body, namesOfQuoted[path], []);
      return await quoteOf(deps, ctx, path, inner);
    } catch (error) {
      throw error instanceof GatewayError && error.param !== null ? belowBody(error, error.param) : error;
    }
  },
});

/** The fault lies below `body` in the request that was sent. */
function belowBody({ code, message, retryAfterSeconds, cause }: GatewayError, param: string): GatewayError {
  const text = message.startsWith(`'${param}'`) ? `'body.${message.slice(1)}` : message;
  return new GatewayError(code, text, {
    param: `body.${param}`,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    cause,
  });
}
