/** The tables of docs/scaling.md are those that `npm run bench model` prints. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valuesOf } from '../../bench/scaling/figures.ts';
import { printedTables } from '../../bench/scaling/model.ts';
import { tablesIn } from '../../bench/scaling/page.ts';
import { pageAt } from './pages.ts';

test('docs/scaling.md shows what the model prints; if not: npm run bench model -- --write', () => {
  const shown = Object.fromEntries(tablesIn(pageAt('docs/scaling.md').text));
  const { figures, ...printed } = printedTables(valuesOf());
  assert.ok(figures, 'all figures are printed, and left out of the page');
  assert.deepEqual(shown, printed);
});
