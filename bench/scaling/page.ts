/** The model's tables as they stand in docs/scaling.md, each between `<!-- model: its name -->` and `<!-- end -->`. */
import { join } from 'node:path';
import { root } from '../report.ts';

export const pageFile = join(root, 'docs', 'scaling.md');

const section = /<!-- model: ([^>]+?) -->\n([^]*?)<!-- end -->/g;

/** Each table of a page by its name. */
export const tablesIn = (text: string): Map<string, string> =>
  new Map([...text.matchAll(section)].map(([, name = '', table = '']) => [name, table]));

/** The page with these tables in place of those that it has. */
export const withTables = (text: string, tables: Readonly<Record<string, string>>): string =>
  text.replaceAll(section, (old, name: string) => {
    const table = tables[name];
    return table === undefined ? old : `<!-- model: ${name} -->\n${table}<!-- end -->`;
  });
