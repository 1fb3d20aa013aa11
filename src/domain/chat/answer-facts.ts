/** What the gateway has to know of a whole answer, one that was not streamed. */
import type { TokenCounts } from '../billing/pricing.ts';
import { readJson } from './json-reading.ts';
import { chatAnswerText, responsesAnswerText } from './produced-text.ts';
import { chatUsage, responsesUsage } from './token-usage.ts';

export interface AnswerFacts {
  /** Whether it has an `error`. */
  hasError: boolean;
  /** Whether it has what was asked for: `choices`, or the `output` of a response. */
  hasOutput: boolean;
  id: string | undefined;
  /** Undefined when it is absent or nonsense. */
  usage: TokenCounts | undefined;
  /** The text that has to be counted without it; else empty. */
  produced: string;
}

/** Of a text without a usage, which alone is parsed for its text: 250,000 tokens; with log probabilities, some thousands. Some 100 MB of the heap for a moment. */
const valuesMax = 1_000_000;

/**
 * Reads an answer; undefined if it is no JSON object. With a usage in it the text is not looked at. Throws
 * TooManyValues.
 */
export function answerFacts(endpoint: 'chat/completions' | 'responses', bytes: Buffer): AnswerFacts | undefined {
  const isResponse = endpoint === 'responses';
  const made = isResponse ? 'output' : 'choices';
  try {
    const answer = readJson(bytes, ['id', 'usage', 'error', made], valuesMax);
    if (!answer) return undefined;
    const id = answer.value('id');
    const usage = isResponse ? responsesUsage(answer.value('usage')) : chatUsage(answer.value('usage'));
    const textOf = isResponse ? responsesAnswerText : chatAnswerText;
    return {
      hasError: answer.isObject('error'),
      hasOutput: answer.isList(made),
      id: typeof id === 'string' ? id : undefined,
      usage,
      produced: usage ? '' : textOf({ [made]: answer.value(made) }),
    };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
