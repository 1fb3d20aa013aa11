/** Regular expressions of the document in words. */
import type { Say } from '../../texts/say.ts';
import type { boundTexts } from './bound-texts.ts';

type SayBounds = Say<(typeof boundTexts)['en']>;

/** What a value of the pattern looks like, in the reader's language; the pattern itself where it has no words. */
export function patternWords(pattern: string, say: SayBounds): string {
  for (const { form, words } of forms) {
    const found = form.exec(pattern);
    if (found) return words(say, found);
  }
  return say('matches', { pattern });
}

const exactly = (pattern: string): RegExp => new RegExp(`^${pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`);

/** The first that fits counts. */
const forms: readonly { form: RegExp; words: (say: SayBounds, found: RegExpExecArray) => string }[] = [
  { form: exactly('^[^\\u0000]*$'), words: (say) => say('noNul') },
  { form: exactly('^[^\\u0000-\\u001f\\u007f-\\u009f]*$'), words: (say) => say('noControl') },
  {
    form: /^\^([a-z]+[_-])\[0-9a-f\]\{(\d+)\}\$$/,
    words: (say, [, prefix = '', count = '']) => say('idOf', { prefix, count }),
  },
  { form: /02-29.*T.*\(\?:Z\)\)\$$/, words: (say) => say('utcTime') },
  { form: /02-29.*T/, words: (say) => say('anyTime') },
  { form: /02-29/, words: (say) => say('anyDate') },
  { form: /^\^\$\|.*\[0-9a-zA-Z\+\/\]/, words: () => 'base64' },
  { form: /^\^\(auto\|.*x/, words: (say) => say('sizeForm') },
  { form: exactly('^bytes '), words: (say) => say('beginsWith', { text: 'bytes' }) },
  { form: exactly('^([1-5](\\d\\d|xx)|error)$'), words: (say) => say('statusForm') },
  { form: exactly('^[1-9]\\d{0,2}$'), words: (say) => say('fromTo', { min: 1, max: 999 }) },
  { form: exactly('^[1-9]\\d{0,2}h$'), words: (say) => say('hoursForm') },
  { form: /^\^\(\\d\{1,14\}\)\\\./, words: (say) => say('cursorForm') },
  { form: /^\^\\d\{(\d+),(\d+)\}\$$/, words: (say, [, min = '', max = '']) => say('digits', { min, max }) },
  {
    form: /^\^\[([^\]^]+)\]\{(\d+),(\d+)\}\$$/,
    words: (say, [, set = '', min = '', max = '']) => say('charactersOf', { min, max, set: setWords(set) }),
  },
  {
    form: /^\^\[([^\]^]+)\]\{(\d+)\}\$$/,
    words: (say, [, set = '', count = '']) => say('exactlyOf', { count, set: setWords(set) }),
  },
];

/** `\w.-` as `A–Z a–z 0–9 _ . -`. */
const setWords = (set: string): string =>
  set
    .replaceAll('\\w', 'A-Za-z0-9_')
    .replaceAll('\\d', '0-9')
    .replace(/([A-Za-z0-9])-([A-Za-z0-9])|\\?(.)/g, (_, from?: string, to?: string, one?: string) =>
      from !== undefined && to !== undefined ? `${from}–${to} ` : `${one ?? ''} `,
    )
    .trim();
