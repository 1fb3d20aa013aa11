/** The documentation as tests read it: pages with their headings, tables, links and examples. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

export interface Page {
  /** From the project's root, with forward slashes. */
  path: string;
  text: string;
}

/** A table: its head and its rows, each cell as it is written. */
export interface Table {
  /** The text of the heading that it stands below. */
  heading: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

export interface Example {
  page: string;
  /** Of its first line of code, counted from 1. */
  line: number;
  language: string;
  code: string;
  /**
   * Why it can't run on its own, by the comment `<!-- not run: … -->` before it, or `<!-- none is run: … -->` anywhere on its
   * page; empty where the comment gives no reason.
   */
  exempt: string | undefined;
}

/** README in both languages, ARCHITECTURE, CHANGELOG, and every page below `docs`. */
export function allPages(): Page[] {
  const ours = ['README.md', 'README.zh-CN.md', 'ARCHITECTURE.md', 'CHANGELOG.md'];
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name).replaceAll('\\', '/'))
    .sort();
  return [...ours, ...docs].map(pageAt);
}

/** Pages in Chinese with the English pages that they translate. Their examples are those of the originals. */
export function translations(): { original: string; path: string }[] {
  const docs = readdirSync(join(root, 'docs', 'zh')).map((name) => ({
    original: `docs/${name}`,
    path: `docs/zh/${name}`,
  }));
  return [{ original: 'README.md', path: 'README.zh-CN.md' }, ...docs];
}

/** The pages whose examples are run: a translation repeats those of its original. */
export function pagesWithExamples(): Page[] {
  const translated = new Set(translations().map(({ path }) => path));
  return allPages().filter(({ path }) => !translated.has(path));
}

export function pageAt(path: string): Page {
  return { path, text: readFileSync(join(root, path), 'utf8') };
}

/** What it says outside of its examples and comments, line for line: those lines are empty. */
export function prose({ text }: Page): string[] {
  let fence: string | undefined;
  const lines = text.replace(/<!--[^]*?-->/g, (comment) => comment.replaceAll(/[^\n]/g, '')).split('\n');
  return lines.map((line) => {
    const mark = /^\s*(`{3,})/.exec(line)?.[1];
    const isFence = mark !== undefined && (fence === undefined || mark === fence);
    if (isFence) fence = fence === undefined ? mark : undefined;
    return isFence || fence !== undefined ? '' : line;
  });
}

export function tablesOf(page: Page): Table[] {
  const tables: { heading: string; lines: string[][] }[] = [];
  let heading = '';
  let open = false;
  for (const line of prose(page)) {
    heading = /^#+ (.*)/.exec(line)?.[1] ?? heading;
    if (!line.startsWith('|')) {
      open = false;
      continue;
    }
    if (!open) tables.push({ heading, lines: [] });
    open = true;
    tables.at(-1)?.lines.push(cellsOf(line));
  }
  return tables.map(({ heading: above, lines: [head = [], , ...rows] }) => ({ heading: above, head, rows }));
}

/** A row's cells; `\|` is no end of one. */
const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));

/** What a cell has between backticks, one after the other. */
export const codesIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? '');

export function headingsOf(page: Page): string[] {
  return prose(page).flatMap((line) => /^#+ (.*)/.exec(line)?.[1] ?? []);
}

/** As GitHub makes them of headings. */
export function anchorsOf(page: Page): Set<string> {
  const anchors = new Set<string>();
  for (const heading of headingsOf(page)) {
    const base = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-');
    let anchor = base;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${base}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** The targets of its links and images, without those that lead out of the project. */
export function targetsOf(page: Page): string[] {
  return prose(page).flatMap((line) =>
    [...line.replace(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target]) => target ?? '')
      .filter((target) => !/^[a-z]+:/.test(target)),
  );
}

/** The fenced blocks of a page. */
export function examplesOf({ path, text }: Page): Example[] {
  const found: Example[] = [];
  const whole = /^<!-- none is run:([^]*?)-->$/m.exec(text)?.[1];
  const block = /(?:^<!-- not run:([^]*?)-->\n+)?^( *)```(\w*)\n([^]*?)^ *```$/gm;
  for (const { 1: reason, 2: indent = '', 3: language = '', 4: code = '', index } of text.matchAll(block)) {
    const line = text.slice(0, text.indexOf(code, index)).split('\n').length;
    const own = code.replace(new RegExp(`^${indent}`, 'gm'), '');
    found.push({ page: path, line, language, code: own, exempt: (reason ?? whole)?.trim() });
  }
  return found;
}

/** Where an example stands, for messages. */
export const placeOf = ({ page, line }: Example): string => `${page}:${line}`;

/** The names that only one of two lists has, in words that say what to do; empty where they agree. */
export function differences(page: string, written: readonly string[], real: readonly string[]): string[] {
  return [
    ...real.filter((name) => !written.includes(name)).map((name) => `${page} has no row for ${name}`),
    ...written
      .filter((name) => !real.includes(name))
      .map((name) => `${page} has a row for ${name}, which is not there`),
    ...written.filter((name, index) => written.indexOf(name) !== index).map((name) => `${page} has ${name} twice`),
  ];
}

/** From one page to a file, both from the project's root. */
export const resolved = (from: string, target: string): string =>
  relative(root, join(root, from, '..', target)).replaceAll('\\', '/');
