/** What the gateway has to know of a whole answer, one that was not streamed. */
import { toolCallsIn } from '../usage/tool-calls.ts';
import type { CallEndpoint } from '../call-endpoints.ts';
import { isObject } from '../json/json-object.ts';
import { isUsage, type UsageForm } from '../usage/vendor-usage.ts';
import { type AnswerStatement, textIn } from './answer-statement.ts';
import { type JsonReading, readJson } from './json-reading.ts';
import { chatAnswerText, messagesAnswerText, responsesAnswerText, transcriptText } from './produced-text.ts';

export interface AnswerFacts {
  /** Whether it has an `error`. */
  hasError: boolean;
  /** Whether it has what was asked for, such as `choices` or the `output` of a response. */
  hasOutput: boolean;
  stated: AnswerStatement;
  /** The text that has to be counted without it; else empty. */
  produced: string;
}

interface AnswerForm {
  /** Of its usage. */
  form: UsageForm;
  /** The member that has what was made. */
  made: string;
  /** The text of what was made, where that is tokens. */
  textOf?: typeof chatAnswerText;
}

const forms: Readonly<Record<CallEndpoint, AnswerForm>> = {
  'chat/completions': { form: 'chat', made: 'choices', textOf: chatAnswerText },
  responses: { form: 'responses', made: 'output', textOf: responsesAnswerText },
  'responses/compact': { form: 'responses', made: 'output', textOf: responsesAnswerText },
  messages: { form: 'messages', made: 'content', textOf: messagesAnswerText },
  completions: { form: 'chat', made: 'choices', textOf: chatAnswerText },
  embeddings: { form: 'input', made: 'data' },
  moderations: { form: 'input', made: 'results' },
  rerank: { form: 'input', made: 'results' },
  'audio/speech': { form: 'responses', made: 'audio' },
  'audio/transcriptions': { form: 'responses', made: 'text', textOf: transcriptText },
  'audio/translations': { form: 'responses', made: 'text', textOf: transcriptText },
};

/** Of a text without a usage, which alone is parsed for its text: 250,000 tokens; with log probabilities, some thousands. Some 100 MB of the heap for a moment. */
const valuesMax = 1_000_000;

/** The facts of an answer that is nothing but text. */
export const plainAnswerFacts = (bytes: Buffer): AnswerFacts => ({
  hasError: false,
  hasOutput: true,
  stated: { id: undefined, tier: undefined, usage: undefined, toolCalls: {} },
  produced: bytes.toString(),
});

/**
 * Reads an answer; undefined if it is no JSON object. With a usage in it the text is not looked at, unless
 * `countsTools`: then the calls of hosted tools in a response are counted. Throws TooManyValues.
 */
export function answerFacts(
  endpoint: CallEndpoint,
  bytes: Buffer,
  { countsTools = false }: { countsTools?: boolean } = {},
): AnswerFacts | undefined {
  const { form, made, textOf } = forms[endpoint];
  try {
    const answer = readJson(bytes, ['id', 'usage', 'service_tier', 'error', 'meta', made], valuesMax);
    if (!answer) return undefined;
    const found = endpoint === 'rerank' ? rerankUsage(answer) : answer.value('usage');
    const usage = isUsage(form, found) ? found : undefined;
    return {
      hasError: answer.isObject('error'),
      hasOutput: answer.isList(made),
      stated: {
        id: textIn(answer.value('id')),
        tier: textIn(form === 'messages' && isObject(found) ? found['service_tier'] : answer.value('service_tier')),
        usage,
        toolCalls: form === 'responses' && countsTools ? toolCallsIn(answer.value(made)) : {},
      },
      produced: usage || !textOf ? '' : textOf({ [made]: answer.value(made) }),
    };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** What was read, with what Cohere says of it in `meta`, where it counts searches. */
function rerankUsage(answer: JsonReading): unknown {
  const usage = answer.value('usage');
  const billed = answer.object('meta', ['billed_units'])?.value('billed_units');
  return isObject(billed) ? { ...(isObject(usage) && usage), ...billed } : usage;
}
