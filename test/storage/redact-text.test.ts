/** Bodies as they are kept: fields redacted at any depth, media shortened, cut at a bound. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptText, redactText } from '../../src/bodies/redact-text.ts';

const fields = new Set(['password', 'api_key']);
const redactedOf = (value: unknown) => JSON.parse(redactText(JSON.stringify(value), fields)) as unknown;

test('values of named fields are redacted at any depth, whatever they are and however the name is written', () => {
  assert.deepEqual(
    redactedOf({ a: [{ Password: 'x', b: 1 }, { password: { deep: ['x'] } }], API_KEY: 17, api_key2: 'stays' }),
    { a: [{ Password: '[redacted]', b: 1 }, { password: '[redacted]' }], API_KEY: '[redacted]', api_key2: 'stays' },
  );
  assert.equal(
    redactText('{"pass\\u0077ord" : null, "x": [1, 2]}', fields),
    '{"pass\\u0077ord" : "[redacted]", "x": [1, 2]}',
  );
});

test('JSON within strings is redacted too, as the arguments of tools are', () => {
  const tool = { arguments: JSON.stringify({ user: 'u', password: 'x "quoted" \\' }) };
  assert.deepEqual(redactedOf({ tool }), {
    tool: { arguments: JSON.stringify({ user: 'u', password: '[redacted]' }) },
  });
  const words = { content: 'the password: "x", in plain words, stays' };
  assert.deepEqual(redactedOf(words), words);
});

test('what was cut off, and the lines of an event stream, are redacted as well', () => {
  assert.equal(redactText('{"a":1,"password":"half of i', fields), '{"a":1,"password":"[redacted]"');
  assert.equal(redactText('{"password":{"a":[1,', fields), '{"password":"[redacted]"');
  assert.equal(redactText('{"x":"{\\"password\\":\\"half', fields).includes('half'), false);
  const events = 'data: {"api_key":"k1","n":1}\n\ndata: {"api_key":2}\n\ndata: [DONE]\n\n';
  assert.equal(
    redactText(events, fields),
    'data: {"api_key":"[redacted]","n":1}\n\ndata: {"api_key":"[redacted]"}\n\ndata: [DONE]\n\n',
  );
});

test('long base64 is shortened, other text is not', () => {
  const url = `data:image/png;base64,${'iVBORw0K'.repeat(200)}`;
  const body = Buffer.from(JSON.stringify({ url, text: 'word '.repeat(500) }));
  const { text, bytes, cut } = keptText(body, { bytesMax: 10_000, fields });
  assert.deepEqual([bytes, cut], [body.length, false]);
  const kept = JSON.parse(text) as { url: string; text: string };
  assert.equal(kept.url, `data:image/png;base64,${'iVBORw0K'.repeat(3)}…[1600 characters]`);
  assert.equal(kept.text, 'word '.repeat(500));
});

test('a text ends at its bound, never within a character, and says that it was cut', () => {
  const { text, cut, bytes } = keptText(Buffer.from('éééé'), { bytesMax: 5, fields });
  assert.deepEqual([text, cut, bytes], ['éé', true, 8]);
  assert.deepEqual(keptText(Buffer.from('abc'), { bytes: 9, bytesMax: 5, fields }), {
    kind: 'text',
    text: 'abc',
    bytes: 9,
    cut: true,
  });
  // A secret whose field is in front of the bound is gone, also where its value is behind it.
  const long = Buffer.from(JSON.stringify({ password: 'secret '.repeat(100) }));
  assert.equal(keptText(long, { bytesMax: 100, fields }).text, '{"password":"[redacted]"');
});
