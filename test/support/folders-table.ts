/** The table of folders in ARCHITECTURE.md, made from the layout rules: `npm run folders` writes it, a test compares it. */
import { folders, openRooms, rooms } from './layout.ts';

const begin = '<!-- Made by `npm run folders` from test/support/layout.ts. -->\n';
const end = '<!-- end of the table -->\n';
const lineCharactersMax = 120;
/** Every room may import it. */
const foundation = 'domain';

/** A page with the table in its place, between two comments. */
export function withFoldersTable(page: string): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`the page has no ${begin.trim()} and ${end.trim()}`);
  return `${page.slice(0, from)}${begin}\n${foldersTable()}\n${page.slice(to)}`;
}

/** A row a top folder of `src`, those first that import the fewest others. Imports of types alone are left out. */
export function foldersTable(): string {
  const names = [...new Set(Object.keys(rooms).map(topOf))];
  const rows = names
    .map((name) => ({ name, holds: folders[name] ?? rooms[name]?.holds ?? '', imports: importsOf(name) }))
    .sort((a, b) => a.imports.length - b.imports.length);
  const lines = [
    '| folder | holds | imports, besides `domain` |',
    '| --- | --- | --- |',
    ...rows.flatMap(({ name, holds, imports }) => linesOf(`\`${name}\``, holds, imports)),
    ...Object.entries(openRooms).map(([name, holds]) => `| \`${name}\` | ${holds} | everything |`),
  ];
  return `${lines.join('\n')}\n`;
}

const topOf = (room: string): string => room.split('/')[0] ?? room;

function importsOf(folder: string): string[] {
  const all = Object.entries(rooms).flatMap(([room, { all: imports }]) =>
    topOf(room) === folder ? imports.map(topOf) : [],
  );
  return [...new Set(all)].filter((name) => name !== folder && name !== foundation).sort();
}

/** A row, and where it is too long further ones that go on with its imports. */
function linesOf(name: string, holds: string, imports: readonly string[]): string[] {
  const lines: string[] = [];
  let line = `| ${name} | ${holds} | `;
  for (const [at, folder] of imports.entries()) {
    const cell = at < imports.length - 1 ? `${folder}, ` : folder;
    if (`${line}${cell.trim()} |`.length > lineCharactersMax) {
      lines.push(`${line.trimEnd()} |`);
      line = '| | | ';
    }
    line += cell;
  }
  return [...lines, `${line.trimEnd()} |`];
}
