/** What the documentation says of the source: paths that exist, functions that stand where a link says, and a map that stays small. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { chargeOfTask } from '../../src/domain/billing/charges.ts';
import { writeMoney } from '../../src/ledger/commit/write-money.ts';
import { withFoldersTable } from '../support/folders-table.ts';
import { allPages, codesIn, type Page, pageAt, prose, resolved, root } from './pages.ts';

const mapBytesMax = 8 * 1024;
const lineCharactersMax = 120;
/** Top folders of the project. What has a place for a name in it, such as `<kind>`, is no path. */
const sourcePath = /^(?:bench|bin|console|docs|migrations|ops|scripts|src|test)\/[\w./-]+$/;

// The changelog names what was there at its time.
const pages = allPages().filter(({ path }) => path !== 'CHANGELOG.md');
const map = pageAt('ARCHITECTURE.md');
const inner = pages.filter(({ path }) => path.startsWith('docs/internals/'));

describe('paths of the source', () => {
  for (const page of pages) {
    test(`those that ${page.path} names exist`, () => {
      const named = prose(page).flatMap(codesIn);
      const gone = named.filter((code) => sourcePath.test(code) && !existsSync(join(root, code)));
      assert.deepEqual(gone, []);
    });

    test(`what ${page.path} links by its name is declared in the file that the link leads to`, () => {
      const strays = namedLinks(page)
        .filter(({ name, path }) => !declares(pageAt(path).text, name))
        .map(({ name, path }) => `${name} is not declared in ${path}`);
      assert.deepEqual(strays, []);
    });
  }
});

describe('ARCHITECTURE.md', () => {
  test('has at most 8 KB', () => {
    const bytes = Buffer.byteLength(map.text);
    assert.ok(bytes <= mapBytesMax, `${bytes} bytes: what is a reason belongs in docs/internals`);
  });

  test('has the table of folders that the layout rules make: `npm run folders` writes it', () =>
    assert.equal(map.text, withFoldersTable(map.text)));

  test('leads to every page of docs/internals', () => {
    const missing = inner.filter(({ path }) => !map.text.includes(`](${path})`));
    assert.deepEqual(
      missing.map(({ path }) => path),
      [],
    );
  });

  for (const { path, text } of [map, ...inner]) {
    test(`${path} has no line of more than 120 characters`, () => {
      const long = text
        .split('\n')
        .flatMap((line, at) => (line.length > lineCharactersMax ? [`${path}:${at + 1}`] : []));
      assert.deepEqual(long, []);
    });
  }
});

describe('from README to the line that charges a video', () => {
  const readme = pageAt('README.md');
  const sentence = /^.*The line that charges a video[^]*?(?=\n\n|$(?![^]))/m.exec(readme.text)?.[0] ?? '';
  const links = namedLinks({ path: readme.path, text: sentence });

  test('there are three links: to the step that ends a task, the pure function, and the SQL', () =>
    assert.deepEqual(
      links.map(({ name, path }) => [name, path]),
      [
        ['settle', 'src/activities/end.ts'],
        ['chargeOfTask', 'src/domain/billing/charges.ts'],
        ['writeMoney', 'src/ledger/commit/write-money.ts'],
      ],
    ));

  test('the step charges what the function says', () => {
    const step = /export async function settle\([^]*?\n\}\n/.exec(pageAt('src/activities/end.ts').text)?.[0] ?? '';
    assert.match(step, /= chargeOfTask\(/);
    assert.match(step, /ledger\.settleTask\(/);
    assert.equal(typeof chargeOfTask, 'function');
  });

  test('the SQL writes the entries and closes the hold', () => {
    const captured = ['019ab3d0-0000-7000-8000-000000000000'];
    const nothing = { accounts: [], keys: [], beginsWindow: false, holds: [], released: [], entries: [] };
    const { text } = writeMoney({ ...nothing, captured, now: new Date(0) }, { isLocked: true });
    assert.match(text, /update holds set state = case when .* then 'captured'/);
    assert.match(text, /insert into entries \(transfer_id, type, account_id/);
  });
});

/** Links whose text is a name in backticks, and no file's, to a file of TypeScript; paths from the root. */
function namedLinks(page: Page): { name: string; path: string }[] {
  const links = prose(page)
    .join('\n')
    .matchAll(/\[`(\w+)`\]\(([^)\s]+\.tsx?)\)/g);
  return [...links].map(([, name = '', target = '']) => ({ name, path: resolved(page.path, target) }));
}

const declares = (source: string, name: string): boolean =>
  new RegExp(`^export (?:async )?(?:function\\*?|const|class) ${name}\\b`, 'm').test(source);
