import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonMistake } from '../../../src/api/body/json-mistake.ts';

for (const [text, told] of [
  ['', 'it ends at line 1, column 1, where a value is expected'],
  ['{"a": }', 'line 1, column 7: a value is expected'],
  ['{"a":1,}', 'line 1, column 8: a name in double quotes is expected'],
  ["{'a':1}", "line 1, column 2: a name in double quotes or '}' is expected"],
  ['{"a" 1}', "line 1, column 6: ':' is expected"],
  ['{"a":1 "b":2}', "line 1, column 8: ',' or '}' is expected"],
  ['[1 2]', "line 1, column 4: ',' or ']' is expected"],
  ['[1,]', 'line 1, column 4: a value is expected'],
  ['[}', "line 1, column 2: a value or ']' is expected"],
  ['{"a":[1}', "line 1, column 8: ',' or ']' is expected"],
  ['[1,2', "it ends at line 1, column 5, where ',' or ']' is expected"],
  ['1 2', 'line 1, column 3: nothing more is expected'],
  ['{\n\n  "a": tru }', 'line 3, column 8: a value is expected'],
  ['[1, 01]', 'line 1, column 5: a value is expected'],
  ['["a\nb"]', 'line 1, column 2: the string that begins here has no end, or a character that must be escaped'],
  ['["a\\x"]', 'line 1, column 2: the string that begins here has no end, or a character that must be escaped'],
] as const) {
  test(`${JSON.stringify(text)}: ${told}`, () => assert.equal(jsonMistake(text), told));
}

test('the place of a cut is the end of the text, wherever JSON is cut between two tokens', () =>
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, seed) => {
      const cut = json.slice(0, seed % json.length);
      if (!/[[{,:]$/.test(cut) || parses(cut)) return;
      assert.match(
        jsonMistake(cut),
        new RegExp(`^(it ends at line 1, column ${cut.length + 1}, where|line 1, column \\d+: the string)`),
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
    assert.match(jsonMistake(text), /^the mistake is at or after line 1, column \d+$/);
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
