/** The embeddings request: the forms of its input, their bounds, and the faults that are named. */
import { describe } from 'node:test';
import { embeddingItemsMax, embeddingTokensMax } from '../../../src/domain/limits.ts';
import { parseEmbeddingsRequest } from '../../../src/domain/requests/embeddings-request.ts';
import type { TokenInput } from '../../../src/domain/requests/token-input.ts';
import { accepts, refuses } from './cases.ts';

const of = (input: unknown, more: object = {}) => ({ model: 'sim-embedding', input, ...more });
const many = (count: number, item: unknown) => Array.from({ length: count }, () => item);

describe('an embeddings body', () => {
  accepts<TokenInput>(
    [
      ['a text', of('Hello'), { tokens: undefined }],
      ['the most texts', of(many(embeddingItemsMax, 'a')), { tokens: undefined }],
      ['tokens', of([1, 2, 3]), { tokens: 3 }],
      ['the most tokens', of(many(embeddingTokensMax, 0)), { tokens: embeddingTokensMax }],
      ['lists of tokens', of([[1, 2], [3]]), { tokens: 3 }],
      ['fields that are null or unknown', of('a', { dimensions: null, user: null, made_up: 1 }), { tokens: undefined }],
      ['a format and a length', of('a', { encoding_format: 'base64', dimensions: 8 }), { tokens: undefined }],
    ],
    (body) => parseEmbeddingsRequest(body),
  );

  refuses(
    [
      ['no input', { model: 'sim-embedding' }, 'missing_parameter', 'input'],
      ['an input that is null', of(null), 'missing_parameter', 'input'],
      ['an empty text', of(''), 'invalid_parameter', 'input'],
      ['no items', of([]), 'invalid_parameter', 'input'],
      ['an object', of({ text: 'a' }), 'invalid_parameter', 'input'],
      ['an empty item', of(['a', '']), 'invalid_parameter', 'input[1]'],
      ['an item of another form', of(['a', 1]), 'invalid_parameter', 'input[1]'],
      ['an object among items', of([{ text: 'a' }]), 'invalid_parameter', 'input[0]'],
      ['an empty list of tokens', of([[1], []]), 'invalid_parameter', 'input[1]'],
      ['a token that is none', of([1, -1]), 'invalid_parameter', 'input[1]'],
      ['a token with a fraction', of([[1], [1, 0.5]]), 'invalid_parameter', 'input[1][1]'],
      ['a null among tokens', of([1, null]), 'invalid_parameter', 'input[1]'],
      ['too many items', of(many(embeddingItemsMax + 1, 'a')), 'invalid_parameter', 'input'],
      ['too many lists', of(many(embeddingItemsMax + 1, [1])), 'invalid_parameter', 'input'],
      ['too many tokens', of(many(embeddingTokensMax + 1, 1)), 'invalid_parameter', 'input'],
      ['too many tokens in all', of([many(embeddingTokensMax, 1), [1]]), 'invalid_parameter', 'input'],
      ['an unknown format', of('a', { encoding_format: 'int8' }), 'invalid_parameter', 'encoding_format'],
      ['no dimensions', of('a', { dimensions: 0 }), 'invalid_parameter', 'dimensions'],
      ['a tier without a price', of('a', { service_tier: 'flex' }), 'invalid_parameter', 'service_tier'],
    ],
    (body) => parseEmbeddingsRequest(body),
  );
});
