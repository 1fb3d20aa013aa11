/** Code in colours: its comments, strings, numbers, words of the language and names. What it doesn't know stays plain. */

export type CodeLanguage = 'curl' | 'python' | 'node' | 'go' | 'java' | 'json' | 'text';

export interface Piece {
  text: string;
  /** The class of its colour; empty for plain text. */
  kind: string;
}

/** Longer texts, such as answers with files in them, stay plain: each piece is an element. */
const charactersMax = 20_000;

const number = String.raw`(?<number>\b\d[\d_]*(?:\.\d+)?\b)`;
const quoted = String.raw`"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'`;
const words = (list: string) => String.raw`(?<word>\b(?:${list.replaceAll(' ', '|')})\b)`;

const grammars: Readonly<Record<Exclude<CodeLanguage, 'text'>, RegExp>> = {
  curl: grammar(
    String.raw`(?<comment>(?<=^|\s)#.*)`,
    String.raw`(?<string>"(?:\\.|[^"\\])*"|'[^']*')`,
    String.raw`(?<name>\$\w+|(?<=\s)--?[A-Za-z][\w-]*)`,
    words('curl jq echo grep until do done sleep if then fi'),
  ),
  python: grammar(
    '(?<comment>#.*)',
    String.raw`(?<string>[rbf]?(?:${quoted}))`,
    number,
    words(
      'import from as with open for in while if elif else return def assert raise try except not and or lambda True False None',
    ),
  ),
  node: grammar(
    String.raw`(?<comment>\/\/.*|\/\*[^]*?\*\/)`,
    String.raw`(?<string>${quoted}|${'`(?:\\\\.|[^`\\\\])*`'})`,
    number,
    words(
      'import from const let await async for of while if else return new function try catch throw typeof true false null undefined',
    ),
  ),
  go: grammar(
    String.raw`(?<comment>\/\/.*)`,
    `(?<string>"(?:\\\\.|[^"\\\\])*"|\`[^\`]*\`)`,
    number,
    words('package import func var const type struct if else for range return defer switch case go nil true false'),
  ),
  java: grammar(
    String.raw`(?<comment>\/\/.*)`,
    String.raw`(?<string>"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\])*")`,
    number,
    words(
      'import public static final class void throws throw new var if else for while return try catch byte int String true false null',
    ),
  ),
  json: grammar(
    String.raw`(?<name>"(?:\\.|[^"\\])*"(?=\s*:))`,
    String.raw`(?<string>"(?:\\.|[^"\\])*")`,
    String.raw`(?<number>-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)`,
    words('true false null'),
  ),
};

/** The text in pieces that, put together, are the text. */
export function highlighted(text: string, language: CodeLanguage): Piece[] {
  if (language === 'text' || text.length > charactersMax) return [{ text, kind: '' }];
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: found, index, groups } of text.matchAll(grammars[language])) {
    if (index > end) pieces.push({ text: text.slice(end, index), kind: '' });
    const [kind = ''] = Object.entries<string | undefined>(groups ?? {}).find(([, value]) => value !== undefined) ?? [];
    pieces.push({ text: found, kind });
    end = index + found.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), kind: '' });
  return pieces;
}

function grammar(...forms: readonly string[]): RegExp {
  return new RegExp(forms.join('|'), 'gm');
}
