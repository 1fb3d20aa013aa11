/** Input that is text, tokens or a list of either, as embeddings and completions take it. Read by hand: it may be hundreds of thousands of tokens. */
import { z } from 'zod';

export interface TokenInput {
  /** How many texts or lists of tokens there are. */
  items: number;
  /** How many tokens were sent as such; undefined where the input is text. */
  tokens: number | undefined;
}

interface InputBounds {
  /** Of the whole, to be read after the field's name. */
  rule: string;
  itemsMax: number;
  tokensMax: number;
  tokensRule: string;
  /** The least characters of a text. */
  charactersMin: 0 | 1;
}

const tokenRule = 'must be a token: an integer from 0';

const isToken = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const isItems = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length > 0;

/** The schema of such an input; of each form the first fault is found. */
export function tokenInput({ rule, itemsMax, tokensMax, tokensRule, charactersMin }: InputBounds) {
  const isText = (value: unknown): value is string => typeof value === 'string' && value.length >= charactersMin;
  const textRule = charactersMin === 0 ? 'must be a string' : 'must be a non-empty string';
  const items = { minItems: 1, maxItems: itemsMax };
  const token = { type: 'integer', minimum: 0 };
  const textSchema = { type: 'string', ...(charactersMin > 0 && { minLength: charactersMin }) };
  return z
    .custom<string | readonly unknown[]>((value) => isText(value) || isItems(value), rule)
    .transform((value, context): TokenInput => {
      const fault = (message: string, ...path: readonly number[]) => {
        context.addIssue({ code: 'custom', path: [...path], message });
        return z.NEVER;
      };
      if (typeof value === 'string') return { items: 1, tokens: undefined };
      const [first] = value;
      if (typeof first === 'number') {
        const wrong = value.findIndex((item) => !isToken(item));
        if (wrong !== -1) return fault(tokenRule, wrong);
        return value.length > tokensMax ? fault(tokensRule) : { items: 1, tokens: value.length };
      }
      if (value.length > itemsMax) return fault(rule);
      if (typeof first === 'string') {
        const wrong = value.findIndex((item) => !isText(item));
        return wrong === -1 ? { items: value.length, tokens: undefined } : fault(textRule, wrong);
      }
      let tokens = 0;
      for (const [index, item] of value.entries()) {
        if (!isItems(item)) return fault(`${textRule} or a non-empty array of tokens`, index);
        const wrong = item.findIndex((one) => !isToken(one));
        if (wrong !== -1) return fault(tokenRule, index, wrong);
        tokens += item.length;
      }
      return tokens > tokensMax ? fault(tokensRule) : { items: value.length, tokens };
    })
    .meta({
      anyOf: [
        textSchema,
        { type: 'array', ...items, items: textSchema },
        { type: 'array', minItems: 1, maxItems: tokensMax, items: token },
        { type: 'array', ...items, items: { type: 'array', minItems: 1, items: token } },
      ],
    });
}
