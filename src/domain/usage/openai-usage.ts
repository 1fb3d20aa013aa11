/**
 * The usage of chat completions and of responses, as OpenAI has it and as others have extended it. The prompt's count is
 * the whole prompt's: caches and modalities are parts of it. So is the output's, with thoughts in it.
 */
import { type MeasuredCounts, noToolCalls, type TokenCounts } from '../billing/token-counts.ts';
import { isObject, type JsonObject } from '../json/json-object.ts';
import { cacheWritesIn } from './cache-writes.ts';
import { countIn, countOf, findUnknownCounts, isCount, objectIn, type Odd } from './usage-fields.ts';

interface Names {
  prompt: string;
  promptDetails: string;
  output: string;
  outputDetails: string;
}

export const chatNames: Names = {
  prompt: 'prompt_tokens',
  promptDetails: 'prompt_tokens_details',
  output: 'completion_tokens',
  outputDetails: 'completion_tokens_details',
};
export const responsesNames: Names = {
  prompt: 'input_tokens',
  promptDetails: 'input_tokens_details',
  output: 'output_tokens',
  outputDetails: 'output_tokens_details',
};

export const hasOpenAiCounts = ({ prompt, output }: Names, usage: unknown): usage is JsonObject =>
  isObject(usage) && isCount(usage[prompt]) && isCount(usage[output]);

/** Returns prompt and output of a response's usage together; undefined where one of them is no count. */
export function wholeTokens({ input_tokens: input, output_tokens: output }: JsonObject): number | undefined {
  return isCount(input) && isCount(output) ? input + output : undefined;
}

/** Every count of tokens that is read below, or is a part of one that is. */
const known = new Set([
  ...['prompt_tokens', 'completion_tokens', 'input_tokens', 'output_tokens', 'total_tokens'],
  ...['cached_tokens', 'cache_write_tokens', 'prompt_cache_hit_tokens', 'prompt_cache_miss_tokens'],
  ...['cache_read_input_tokens', 'cache_creation_input_tokens'],
  ...['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens'],
  ...['text_tokens', 'audio_tokens', 'image_tokens', 'video_tokens', 'reasoning_tokens'],
  // Of a predicted output: what was not used of it is billed as output, and is counted there.
  ...['accepted_prediction_tokens', 'rejected_prediction_tokens'],
]);

/** Returns the counts of a usage that has both its whole counts; notes what is odd. */
export function readOpenAiUsage(names: Names, usage: JsonObject, odd: Odd): TokenCounts {
  const prompt = countOf(usage[names.prompt], odd) ?? 0;
  const output = countOf(usage[names.output], odd) ?? 0;
  const outputDetails = objectIn(usage[names.outputDetails]);
  const thoughts = countIn([outputDetails['reasoning_tokens'], usage['reasoning_tokens']], odd) ?? 0;
  const whole = wholeOutput(usage, { prompt, output, thoughts }, odd);
  findUnknownCounts(usage, known, odd);
  // Transcriptions have the name in the singular.
  const details = objectIn(usage[names.promptDetails] ?? usage['input_token_details']);
  const input = promptParts(usage, details, prompt, odd);
  const made = outputParts(outputDetails, { whole, output, thoughts }, odd);
  return {
    fresh: input.fresh,
    cacheRead: input.cacheRead,
    cacheWrite5m: input.cacheWrite5m,
    cacheWrite1h: input.cacheWrite1h,
    audioIn: input.audioIn,
    imageIn: input.imageIn,
    output: made.output,
    audioOut: made.audioOut,
    imageOut: made.imageOut,
    reasoning: made.reasoning,
    characters: 0,
    seconds: 0,
    searches: 0,
    toolCalls: noToolCalls,
  };
}

type OutputCounts = Pick<TokenCounts, 'output' | 'audioOut' | 'imageOut' | 'reasoning'>;
type InputCounts = Omit<TokenCounts, keyof OutputCounts | keyof MeasuredCounts | 'toolCalls'>;

