/** `docs/errors.md` has every code of the error table with its status and type, and no other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorTable } from '../../src/domain/errors.ts';
import { codesIn, differences, pageAt, tablesOf } from './pages.ts';

const page = pageAt('docs/errors.md');
const rows = tablesOf(page)
  .filter(({ head }) => head[0] === 'code')
  .flatMap((table) => table.rows)
  .map(([code = '', status = '', type = '', ...rest]) => ({ code: codesIn(code)[0] ?? '', status, type, rest }));

test('each code has a row, and each row is a code', () => {
  const codes = rows.map(({ code }) => code);
  assert.deepEqual(differences(page.path, codes, Object.keys(errorTable)), []);
});

test('each row has status and type, when it comes, and what to do', () => {
  const table: Readonly<Record<string, { status: number; type: string } | undefined>> = errorTable;
  const wrong = rows.flatMap(({ code, status, type, rest }) => {
    const real = table[code];
    if (!real) return []; // the test above reports it
    const reported = { status: Number(status), type: codesIn(type)[0] };
    const isRight = reported.status === real.status && reported.type === real.type;
    return [
      ...(isRight ? [] : [`${page.path}: ${code} is ${real.status} ${real.type}, not ${status} ${type}`]),
      ...(rest.length === 2 && rest.every((cell) => cell.length > 3) ? [] : [`${page.path}: ${code} lacks an advice`]),
    ];
  });
  assert.deepEqual(wrong, []);
});
