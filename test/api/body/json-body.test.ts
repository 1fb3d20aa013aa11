import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { readJsonBody } from '../../../src/api/body/json-body.ts';
import { ClientGone } from '../../../src/api/body/request-stream.ts';
import { GatewayError } from '../../../src/domain/errors.ts';
import { withBodyServer, type BodyServer, type Outcome } from './body-server.ts';

const bytesMax = 1000;
const json = 'application/json';
const withServer = (use: (server: BodyServer<{ bytes: Buffer; value: unknown }>) => Promise<void>) =>
  withBodyServer((request) => readJsonBody(request, { bytesMax }), use);

function assertRefused({ error }: Outcome<unknown>, code: string, message = /./): void {
  assert.ok(error instanceof GatewayError, String(error));
  assert.equal(error.code, code);
  assert.match(error.message, message);
}

test('a body is given as its bytes and its value', () =>
  withServer(async ({ post, outcome }) => {
    const text = '{"model": "多", "n": 1}';
    post({ 'content-type': json, 'content-length': Buffer.byteLength(text) }, text);
    const { value } = await outcome();
    assert.equal(value?.bytes.toString(), text);
    assert.deepEqual(value.value, { model: '多', n: 1 });
  }));

test('a body in several chunks, split within a character, is put together', () =>
  withServer(async ({ post, outcome }) => {
    const bytes = Buffer.from('"多"');
    const chunks = [bytes.subarray(0, 2), bytes.subarray(2, 3), bytes.subarray(3)];
    const client = post({ 'content-type': json, 'transfer-encoding': 'chunked' });
    for (const chunk of chunks)
      client.socket.write(Buffer.concat([Buffer.from(`${chunk.length}\r\n`), chunk, Buffer.from('\r\n')]));
    client.socket.write('0\r\n\r\n');
    assert.equal((await outcome()).value?.value, '多');
  }));

for (const type of [
  'application/json',
  'Application/JSON; charset=UTF-8',
  'application/json;charset="utf-8"',
  'application/vnd.api+json',
  'application/json; profile=x',
]) {
  test(`${type} is taken`, () =>
    withServer(async ({ post, outcome }) => {
      post({ 'content-type': type, 'content-length': 2 }, '{}');
      assert.deepEqual((await outcome()).value?.value, {});
    }));
}

for (const [what, headers] of [
  ['no type', {}],
  ['plain text', { 'content-type': 'text/plain' }],
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['a type that only begins like JSON', { 'content-type': 'application/jsonp' }],
  ['another charset', { 'content-type': 'application/json; charset=gbk' }],
  ['a compressed body', { 'content-type': json, 'content-encoding': 'gzip' }],
] as const) {
  test(`${what} is refused as unsupported_media_type, and the connection stays usable`, () =>
    withServer(async ({ post, outcome }) => {
      const client = post({ ...headers, 'content-length': 2 }, '{}');
      assertRefused(await outcome(), 'unsupported_media_type');
      assert.deepEqual((await client.answer()).body, { code: 'unsupported_media_type', param: null });
      client.socket.write(`POST / HTTP/1.1\r\nhost: gate\r\ncontent-type: ${json}\r\ncontent-length: 1\r\n\r\n1`);
      assert.equal((await outcome()).value?.value, 1);
    }));
}

test('content-encoding identity is none', () =>
  withServer(async ({ post, outcome }) => {
    post({ 'content-type': json, 'content-encoding': 'identity', 'content-length': 1 }, '1');
    assert.equal((await outcome()).value?.value, 1);
  }));

test('a body of just the limit is taken', () =>
  withServer(async ({ post, outcome }) => {
    post({ 'content-type': json, 'content-length': bytesMax }, `"${'x'.repeat(bytesMax - 2)}"`);
    assert.equal((await outcome()).value?.bytes.length, bytesMax);
  }));

test('a body that announces too much is refused before any of it came, whatever its type', () =>
  withServer(async ({ post, outcome }) => {
    for (const type of [json, 'text/plain']) {
      const client = post({ 'content-type': type, 'content-length': bytesMax + 1 });
      assertRefused(await outcome(), 'request_too_large', /1000 bytes/);
      assert.equal((await client.answer()).status, 400);
    }
  }));

