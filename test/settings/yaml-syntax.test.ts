/** Mistakes in the syntax of `tollgate.yaml`, in our words and on the line that has to be changed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readYaml } from '../../src/config/yaml-document.ts';
import { SettingsError } from '../../src/config/setting-errors.ts';

const no = () => false;

function linesOf(text: string): readonly string[] {
  try {
    readYaml(text, 'tollgate.yaml', {}, no, no);
  } catch (error) {
    if (error instanceof SettingsError) return error.lines;
    throw error;
  }
  return [];
}

const bracket = (open: string, close: string) =>
  `the ${open} is not closed: ${close} is missing, or the lines up to it are not indented`;
const key = 'must be a key followed by a colon and a space';
const check = 'is no valid YAML; check quotes, brackets, colons and indentation here and on the line before';

for (const [what, text, line, message] of [
  ['a tab', 'models:\n\t- id: a\n', 2, 'must be indented with spaces, not tabs'],
  ['an open [', 'limits: 1\nmodels: [a, b\nproviders: {}\n', 2, bracket('[', ']')],
  ['an open [ that the file ends in', 'a:\n  b: [ c\n\n\n', 2, bracket('[', ']')],
  ['an open {', 'models:\n  - { id: a, kind: chat\n  - { id: b }\n', 2, bracket('{', '}')],
  ['an open { around all', '{ a: 1,\n b: 2\n', 1, bracket('{', '}')],
  ['an open "', 'a: 1\nb: "abc\nc: 1\n', 2, 'the quote " is not closed'],
  ["an open '", "a: 1\nb: 'abc\nc: 1\n", 2, "the quote ' is not closed"],
  ['an open " within an open {', 'a:\n  b: { c: "\nd: 1\n', 2, 'the quote " is not closed'],
  ['a line between two levels', 'a:\n  b: 1\n c: 2\n', 3, 'must be indented like the other keys of its mapping'],
  ['a missing space', 'a:1\nb: 2\n', 1, key],
  ['a missing colon', 'a: 1\nb\nc: 2\n', 2, key],
  ['a list among keys', 'a: 1\n- b\n', 2, key],
  ['a key that is there twice', 'a: 1\na: 2\n', 2, 'this key is already in its mapping'],
  ['a second document', 'a: 1\n---\nb: 2\n', 2, 'must be one document; remove the line with --- or ...'],
  ['an @ that is not quoted', 'a: 1\nb: @x\n', 2, 'a text that begins with @, `, | or > must be in quotes'],
  ['a tag', 'a: !secret b\n', 1, 'must not begin with !; put the text in quotes'],
  ['too many brackets', 'a: {b: 1}}\n', 1, check],
  ['text behind a quoted one', 'a: 1\nb: "c" d\n', 2, check],
] as const)
  test(`${what} is reported once, on its line, in our words`, () => {
    assert.deepEqual(linesOf(text), [`tollgate.yaml:${line}: ${message}`]);
  });

test('two mistakes are reported in the order of their lines, without what the text says', () => {
  const found = linesOf('a: "sk-secret\\q"\nb: !sk-secret c\n');
  assert.deepEqual(
    found.map((line) => line.slice(0, 16)),
    ['tollgate.yaml:1:', 'tollgate.yaml:2:'],
  );
  assert.doesNotMatch(found.join(), /sk-secret/);
});
