/** Passwords that guessers try early: common ones, plain or decorated, runs along the keyboard or alphabet, and repetitions. */
import { isCommonPassword } from './common-passwords.ts';

/** Whether a password is one of them, whatever the case of its letters. */
export function isGuessable(password: string): boolean {
  const text = password.toLowerCase();
  return isCommonPassword(text) || [text, withoutSwaps(text)].some(isDecorated) || isRepetition(text) || isRun(text);
}

/** So many characters around a common word, such as a year and two signs, are still guessed. */
const decorationMax = 6;

function isDecorated(text: string): boolean {
  const word = text.replace(/^[^a-z]+|[^a-z]+$/g, '');
  if (word === '' || text.length - word.length > decorationMax) return false;
  return isCommonPassword(word) || shortWords.has(word);
}

/** The list of common ones has none of fewer than eight letters. */
const shortWords = new Set(
  'abc abcd admin access batman dragon football freedom hello iloveyou killer letmein login love lovely master michael monkey pass passwd password princess qwe qwer qwerty root secret shadow summer sunshine superman test tollgate welcome winter woaini'.split(
    ' ',
  ),
);

/** `p@ssw0rd` is `password`. */
const withoutSwaps = (text: string): string =>
  text.replace(/[@013$5]/g, (sign) => ({ '@': 'a', '0': 'o', '1': 'i', '3': 'e', $: 's', '5': 's' })[sign] ?? sign);

/** The same few characters over and over: `abcabcabcabc`, `aaaaaaaaaa`. */
const isRepetition = (text: string): boolean => /^(.{1,4}?)\1+$/su.test(text) || new Set(text).size <= 3;

const rows = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'abcdefghijklmnopqrstuvwxyz', '0123456789'];
/** Along a row and back, and from one into the next. */
const runs = [
  ...rows.map((row) => row + row),
  'qwertyuiopasdfghjklzxcvbnm',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  '1q2w3e4r5t6y7u8i9o0p',
];
const backwards = runs.map((run) => Array.from(run).reverse().join(''));

const isRun = (text: string): boolean => [...runs, ...backwards].some((run) => run.includes(text));
