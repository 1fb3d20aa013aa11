/** Why an answer ended: what chat calls it, in the words of the other forms. */
import { unexpected } from './answer-parts.ts';

export type AnswerEnd = 'whole' | 'length' | 'filtered' | 'calls';

const ends: ReadonlyMap<string, AnswerEnd> = new Map([
  ['stop', 'whole'],
  ['length', 'length'],
  ['model_length', 'length'], // Mistral: the context is full
  ['max_tokens', 'length'],
  ['content_filter', 'filtered'],
  ['tool_calls', 'calls'],
  ['function_call', 'calls'],
]);
/** OpenRouter's and DeepSeek's, for answers that broke off at the upstream. */
const failures: ReadonlySet<string> = new Set(['error', 'insufficient_system_resource']);

/**
 * Returns how an answer ended. A reason that is absent or not known is taken for the usual one, as the answer came whole;
 * with tool calls the usual one is to have them run, and some vendors say `stop` there.
 */
export function answerEnd(reason: string | undefined, hasCalls: boolean): AnswerEnd {
  const end = ends.get(reason ?? 'stop') ?? 'whole';
  if (end === 'whole' || end === 'calls') return hasCalls ? 'calls' : 'whole';
  return end;
}

/** Throws GatewayError for a reason that is a failure. */
export function refuseFailure(reason: string): void {
  if (failures.has(reason)) throw unexpected(`ended with '${reason}'`);
}
