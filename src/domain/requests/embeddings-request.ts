/**
 * The embeddings request, checked but not changed: the body is forwarded as it came. Fields that are not known here pass:
 * what an upstream makes of them is its own affair.
 */
import { z } from 'zod';
import { embeddingItemsMax, embeddingTokensMax } from '../limits.ts';
import { integerFrom, modelId, oneOf, text } from './fields.ts';
import { parseWith } from './parse.ts';
import { tokenInput, type TokenInput } from './token-input.ts';
import { type Allowed, refuseUnpriced } from './unpriced.ts';

export const inputTokensRule = `must have at most ${embeddingTokensMax} tokens in all`;

export const embeddingsBody = z.object({
  model: modelId,
  input: tokenInput({
    rule: `must be a non-empty string, a non-empty array of tokens, or an array of 1 to ${embeddingItemsMax} of either`,
    itemsMax: embeddingItemsMax,
    tokensMax: embeddingTokensMax,
    tokensRule: inputTokensRule,
    charactersMin: 1,
  }),
  dimensions: integerFrom(1).nullish(),
  encoding_format: oneOf(['float', 'base64']).nullish(),
  user: text.nullish(),
});

/**
 * The input of an embeddings body. Refuses with `missing_parameter` or `invalid_parameter` and the path of the first fault.
 * What costs money upstream and has no price here is refused unless it is `allowed`.
 */
export function parseEmbeddingsRequest(body: unknown, allowed: Allowed = []): TokenInput {
  const { input } = parseWith(embeddingsBody, body);
  refuseUnpriced(body, allowed);
  return input;
}
