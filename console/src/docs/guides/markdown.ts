/** The Markdown that our own documentation uses, as blocks: headings, paragraphs, lists, tables and fenced code. */

export type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'list'; items: readonly string[] }
  | { kind: 'table'; head: readonly string[]; rows: readonly (readonly string[])[] }
  | { kind: 'code'; language: string; code: string };

/** Reads a page. What stands between other blocks is a paragraph; comments are left out. */
export function readMarkdown(page: string): Block[] {
  const lines = page.replace(/<!--[^]*?-->/g, '').split('\n');
  const blocks: Block[] = [];
  let at = 0;
  const takeWhile = (isMore: (line: string) => boolean): string[] => {
    const taken: string[] = [];
    for (let line = lines[at]; line !== undefined && isMore(line); line = lines[++at]) taken.push(line);
    return taken;
  };
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const heading = /^(#+) (.*)/.exec(line);
    const fence = /^```(\w*)$/.exec(line);
    if (line.trim() === '') at += 1;
    else if (heading) {
      blocks.push({ kind: 'heading', level: heading[1]?.length ?? 1, text: heading[2] ?? '' });
      at += 1;
    } else if (fence) {
      at += 1;
      blocks.push({ kind: 'code', language: fence[1] ?? '', code: takeWhile((one) => one !== '```').join('\n') });
      at += 1;
    } else if (line.startsWith('|')) {
      const [head = [], , ...rows] = takeWhile((one) => one.startsWith('|')).map(cellsOf);
      blocks.push({ kind: 'table', head, rows });
    } else if (line.startsWith('- ')) {
      blocks.push({ kind: 'list', items: itemsOf(takeWhile((one) => /^(- | {2}\S)/.test(one))) });
    } else {
      blocks.push({
        kind: 'text',
        text: joined(takeWhile((one) => one.trim() !== '' && !/^(#+ |```|\||- )/.test(one))),
      });
    }
  }
  return blocks;
}

/** The blocks below the heading of this text and level, up to the next one of its level or above. */
export function sectionOf(blocks: readonly Block[], level: number, title: string): Block[] {
  const start = blocks.findIndex((one) => one.kind === 'heading' && one.level === level && one.text === title);
  if (start < 0) return [];
  const rest = blocks.slice(start + 1);
  const end = rest.findIndex((one) => one.kind === 'heading' && one.level <= level);
  return end < 0 ? rest : rest.slice(0, end);
}

/** A row's cells; `\|` is no end of one. */
const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));

const itemsOf = (lines: readonly string[]): string[] =>
  lines.reduce<string[]>(
    (items, line) =>
      line.startsWith('- ')
        ? [...items, line.slice(2)]
        : [...items.slice(0, -1), joined([items.at(-1) ?? '', line.trim()])],
    [],
  );

/** Lines as one; between Chinese characters a break is no space. */
const joined = (lines: readonly string[]): string =>
  lines.reduce((text, line) =>
    /[^\x20-\x7e]$/.test(text) && /^[^\x20-\x7e]/.test(line) ? text + line : `${text} ${line}`,
  );
