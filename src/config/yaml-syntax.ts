/** What is wrong with the syntax of a YAML text, in plain words, on the line that has to be changed. */
import { isCollection, isScalar, type LineCounter, type Node, type YAMLError, type YAMLParseError, visit } from 'yaml';

type Code = YAMLParseError['code'];

export interface SyntaxMistake {
  line: number;
  message: string;
}

/**
 * Returns the mistakes by their lines, one a line: what follows on the same line is the echo of the first. The parser
 * notices a quote or a bracket that isn't closed where the text goes on; here it is on the line where it was opened.
 */
export function syntaxMistakes(
  faults: readonly YAMLError[],
  contents: Node | null,
  lineCounter: LineCounter,
): SyntaxMistake[] {
  const byLine = new Map<number, string>();
  const lineOf = (offset: number) => lineCounter.linePos(offset).line;
  for (const fault of [...faults].sort((one, other) => one.pos[0] - other.pos[0])) {
    const opened = isUnclosed(fault)
      ? openedBefore(fault.pos[0], contents, fault.message.includes('quote'))
      : undefined;
    const line = lineOf(opened ?? fault.pos[0]);
    if (!byLine.has(line)) byLine.set(line, wordsOf(fault));
  }
  return [...byLine].sort(([one], [other]) => one - other).map(([line, message]) => ({ line, message }));
}

const isUnclosed = ({ message }: YAMLError): boolean =>
  isUnclosedBracket(message) || message.startsWith('Missing closing');
const isUnclosedBracket = (message: string): boolean => /^Flow (map|sequence)\b.* end with a/.test(message);

/** The start of the innermost quoted text or bracket that reaches to a place. */
function openedBefore(offset: number, contents: Node | null, isQuote: boolean): number | undefined {
  let start: number | undefined;
  if (contents === null) return undefined;
  visit(contents, {
    Node: (_, node) => {
      const isOpener = isQuote
        ? isScalar(node) && (node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE')
        : isCollection(node) && node.flow === true;
      if (!isOpener || !node.range) return;
      const [from, , to] = node.range;
      if (from < offset && to >= offset && (start === undefined || from > start)) start = from;
    },
  });
  return start;
}

/** The library's own words only for what is not in the table: they may quote the text, which may have a secret. */
function wordsOf({ code, message }: YAMLError): string {
  if (isUnclosedBracket(message)) {
    const [open, close] = message.startsWith('Flow map') ? '{}' : '[]';
    return `the ${open} is not closed: ${close} is missing, or the lines up to it are not indented`;
  }
  if (code === 'MISSING_CHAR') return missing.find(({ when }) => when.test(message))?.say ?? checkLine;
  return words[code] ?? checkLine;
}

const checkLine = 'is no valid YAML; check quotes, brackets, colons and indentation here and on the line before';

const missing: readonly { when: RegExp; say: string }[] = [
  { when: /closing "/, say: 'the quote " is not closed' },
  { when: /closing '/, say: "the quote ' is not closed" },
  { when: /map values/, say: 'must be a key followed by a colon and a space' },
  { when: /^Comments/, say: 'a comment needs a space before its #' },
  { when: /directives-end/, say: 'no line before it may begin with %' },
  { when: /,/, say: 'a comma is missing between two values' },
];

const words: Partial<Record<Code, string>> = {
  ALIAS_PROPS: 'an alias (*name) must not have an anchor or a tag',
  BAD_ALIAS: 'an alias (*name) or anchor (&name) must have a name, and not end with a colon',
  BAD_DIRECTIVE: 'must not begin with %',
  BAD_DQ_ESCAPE: 'has a backslash in "…" that begins no escape; put the text in \'…\' or double the backslash',
  BAD_INDENT: 'must be indented like the other keys of its mapping',
  BAD_SCALAR_START: 'a text that begins with @, `, | or > must be in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'has a second key on its line; put a text with a colon in quotes, a mapping on its own lines',
  BLOCK_IN_FLOW: 'within [ ] and { } a comma is missing, or a value must be written with brackets',
  DUPLICATE_KEY: 'this key is already in its mapping',
  MULTILINE_IMPLICIT_KEY: 'must be a key followed by a colon and a space',
  MULTIPLE_ANCHORS: 'a value must not have more than one anchor (&name)',
  MULTIPLE_DOCS: 'must be one document; remove the line with --- or ...',
  MULTIPLE_TAGS: 'a value must not have a tag (!name)',
  TAB_AS_INDENT: 'must be indented with spaces, not tabs',
  TAG_RESOLVE_FAILED: 'must not begin with !; put the text in quotes',
};
