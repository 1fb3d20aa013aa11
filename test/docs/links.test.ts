/** Every link from page to page, to a heading, a file or an image leads somewhere. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { allPages, anchorsOf, pageAt, resolved, root, targetsOf } from './pages.ts';

const pages = allPages();

for (const page of pages) {
  test(`the links of ${page.path} lead somewhere`, () => {
    const broken = targetsOf(page).filter((target) => {
      const [file = '', anchor] = target.split('#');
      const path = file === '' ? page.path : resolved(page.path, file);
      if (path.startsWith('..') || !existsSync(join(root, path))) return true;
      return anchor !== undefined && path.endsWith('.md') && !anchorsOf(pageAt(path)).has(anchor);
    });
    assert.deepEqual(broken, []);
  });
}

test('the index leads to every page below docs', () => {
  const index = pageAt('docs/README.md');
  const led = targetsOf(index).map((target) => resolved(index.path, target.split('#')[0] ?? ''));
  const below = pages.map(({ path }) => path).filter((path) => path.startsWith('docs/') && path !== index.path);
  assert.deepEqual(
    below.filter((path) => !led.includes(path)),
    [],
  );
});