test('a chunked body is refused as soon as too much came, without waiting for its end', () =>
  withServer(async ({ post, outcome }) => {
    const client = post({ 'content-type': json, 'transfer-encoding': 'chunked' });
    client.socket.write(`3e8\r\n${'x'.repeat(1000)}\r\n`);
    client.socket.write('1\r\nx\r\n');
    assertRefused(await outcome(), 'request_too_large');
    assert.equal((await client.answer()).status, 400);
  }));

test('a caller that reads only after it has sent everything still gets the refusal', () =>
  withServer(async ({ post, outcome }) => {
    const big = Buffer.alloc(20 * 1024 * 1024, 0x20);
    const client = post({ 'content-type': json, 'content-length': big.length });
    client.socket.pause();
    await new Promise<void>((resolve, reject) =>
      client.socket.write(big, (error) => (error ? reject(error) : resolve())),
    );
    client.socket.resume();
    assertRefused(await outcome(), 'request_too_large');
    assert.deepEqual((await client.answer()).body, { code: 'request_too_large', param: null });
  }));

for (const [what, body, message] of [
  ['an empty body', '', /it ends at line 1, column 1, expected a value/],
  ['a broken body', '{\n "a": x}', /line 2, column 7: expected a value/],
  ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), /not valid UTF-8/],
  ['UTF-16', Buffer.from('\ufeff{}', 'utf16le'), /UTF-8/],
  ['a byte order mark', '\ufeff{}', /line 1, column 1/],
  ['257 levels', '['.repeat(257) + ']'.repeat(257), /deeper than 256 levels/],
  [
    '257 levels of objects and lists',
    `${'{"a":'.repeat(100)}${'['.repeat(157)}${']'.repeat(157)}${'}'.repeat(100)}`,
    /deeper than 256 levels/,
  ],
] as const) {
  test(`${what} is refused as invalid_json, saying where`, () =>
    withServer(async ({ post, outcome }) => {
      post({ 'content-type': json, 'content-length': Buffer.byteLength(body) }, Buffer.from(body));
      assertRefused(await outcome(), 'invalid_json', message);
    }));
}

test('256 levels are taken', () =>
  withServer(async ({ post, outcome }) => {
    post({ 'content-type': json, 'content-length': 512 }, '['.repeat(256) + ']'.repeat(256));
    assert.ok(Array.isArray((await outcome()).value?.value));
  }));

test('what the message says of a broken body quotes nothing of it', () =>
  withServer(async ({ post, outcome }) => {
    post({ 'content-type': json, 'content-length': 13 }, '{"a": secret}');
    const { error } = await outcome();
    assert.ok(error instanceof GatewayError);
    assert.doesNotMatch(`${error.message} ${String(error.cause)}`, /secret/);
  }));

test('a caller that leaves in the middle is another error than one that sent nonsense', () =>
  withServer(async ({ post, outcome }) => {
    for (const leave of ['destroy', 'resetAndDestroy'] as const) {
      const client = post({ 'content-type': json, 'content-length': 10 }, '{"a"');
      await once(client.socket, 'connect');
      setImmediate(() => client.socket[leave]());
      assert.ok((await outcome()).error instanceof ClientGone);
    }
  }));

test('a caller that expects a go-ahead gets it once its headers were found good, else only the refusal', () =>
  withServer(async ({ post, outcome }) => {
    const good = post({ 'content-type': json, 'content-length': 2, expect: '100-continue' });
    const [goAhead] = (await once(good.socket, 'data')) as [Buffer];
    assert.equal(goAhead.toString(), 'HTTP/1.1 100 Continue\r\n\r\n');
    good.socket.write('{}');
    assert.deepEqual((await outcome()).value?.value, {});
    const bad = post({ 'content-type': json, 'content-length': bytesMax + 1, expect: '100-continue' });
    const [refusal] = (await once(bad.socket, 'data')) as [Buffer];
    assert.match(refusal.toString(), /^HTTP\/1\.1 400 /);
  }));

