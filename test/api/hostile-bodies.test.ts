/** JSON and headers that are made to hurt: each is answered in the form of all errors, soon, and nothing of it is believed. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertError } from '../support/errors.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { exchange } from '../support/raw-http.ts';

const images = '/ai/v1/images/generations';
const good = { model: 'sim-image', prompt: 'A toll gate', size: '1024x1024' };
const json = JSON.stringify(good);
const inside = json.slice(1, -1);

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ worker: false, env: { TOLLGATE_ALLOW_PRIVATE_URLS: 'false' } });
});
after(() => gateway.stop());

for (const [what, body, code, param] of [
  ['100,000 lists in each other', '['.repeat(100_000), 'invalid_json', null],
  ['100,000 closed lists in each other', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'invalid_json', null],
  ['100,000 objects in each other', '{"a":'.repeat(100_000), 'invalid_json', null],
  ['six million empty lists', `[${'[],'.repeat(6_000_000)}0]`, 'invalid_json', null],
  ['a million names', `{${Array.from({ length: 1_000_000 }, (_, at) => `"${at}":1`).join()}}`, 'invalid_json', null],
  ['a number of a million digits', `{${inside},"n":${'9'.repeat(1_000_000)}}`, 'invalid_parameter', 'n'],
  ['a number above all', `{${inside},"n":1e400}`, 'invalid_parameter', 'n'],
  ['a number above 2^53', `{${inside},"n":9007199254740993}`, 'invalid_parameter', 'n'],
  [
    'a string of a million escapes',
    `{"model":"sim-image","prompt":"x","size":"${'\\u0031'.repeat(1_000_000)}"}`,
    'invalid_parameter',
    'size',
  ],
  ['a string without an end', `{"model":"${'\\n'.repeat(500_000)}`, 'invalid_json', null],
  ['NaN', `{${inside},"n":NaN}`, 'invalid_json', null],
  ['a comment', `{/**/${inside}}`, 'invalid_json', null],
  ['a comma too much', `{${inside},}`, 'invalid_json', null],
  ['a byte order mark', `\ufeff${json}`, 'invalid_json', null],
  ['two values', `${json}${json}`, 'invalid_json', null],
  ['a NUL behind it', `${json}\0`, 'invalid_json', null],
  ['half a character', `{${inside.replace('A toll gate', '\\ud800')}}`, 'invalid_parameter', 'prompt'],
  ['a name only its prototype has', `{"__proto__":${json}}`, 'missing_parameter', 'model'],
  ['a constructor', `{"constructor":{"prototype":${json}}}`, 'missing_parameter', 'model'],
  ['two models', `{${inside},"model":"unknown"}`, 'invalid_json', 'model'],
  ['a second model in another case', `{${inside},"Model":"unknown"}`, 'invalid_json', 'Model'],
  ['a size in capitals', `{${inside},"SIZE":"4096x4096"}`, 'invalid_json', 'SIZE'],
  ['a model with a joiner of no width', json.replace('sim-image', 'sim\u200d-image'), 'model_not_found', 'model'],
  ['a model in letters of full width', json.replace('sim-image', 'ｓｉｍ-image'), 'model_not_found', 'model'],
  ['a model in capitals', json.replace('sim-image', 'SIM-IMAGE'), 'model_not_found', 'model'],
  ['a model with a space', json.replace('sim-image', 'sim-image '), 'model_not_found', 'model'],
  ['a model with a line end', json.replace('sim-image', 'sim-image\\r\\nX: y'), 'model_not_found', 'model'],
] as const) {
  test(`a body with ${what} is refused with ${code}`, async () => {
    assertError(await gateway.post(images, body), code, param);
  });
}

for (const [path, body] of [
  ['/v1/chat/completions', { model: 'sim-chat', messages: [{ role: 'user', content: 'Hi' }] }],
  ['/v1/responses', { model: 'sim-code', input: 'Hi' }],
] as const) {
  test(`what costs money upstream can't be had at ${path} in another case`, async () => {
    for (const dear of [{ Service_Tier: 'priority' }, { Best_of: 1000 }, { Web_Search_Options: {} }, { PROMPT: {} }]) {
      assertError(await gateway.post(path, { ...body, ...dear }), 'invalid_json', Object.keys(dear)[0]);
      const quote = await gateway.post('/v1/quotes', { path: path.slice('/v1'.length), body: { ...body, ...dear } });
      assertError(quote, 'invalid_json', `body.${Object.keys(dear)[0]}`);
    }
  });
}

