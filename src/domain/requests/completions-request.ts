/**
 * The request of legacy completions, checked but not changed: the body is forwarded as it came, and only facts are taken
 * from it. Fields that are not known here pass.
 */
import { z } from 'zod';
import {
  choicesMax,
  completionPromptsMax,
  embeddingTokensMax,
  penaltyMax,
  stopSequencesMax,
  temperatureMax,
} from '../limits.ts';
import { flag, integerFrom, listOf, modelId, numberFrom, text } from './fields.ts';
import { parseWith } from './parse.ts';
import { tokenInput } from './token-input.ts';
import { type Allowed, refuseUnpriced } from './unpriced.ts';

/** What the gateway must know of a completion; the rest is the upstream's. */
export interface CompletionsFacts {
  stream: boolean;
  /** Whether the caller asked for the usage-only chunk of a stream. */
  includeUsage: boolean;
  /** Of all prompts together. */
  choices: number;
  /** The caller's limit for each choice. */
  maxOutputTokens?: number;
  /** How many tokens the prompts have that were sent as such; undefined where they are text. */
  tokens: number | undefined;
}

const stopRule = `must be a string or an array of at most ${stopSequencesMax} strings`;

export const completionsBody = z.object({
  model: modelId,
  prompt: tokenInput({
    rule: `must be a string, a non-empty array of tokens, or an array of 1 to ${completionPromptsMax} of either`,
    itemsMax: completionPromptsMax,
    tokensMax: embeddingTokensMax,
    tokensRule: `must have at most ${embeddingTokensMax} tokens in all`,
    charactersMin: 0,
  }),
  stream: flag.nullish(),
  stream_options: z.object({ include_usage: flag.nullish() }, 'must be an object').nullish(),
  // 0 and -1 mean no limit, or nothing, to some upstreams.
  max_tokens: integerFrom(-1).nullish(),
  n: integerFrom(1, choicesMax).nullish(),
  temperature: numberFrom(0, temperatureMax).nullish(),
  top_p: numberFrom(0, 1).nullish(),
  stop: z.union([text, listOf(text, stopRule, { max: stopSequencesMax })], stopRule).nullish(),
  frequency_penalty: numberFrom(-penaltyMax, penaltyMax).nullish(),
  presence_penalty: numberFrom(-penaltyMax, penaltyMax).nullish(),
  echo: flag.nullish(),
  suffix: text.nullish(),
  user: text.nullish(),
});

/**
 * The facts of a completions body. Refuses with `missing_parameter` or `invalid_parameter` and the path of the first fault.
 * What costs money upstream and has no price here is refused unless it is `allowed`.
 */
export function parseCompletionsRequest(body: unknown, allowed: Allowed = []): CompletionsFacts {
  const { prompt, n, max_tokens: limit, ...fields } = parseWith(completionsBody, body);
  refuseUnpriced(body, allowed);
  const stream = fields.stream ?? false;
  return {
    stream,
    includeUsage: stream && fields.stream_options?.include_usage === true,
    choices: (n ?? 1) * prompt.items,
    ...(typeof limit === 'number' && limit > 0 && { maxOutputTokens: limit }),
    tokens: prompt.tokens,
  };
}
