import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanUpstreamMessage, upstreamError } from '../../src/net/upstream-error.ts';

for (const [what, body, message, param, code] of [
  ['OpenAI', { error: { message: 'bad', type: 't', param: 'messages[0]', code: 'c' } }, 'bad', 'messages[0]', 'c'],
  ['a code that is null', { error: { message: 'bad', type: 't', param: null, code: null } }, 'bad', null, null],
  ['a type for a code', { error: { message: 'bad', type: 't' } }, 'bad', null, 't'],
  ['a number for a code', { error: { message: 'bad', code: 400 } }, 'bad', null, '400'],
  ['an error that is a text', { error: 'bad' }, 'bad', null, null],
  ['a message', { message: 'bad', code: 'c' }, 'bad', null, 'c'],
  [
    'vLLM of old',
    { object: 'error', message: 'bad', type: 'BadRequestError', param: null, code: 400 },
    'bad',
    null,
    '400',
  ],
  ['a detail', { detail: 'bad' }, 'bad', null, null],
  [
    'FastAPI',
    { detail: [{ loc: ['body', 'messages', 0, 'content'], msg: 'bad', type: 'missing' }] },
    'bad',
    null,
    null,
  ],
  ['errors', { errors: [{ message: 'bad', code: 'c' }] }, 'bad', null, 'c'],
  ['a list', [{ error: { message: 'bad', code: 403 } }], 'bad', null, '403'],
  ['a failed response', { response: { error: { code: 'server_error', message: 'bad' } } }, 'bad', null, 'server_error'],
  ['an empty object', {}, '', null, null],
  ['null', { error: null }, '', null, null],
  ['an error within an error', { error: { error: { message: 'bad' } } }, 'bad', null, null],
] as const) {
  test(`reads ${what}`, () => {
    const read = upstreamError(Buffer.from(JSON.stringify(body)), 'application/json');
    assert.deepEqual(read, { message, param, code });
  });
}

test('plain text is the message, of a page it is the title', () => {
  assert.equal(upstreamError(Buffer.from(' upstream connect error\n'), 'text/plain').message, 'upstream connect error');
  const page = '<html><head><title>502 Bad Gateway</title></head><body><h1>x</h1></body></html>';
  assert.equal(upstreamError(Buffer.from(page), 'text/html').message, '502 Bad Gateway');
  assert.equal(upstreamError(Buffer.from('<html><body>x</body>'), '').message, '');
  assert.equal(upstreamError(Buffer.from('{"error":'), 'application/json').message, '{"error":');
  assert.equal(upstreamError(Buffer.alloc(0), '').message, '');
});

test('megabytes are not read, and a message is kept short', () => {
  assert.equal(upstreamError(Buffer.alloc(5_000_000, 'x'), 'text/plain').message.length, 1000);
  const deep = '['.repeat(30_000);
  assert.equal(upstreamError(Buffer.from(deep + ']'.repeat(30_000)), 'application/json').message, '');
});

for (const [message, clean] of [
  ['Incorrect API key provided: sk-abc***XYZ9.', 'Incorrect API key provided: [removed]'],
  ['Authorization: Bearer abc.def-123456 is bad', 'Authorization: [removed] is bad'],
  ['POST https://api.internal:8443/v1/chat?key=x failed', 'POST [removed] failed'],
  ['connect ECONNREFUSED 10.0.0.7:8000', 'connect ECONNREFUSED [removed]'],
  ['connect to [fe80::1]:80', 'connect to [removed]'],
  ['no route to 2001:db8::1:2', 'no route to [removed]'],
  ['getaddrinfo ENOTFOUND model-7b.default.svc', 'getaddrinfo ENOTFOUND [removed]'],
  [
    'upstream vllm-7b:8000 and localhost:9 and gpu1.example.com:443 are away',
    'upstream [removed] and [removed] and [removed] are away',
  ],
  ['File "/usr/lib/python3/x.py", line 3', 'File "[removed]", line 3'],
  [
    'Rate limit reached for gpt-4o in organization org-AbC123xyz on tokens per min',
    'Rate limit reached for gpt-4o in organization [removed] on tokens per min',
  ],
  ['the secret opensesame leaked', 'the secret [removed] leaked'],
  [
    'No such deployment: https://10.9.8.7:8443/v1/deploy?api_key=opensesame&tenant=acme-prod',
    'No such deployment: [removed]',
  ],
  ['GET https://gw.corp/opensesame/deploy/prod-7/logs failed', 'GET [removed] failed'],
  ['(see https://gw.corp/v1?key=sk-abc123def456&tenant=acme)', '(see [removed])'],
  ['https://[fe80::1]:8443/v1/x?key=opensesame is away', '[removed] is away'],
  ['10.9.8.7:8443/v1/deploy?api_key=opensesame&tenant=acme is away', '[removed] is away'],
  ['vllm-7b:8000/v1/opensesame/x and gw.corp/v1?tenant=acme', '[removed] and [removed]'],
  ['two\n lines\tand \u0000', 'two lines and'],
  // What has to stay.
  [
    "'messages[0].content' must be a string at 12:30:45, status:400, ratio 16:9, v1.2.3",
    "'messages[0].content' must be a string at 12:30:45, status:400, ratio 16:9, v1.2.3",
  ],
  [
    "This model's maximum context length is 8192 tokens. Reduce max_tokens: see the docs.",
    "This model's maximum context length is 8192 tokens. Reduce max_tokens: see the docs.",
  ],
  [
    'key_required is missing; use response_format/json_schema',
    'key_required is missing; use response_format/json_schema',
  ],
] as const) {
  test(`'${message.slice(0, 60)}' is shown as '${clean.slice(0, 60)}'`, () =>
    assert.equal(cleanUpstreamMessage(message, ['opensesame', undefined, '']), clean));
}

test('a message made to be hard on patterns is cleaned in a moment', () => {
  for (const text of ['a.', 'a-', '1.', ':', 'a:', 'sk-', '0:', 'Bearer ', '[::', 'a://', 'aB-']) {
    // Backtracking without end would outlast the time that the file has.
    assert.ok(cleanUpstreamMessage(text.repeat(50_000)).length > 0, text);
  }
});