function promptParts(usage: JsonObject, details: JsonObject, prompt: number, odd: Odd): InputCounts {
  const own: Odd = new Set();
  const [hit, miss] = [usage['prompt_cache_hit_tokens'], usage['prompt_cache_miss_tokens']];
  const cached = [details['cached_tokens'], hit, usage['cache_read_input_tokens'], usage['cached_tokens']];
  const cacheRead = countIn(cached, own) ?? 0;
  const writes = cacheWritesIn(
    [
      details['cache_write_tokens'],
      details['cache_creation_input_tokens'],
      usage['cache_write_tokens'],
      usage['cache_creation_input_tokens'],
    ],
    isObject(details['cache_creation']) ? details['cache_creation'] : usage['cache_creation'],
    own,
  );
  const text = countOf(details['text_tokens'], own);
  const audio = countOf(details['audio_tokens'], own) ?? 0;
  const image = (countOf(details['image_tokens'], own) ?? 0) + (countOf(details['video_tokens'], own) ?? 0);
  const caches = cacheRead + writes.cacheWrite5m + writes.cacheWrite1h;
  if (caches > prompt) own.add('caches_above_prompt');
  if (audio + image > prompt) own.add('parts_above_whole');
  // Some leave what the caches had out of the text.
  if (!isSum(prompt, text, audio + image, caches)) own.add('parts_differ');
  if (isCount(hit) && isCount(miss) && hit + miss !== prompt) own.add('parts_differ');
  if (own.size > 0) {
    for (const reason of own) odd.add(reason);
    return { fresh: prompt, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, audioIn: 0, imageIn: 0 };
  }
  const uncached = prompt - caches;
  const audioIn = Math.min(audio, uncached);
  const imageIn = Math.min(image, uncached - audioIn);
  const { cacheWrite5m, cacheWrite1h } = writes;
  return { fresh: uncached - audioIn - imageIn, cacheRead, cacheWrite5m, cacheWrite1h, audioIn, imageIn };
}

/** Some leave thoughts out of the output's count and not out of the total: then the total is right. */
function wholeOutput(
  usage: JsonObject,
  { prompt, output, thoughts }: { prompt: number; output: number; thoughts: number },
  odd: Odd,
): number {
  const total = countOf(usage['total_tokens'], odd);
  if (total === undefined || total === prompt + output) return output;
  if (thoughts > 0 && total === prompt + output + thoughts) return output + thoughts;
  odd.add('total_differs');
  return Math.max(output, total - prompt);
}

function outputParts(
  details: JsonObject,
  { whole, output, thoughts }: { whole: number; output: number; thoughts: number },
  odd: Odd,
): OutputCounts {
  const own: Odd = new Set();
  const text = countOf(details['text_tokens'], own);
  const audioOut = countOf(details['audio_tokens'], own) ?? 0;
  const imageOut = countOf(details['image_tokens'], own) ?? 0;
  if (audioOut + imageOut > whole || thoughts > whole) own.add('parts_above_whole');
  // Some leave thoughts out of the text.
  const others = audioOut + imageOut;
  if (!isSum(output, text, others, thoughts) && !isSum(whole, text, others, thoughts)) own.add('parts_differ');
  if (own.size > 0) {
    for (const reason of own) odd.add(reason);
    return { output: whole, audioOut: 0, imageOut: 0, reasoning: Math.min(thoughts, whole) };
  }
  const ofText = whole - audioOut - imageOut;
  return { output: ofText, audioOut, imageOut, reasoning: Math.min(thoughts, ofText) };
}

/** Whether text and other modalities make the whole, the text with or without a part that may be left out of it. */
const isSum = (whole: number, text: number | undefined, others: number, leftOut: number): boolean =>
  text === undefined || text + others === whole || text + others + leftOut === whole;
