/** Values that are equal as JSON give one text, others give another. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson } from '../../src/domain/json/canonical-json.ts';

const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, field]) => [name, shuffled(field)] as const)
      .reverse(),
  );
};

test('the order of names makes no difference', () =>
  fc.assert(
    fc.property(fc.jsonValue(), (value) => assert.equal(canonicalJson(shuffled(value)), canonicalJson(value))),
  ));

test('the text is JSON and says the same', () =>
  fc.assert(
    fc.property(fc.jsonValue(), (value) =>
      assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value))),
    ),
  ));

for (const [a, b] of [
  [
    { a: 1, b: 2 },
    { a: 2, b: 1 },
  ],
  [
    [1, 2],
    [2, 1],
  ],
  ['1', 1],
  [null, 'null'],
  [{ a: null }, {}],
  [{ a: [] }, { a: {} }],
  [['a', 'b'], ['a,b']],
] as const) {
  test(`${JSON.stringify(a)} and ${JSON.stringify(b)} give different texts`, () =>
    assert.notEqual(canonicalJson(a), canonicalJson(b)));
}

test('a field that is undefined is not there', () => {
  assert.equal(canonicalJson({ b: undefined, a: 1 }), '{"a":1}');
});
