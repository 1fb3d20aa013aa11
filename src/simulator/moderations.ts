/** The simulator's moderations: a text is flagged for the words of a short list that it has. */
import { isObject, type JsonObject } from '../domain/json/json-object.ts';

/** Of OpenAI's categories. */
const wordsOf = {
  harassment: ['idiot', 'moron', 'shut up', '白痴', '滚开'],
  'harassment/threatening': ['i will hurt you', '我要打你'],
  hate: ['hate them all', 'subhuman', '劣等民族'],
  'hate/threatening': ['exterminate them', '灭绝他们'],
  illicit: ['pick a lock', 'steal a car', '撬锁', '偷车'],
  'illicit/violent': ['build a bomb', 'make a bomb', '制造炸弹'],
  'self-harm': ['self-harm', 'suicide', '自杀', '自残'],
  'self-harm/intent': ['i want to die', '我想死'],
  'self-harm/instructions': ['how to hang myself', '如何自杀'],
  sexual: ['porn', 'naked', '色情', '裸体'],
  'sexual/minors': ['child porn', '儿童色情'],
  violence: ['kill', 'murder', 'stab', '杀人', '谋杀'],
  'violence/graphic': ['gore', 'dismember', '肢解'],
} as const;
type Category = keyof typeof wordsOf;
const categories = Object.keys(wordsOf) as Category[];

const flaggedScore = 0.95;
const otherScore = 0.001;

/** The text of a body, in which its knobs are. */
export const moderatedText = (body: JsonObject): string => inputsIn(body).map(textOf).join('\n');

/** The answer to a body: a result for each text, or one for all of its parts. */
export function moderationsAnswer(body: JsonObject, id: string): JsonObject {
  const inputs = inputsIn(body);
  const isOfParts = inputs.some(isObject);
  const results = isOfParts
    ? [resultOf(inputs.map(textOf).join('\n'), inputs)]
    : inputs.map((text) => resultOf(textOf(text), [text]));
  return { id, model: body['model'], results };
}

function inputsIn({ input }: JsonObject & { input?: unknown }): readonly unknown[] {
  return Array.isArray(input) ? input : [input];
}

function textOf(item: unknown): string {
  const text = isObject(item) ? item['text'] : item;
  return typeof text === 'string' ? text : '';
}

function resultOf(text: string, inputs: readonly unknown[]): JsonObject {
  const found = new Set(categories.filter((category) => wordsOf[category].some((word) => hasWord(text, word))));
  const types = inputs.some((item) => isObject(item) && item['type'] === 'image_url') ? ['text', 'image'] : ['text'];
  const each = (of: (category: Category) => unknown) => Object.fromEntries(categories.map((name) => [name, of(name)]));
  return {
    flagged: found.size > 0,
    categories: each((name) => found.has(name)),
    category_scores: each((name) => (found.has(name) ? flaggedScore : otherScore)),
    category_applied_input_types: each(() => types),
  };
}

/** As a word of its own, where its script has spaces between them. */
function hasWord(text: string, word: string): boolean {
  const isLatin = /^[a-z -]+$/.test(word);
  return isLatin ? new RegExp(`(?<!\\p{L})${word}(?!\\p{L})`, 'iu').test(text) : text.includes(word);
}
