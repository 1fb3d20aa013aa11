import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonMistake } from '../../../src/api/body/json-mistake.ts';

for (const [text, mistake] of [
  ['', 'it ends at line 1, column 1, expected a value'],
  ['{"a": }', 'line 1, column 7: expected a value'],
  ['{"a":1,}', 'line 1, column 8: expected a name in double quotes'],
  ["{'a':1}", "line 1, column 2: expected a name in double quotes or '}'"],
  ['{"a" 1}', "line 1, column 6: expected ':'"],
  ['{"a":1 "b":2}', "line 1, column 8: expected ',' or '}'"],
  ['[1 2]', "line 1, column 4: expected ',' or ']'"],
  ['[1,]', 'line 1, column 4: expected a value'],
  ['[}', "line 1, column 2: expected a value or ']'"],
  ['{"a":[1}', "line 1, column 8: expected ',' or ']'"],
  ['[1,2', "it ends at line 1, column 5, expected ',' or ']'"],
  ['1 2', 'line 1, column 3: expected the end'],
  ['{\n\n  "a": tru }', 'line 3, column 8: expected a value'],
  ['[1, 01]', 'line 1, column 5: expected a value'],
  ['["a\nb"]', 'line 1, column 2: the string that starts here is unterminated or has an unescaped control character'],
  ['["a\\x"]', 'line 1, column 2: the string that starts here is unterminated or has an unescaped control character'],
] as const) {
  test(`${JSON.stringify(text)}: ${mistake}`, () => assert.equal(jsonMistake(text), mistake));
}

test('the place of a cut is the end of the text, wherever JSON is cut between two tokens', () =>
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, seed) => {
      const cut = json.slice(0, seed % json.length);
      if (!/[[{,:]$/.test(cut) || parses(cut)) return;
      assert.match(
        jsonMistake(cut),
        new RegExp(`^(it ends at line 1, column ${cut.length + 1}, expected|line 1, column \\d+: the string)`),
      );
    }),
  ));

test('no text is too long or too deep for an answer', () => {
  for (const text of [
    `"${'a'.repeat(5_000_000)}`,
    '['.repeat(5_000_000),
    `[${'1,'.repeat(2_000_000)}`,
    '\\'.repeat(5_000_000),
  ]) {
    assert.match(jsonMistake(text), /^the error is at or after line 1, column \d+$/);
  }
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
