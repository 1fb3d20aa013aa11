/** What values a schema allows, in words. */
import type { Say } from '../../texts/say.ts';
import { type JsonRecord, recordOf, textOf } from '../../parts/json.ts';
import { choicesOf } from '../schema.ts';
import type { boundTexts } from './bound-texts.ts';
import { patternWords } from './patterns.ts';

type SayBounds = Say<(typeof boundTexts)['en']>;

/** The bounds of a value, each a few words; of what may also be null, of what it is otherwise. */
export function boundsOf(schema: unknown, say: SayBounds): string[] {
  const choices = choicesOf(recordOf(schema))
    .map(recordOf)
    .filter(({ type }) => type !== 'null');
  const [only] = choices;
  if (choices.length > 1) return [...new Set(choices.flatMap((one) => boundsOf(one, say)))];
  const record: JsonRecord = { ...only, ...recordOf(schema) };
  const pattern = textOf(record['pattern']);
  const { minLength, maxLength, minItems, maxItems } = record;
  return [
    rangeWords(minLength, maxLength, {
      both: (min, max) => say('characters', { min, max }),
      least: (min) => (min === 1 ? say('notEmpty') : say('charactersMin', { min })),
      most: (max) => say('charactersMax', { max }),
    }),
    rangeWords(minItems, maxItems, {
      both: (min, max) => say('items', { min, max }),
      least: (min) => say('itemsMin', { min }),
      most: (max) => say('itemsMax', { max }),
    }),
    rangeWords(record['minimum'], record['maximum'], {
      both: (min, max) => say('fromTo', { min, max }),
      least: (min) => say('from', { min }),
      most: (max) => say('upTo', { max }),
    }),
    rangeWords(record['exclusiveMinimum'], record['exclusiveMaximum'], {
      both: (min, max) => `${say('above', { min })}, ${say('below', { max })}`,
      least: (min) => say('above', { min }),
      most: (max) => say('below', { max }),
    }),
    ...(pattern === '' ? [] : [patternWords(pattern, say)]),
  ].filter((words) => words !== '');
}

interface RangeWords {
  both: (min: number, max: number) => string;
  least: (min: number) => string;
  most: (max: number) => string;
}

/** The largest whole numbers are what JavaScript can hold, and bound nothing. */
function rangeWords(least: unknown, most: unknown, words: RangeWords): string {
  const min = typeof least === 'number' && least !== Number.MIN_SAFE_INTEGER ? least : undefined;
  const max = typeof most === 'number' && most !== Number.MAX_SAFE_INTEGER ? most : undefined;
  if (min !== undefined) return max === undefined ? words.least(min) : words.both(min, max);
  return max === undefined ? '' : words.most(max);
}