test('a body that comes too slowly is refused', () =>
  withBodyServer(
    (request) => readJsonBody(request, { bytesMax, totalMs: 60 }),
    async ({ post, outcome }) => {
      const client = post({ 'content-type': json, 'content-length': 1_000 }, '[');
      const drip = setInterval(() => client.socket.write(' '), 5);
      try {
        assertRefused(await outcome(), 'invalid_parameter', /may take at most 0.06 s in total/);
      } finally {
        clearInterval(drip);
      }
    },
  ));

test('a body may pause at its beginning; then it is refused as soon as less came than 16 KiB a second', () =>
  withBodyServer(
    (request) => readJsonBody(request, { bytesMax: 100_000, graceMs: 60 }),
    async ({ post, outcome }) => {
      post({ 'content-type': json, 'content-length': 50_000 }, ' '.repeat(1_024));
      assertRefused(await outcome(), 'invalid_parameter', /too slowly/);
    },
  ));

for (const [what, body, name] of [
  ['a name that is there twice', '{"n":1,"max_tokens":1,"max_tokens":100000}', 'max_tokens'],
  ['a name that is there twice, once by escapes', String.raw`{"model":"a","\u006dodel":"b"}`, 'model'],
  ['an unknown name that is there twice', '{"x":{},"model":"a","x":{}}', 'x'],
  ['a known name in another case', '{"model":"a","Model":"b"}', 'Model'],
  ['a known name in another case, alone', '{"MAX_TOKENS":1}', 'MAX_TOKENS'],
  ['a known name in another case by escapes', String.raw`{"model":"a","\u004dodel":"b"}`, 'Model'],
  ['a known name with letters that are folded to ASCII', '{"max_toKenſ":1}', 'max_toKenſ'],
] as const) {
  test(`${what} is refused as invalid_json, with the name`, () =>
    withBodyServer(
      (request) => readJsonBody(request, { bytesMax, names: new Set(['model', 'max_tokens', 'n']) }),
      async ({ post, outcome }) => {
        const client = post({ 'content-type': json, 'content-length': Buffer.byteLength(body) }, body);
        assertRefused(await outcome(), 'invalid_json', new RegExp(`ambiguous: '${name}'`, 'u'));
        assert.deepEqual((await client.answer()).body, { code: 'invalid_json', param: name });
      },
    ));
}

test('names that are no other but for more than their case, or below the top, are taken', () =>
  withBodyServer(
    (request) => readJsonBody(request, { bytesMax, names: new Set(['model', 'max_tokens']), places: ['model'] }),
    async ({ post, outcome }) => {
      const body = String.raw`{"maxTokens":1,"models":[{"Model":1,"a":1,"a":2}],"mod\u0065l":"a","__proto__":1,"MODE":2}`;
      post({ 'content-type': json, 'content-length': Buffer.byteLength(body) }, body);
      const { value } = await outcome();
      assert.equal(value?.members?.count, 5);
      assert.deepEqual(
        value.members.found.map(({ start, end }) => body.slice(start, end)),
        ['"a"'],
      );
    },
  ));

test('a body takes room for its bytes as they come, and for its values before they are handed on', () => {
  const taken: number[] = [];
  const refused = new GatewayError('overloaded', 'no room');
  const room = {
    require: () => undefined,
    take: (bytes: number) => (taken.push(bytes) === 3 ? refused : undefined),
  };
  return withBodyServer(
    (request) => readJsonBody(request, { bytesMax, room }),
    async ({ post, outcome }) => {
      const body = '{"a":[1,2,{"b":3}]}';
      post({ 'content-type': json, 'content-length': body.length }, body);
      const { value } = await outcome();
      assert.equal(value?.valueBytes, 200 * 6);
      assert.deepEqual(taken, [body.length, value.valueBytes]);
      post({ 'content-type': json, 'content-length': body.length }, body);
      assert.equal((await outcome()).error, refused);
    },
  );
});
