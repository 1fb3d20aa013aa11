/** Where a text stops being JSON (RFC 8259), for a message that quotes nothing of it. Only run on texts that failed. */

const token =
  /[ \t\n\r]*(?:([[\]{},:])|("[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\\u0000-\u001f]*)*")|((?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])))/y;
const blank = /[ \t\n\r]*/y;

// 0.4 µs a token: a scan of a whole 20 MiB body would hold everybody else up for seconds.
const scannedCharactersMax = 65_536;

type Bracket = '{' | '[';
type Expected =
  | 'a value'
  | "a value or ']'"
  | "a name in double quotes or '}'"
  | 'a name in double quotes'
  | "':'"
  | "',' or '}'"
  | "',' or ']'"
  | 'the end';

/** Such as `line 1, column 9: expected a value`. */
export function jsonMistake(text: string): string {
  const scanned = text.slice(0, scannedCharactersMax);
  const open: Bracket[] = [];
  let expected: Expected = 'a value';
  let offset = 0;
  for (;;) {
    token.lastIndex = offset;
    const match = token.exec(scanned);
    const next: Expected | undefined = match === null ? undefined : step(expected, match, open);
    if (next === undefined) break;
    expected = next;
    offset = token.lastIndex;
  }
  blank.lastIndex = offset;
  const start = offset + (blank.exec(scanned)?.[0].length ?? 0);
  const place = positionOf(scanned, start);
  if (scanned.length < text.length) return `the error is at or after ${place}`;
  if (start === text.length) return `it ends at ${place}, expected ${expected}`;
  if (text[start] === '"' && expectsString(expected))
    return `${place}: the string that starts here is unterminated or has an unescaped control character`;
  return `${place}: expected ${expected}`;
}

/** What may follow, with the open brackets kept; undefined where the token is not what is expected. */
function step(expected: Expected, match: RegExpExecArray, open: Bracket[]): Expected | undefined {
  const [, mark, string] = match;
  if (string !== undefined && isName(expected)) return "':'";
  if (mark === undefined) return isValue(expected) ? afterValue(open) : undefined;
  if (mark === '{' || mark === '[') {
    if (!isValue(expected)) return undefined;
    open.push(mark);
    return mark === '{' ? "a name in double quotes or '}'" : "a value or ']'";
  }
  if (mark === ':') return expected === "':'" ? 'a value' : undefined;
  if (mark === ',')
    return expected === "',' or '}'" ? 'a name in double quotes' : expected === "',' or ']'" ? 'a value' : undefined;
  if (!expected.endsWith(`or '${mark}'`)) return undefined;
  open.pop();
  return afterValue(open);
}

function afterValue(open: readonly Bracket[]): Expected {
  const inner = open.at(-1);
  if (inner === undefined) return 'the end';
  return inner === '{' ? "',' or '}'" : "',' or ']'";
}

const isName = (expected: Expected): boolean => expected.startsWith('a name');
const isValue = (expected: Expected): boolean => expected.startsWith('a value');
const expectsString = (expected: Expected): boolean => isName(expected) || isValue(expected);

function positionOf(text: string, offset: number): string {
  const before = text.slice(0, offset);
  return `line ${before.split('\n').length}, column ${offset - before.lastIndexOf('\n')}`;
}