test('bytes that are no UTF-8 are refused', async () => {
  for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80]]) {
    const body = Buffer.concat([Buffer.from('{"model":"'), Buffer.from(bytes), Buffer.from('"}')]);
    const headers = { 'Content-Type': 'application/json' };
    const response = await gateway.fetch(images, { method: 'POST', headers, body });
    assert.deepEqual([response.status, /invalid_json/.test(await response.text())], [400, true]);
  }
});

test('20 MB of spaces round a good body are read, more are refused', async () => {
  const spaces = ' '.repeat(20 * 1024 * 1024 - json.length);
  assert.equal((await gateway.post(images, spaces + json)).status, 202);
  assertError(await gateway.post(images, `${spaces} ${json}`), 'request_too_large');
});

test('a long text may have any number of brackets, quotes and commas in it', async () => {
  const prompt = '[{,"\\'.repeat(1_000_000);
  assertError(await gateway.post(images, { ...good, prompt }), 'invalid_parameter', 'prompt');
});

test('names that every object has change nothing for the next request', async () => {
  await gateway.post(images, `{"__proto__":{"model":"sim-image","upscale":true},${inside}}`);
  const plain: Record<string, unknown> = {};
  assert.deepEqual([plain['model'], plain['upscale']], [undefined, undefined]);
});

for (const [what, id] of [
  ['a line end', 'a\\r\\nSet-Cookie: b'],
  ['a quote', '"><script>'],
  ['129 characters', 'a'.repeat(129)],
  ['letters of another script', '\xe9\xe8'],
  ['nothing', ''],
] as const) {
  test(`a request id with ${what} is not taken over`, async () => {
    const request = `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\n\r\n`;
    const { answers } = await exchange(gateway.url, request, 50);
    assert.match(answers[0]?.headers.get('x-request-id') ?? '', /^req_[0-9a-f]{32}$/);
  });
}

test('an Idempotency-Key of any bytes that a header may have binds its own request and no other', async () => {
  const ids = new Map<string, string>();
  for (const key of [
    'a',
    'A',
    'a b',
    "'; drop table tasks; --",
    '../../x',
    '%00',
    '\xff\xfe',
    '{"$gt":""}',
    '__proto__',
  ]) {
    const request = `POST ${images} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${gateway.key}\r\nIdempotency-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`;
    for (let times = 0; times < 2; times++) {
      const { answers } = await exchange(gateway.url, request, 20);
      assert.equal(answers[0]?.status, 202, key);
      const { id } = JSON.parse(String(answers[0].body)) as { id: string };
      assert.equal(ids.get(key) ?? id, id);
      ids.set(key, id);
    }
  }
  assert.equal(new Set(ids.values()).size, ids.size);
});

const inward = [
  'http://127.0.0.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://017700000001/',
  'http://[::ffff:7f00:1]/',
  'http://[::ffff:169.254.169.254]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[fe80::1]/',
  'http://localhost./',
  'http://LOCALHOST/',
  'http://ｌｏｃａｌｈｏｓｔ/',
  'http://127。0。0。1/',
  'http://①②⑦.⓪.⓪.①/',
  'http://a.localhost/',
  'http://metadata.google.internal/',
  'http://user:word@example.com/',
  'http://example.com@127.0.0.1/',
  'http://127.0.0.1#@example.com/',
  'http://127.0.0.1\\@example.com/',
  'http:\\\\127.0.0.1/',
  'http:127.0.0.1',
  'gopher://127.0.0.1/',
  'file:///etc/passwd',
  '//127.0.0.1/',
  'http://0/',
  'http://169.254.169.254/latest/meta-data/',
];
for (const url of inward) {
  test(`${url} is no address for an image, a video or a webhook`, async () => {
    assertError(await gateway.post(images, { ...good, image_urls: [url] }), 'invalid_parameter', 'image_urls[0]');
    assertError(await gateway.post(images, { ...good, webhook_url: url }), 'invalid_parameter', 'webhook_url');
    const video = { model: 'sim-video-fast', content: [{ type: 'video_url', video_url: { url } }] };
    const { status } = await gateway.post('/v1/video/generations', video);
    assert.equal(status, 400);
  });
}
