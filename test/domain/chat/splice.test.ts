import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { spliceChatBody } from '../../../src/domain/chat/splice.ts';

const splice = (text: string, includeUsage = false, model = 'up/stream "1"'): string =>
  Buffer.concat(spliceChatBody(Buffer.from(text), { model, includeUsage })).toString();

const long = 'x'.repeat(100);

const wish = '"stream_options":{"include_usage":true}';

for (const [what, body, includeUsage, expected] of [
  ['the model', '{"model":"m","n":1}', false, '{"model":"X","n":1}'],
  [
    'nothing else',
    ' {\n "model" : "m" , "b":[1,{"model":"deep"}]}\n',
    false,
    ' {\n "model" : "X" , "b":[1,{"model":"deep"}]}\n',
  ],
  [
    'every model',
    '{"model":"a","x":0,"model":null,"model":{"a":[]}}',
    false,
    '{"model":"X","x":0,"model":"X","model":"X"}',
  ],
  ['a name with escapes', String.raw`{"mod\u0065l":"m"}`, false, String.raw`{"mod\u0065l":"X"}`],
  [
    'no name that only begins so',
    '{"models":"m","mode":"l","x":"model"}',
    false,
    '{"models":"m","mode":"l","x":"model"}',
  ],
  [
    'no value that looks like a name',
    String.raw`{"a":"\"model\":\"m\"","b":["model","m"]}`,
    false,
    String.raw`{"a":"\"model\":\"m\"","b":["model","m"]}`,
  ],
  [
    'strings with escapes',
    String.raw`{"a":"\\","b":"\\\"","model":"\"m"}`,
    false,
    String.raw`{"a":"\\","b":"\\\"","model":"X"}`,
  ],
  [
    'long strings with a quote in them',
    `{"a":["${long}\\"],\\"model\\":1"],"model":"m","b":"${long}\\\\","model":"m"}`,
    false,
    `{"a":["${long}\\"],\\"model\\":1"],"model":"X","b":"${long}\\\\","model":"X"}`,
  ],
  ['a wish for usage, inserted', '{"model":"m"}', true, `{${wish},"model":"X"}`],
  ['a wish, in an empty body', ' { }', true, ` {${wish} }`],
  [
    'a wish, for null',
    '{"stream_options": null ,"model":"m"}',
    true,
    '{"stream_options": {"include_usage":true} ,"model":"X"}',
  ],
  ['a wish, into an object', '{"stream_options":{"a":1}}', true, '{"stream_options":{"include_usage":true,"a":1}}'],
  ['a wish, into an empty object', '{"stream_options":{}}', true, '{"stream_options":{"include_usage":true}}'],
  [
    'a wish, for false',
    '{"stream_options":{"include_usage":false,"b":{"include_usage":false}}}',
    true,
    '{"stream_options":{"include_usage":true,"b":{"include_usage":false}}}',
  ],
  [
    'a wish, for repeated ones',
    '{"stream_options":null,"stream_options":{"include_usage":false,"include_usage":null}}',
    true,
    '{"stream_options":{"include_usage":true},"stream_options":{"include_usage":true,"include_usage":true}}',
  ],
  [
    'a wish, for one in another case, and leaves its neighbours',
    '{"stream_options":{"Include_Usage":false,"include_obfuscation":false,"x":{"INCLUDE_USAGE":0}}}',
    true,
    '{"stream_options":{"include_usage":true,"Include_Usage":true,"include_obfuscation":false,"x":{"INCLUDE_USAGE":0}}}',
  ],
  [
    'a wish, for one that differs by a folded letter only',
    '{"stream_options":{"include_usage":true,"include_uſage":{"a":[1]},"INCLUDE_\\u0055SAGE":null}}',
    true,
    '{"stream_options":{"include_usage":true,"include_uſage":true,"INCLUDE_\\u0055SAGE":true}}',
  ],
  [
    'no wish where none is due',
    '{"stream_options":{"include_usage":false}}',
    false,
    '{"stream_options":{"include_usage":false}}',
  ],
] as const) {
  test(`changes ${what}`, () => assert.equal(splice(body, includeUsage, 'X'), expected));
}

test('a body that needs no change comes back as the one same buffer', () => {
  const body = Buffer.from('{"model":"X","stream_options":{"include_usage":true}}');
  for (const includeUsage of [true, false]) {
    const pieces = spliceChatBody(body, { model: 'X', includeUsage });
    assert.equal(pieces.length, 1);
    assert.equal(pieces[0], body);
  }
});

test('for any object the result is what changing the parsed body would give', () => {
  const key = fc.oneof(fc.constantFrom('model', 'stream_options', 'a"b', 'é', ''), fc.string());
  const json = fc.oneof(
    { weight: 3, arbitrary: fc.jsonValue() },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  );
  const options = fc.oneof(fc.constant(null), fc.dictionary(fc.constantFrom('include_usage', 'x'), fc.jsonValue()));
  const bodies = fc
    .tuple(
      fc.array(fc.tuple(key, json), { maxLength: 8 }),
      fc.option(json, { nil: undefined }),
      fc.option(options, { nil: undefined }),
    )
    .map(([pairs, model, chosen]) => {
      const body: Record<string, unknown> = Object.fromEntries(pairs.filter(([name]) => name !== '__proto__'));
      delete body['stream_options'];
      if (model !== undefined) body['model'] = model;
      if (chosen !== undefined) body['stream_options'] = chosen;
      return body;
    });
  fc.assert(
    fc.property(
      bodies,
      fc.string({ unit: 'binary' }),
      fc.boolean(),
      fc.nat({ max: 3 }),
      (body, model, includeUsage, indent) => {
        const written = JSON.stringify(body, null, indent);
        const expected = JSON.parse(written) as Record<string, unknown>;
        if ('model' in expected) expected['model'] = model;
        if (includeUsage) {
          const given = expected['stream_options'] as Record<string, unknown> | null | undefined;
          expected['stream_options'] = { ...given, include_usage: true };
        }
        assert.deepEqual(JSON.parse(splice(written, includeUsage, model)), JSON.parse(JSON.stringify(expected)));
      },
    ),
    { numRuns: 500 },
  );
});

for (const [what, unit] of [
  ['an image', 'a'],
  ['quotes', '"'],
  ['backslashes', '\\'],
  ['now and then a quote', `${'a'.repeat(60)}"`],
  ['brackets', '[{'],
] as const) {
  test(`20 MiB of ${what} are passed over in a moment and not copied`, () => {
    const text = unit.repeat(Math.floor((20 * 1024 * 1024) / Buffer.byteLength(JSON.stringify(unit).slice(1, -1))));
    const body = Buffer.from(JSON.stringify({ messages: [{ content: text }], model: 'm' }));
    const begun = performance.now();
    const pieces = spliceChatBody(body, { model: 'upstream', includeUsage: true });
    const tookMs = performance.now() - begun;
    assert.ok(tookMs < 1000, `${tookMs} ms`);
    const [first, , second] = pieces;
    assert.equal(first?.buffer, body.buffer);
    assert.equal(second?.buffer, body.buffer);
    assert.ok(Buffer.concat(pieces.slice(-2)).toString().endsWith('"upstream"}'));
  });
}

for (const text of [
  '',
  '[]',
  '"x"',
  '{',
  '{"a"',
  '{"a":',
  '{"a":[',
  '{"a":"',
  '{"a":1',
  '{"a":1,',
  '{a:1}',
  '{"a" 1}',
]) {
  test(`${JSON.stringify(text)} is refused, not searched for ever`, () =>
    assert.throws(() => splice(text, true), TypeError));
}
