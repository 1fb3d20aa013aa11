import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { suspendAccount } from '../../src/accounts/accounts.ts';
import { revokeKey } from '../../src/accounts/api-keys.ts';
import { assertError } from '../support/errors.ts';
import { answerOf, bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/process.ts';

const images = '/v1/images/generations';
const videos = '/v1/video/generations';
const talks = '/v1/svctalk/generate';
const good = { model: 'image', prompt: 'A toll gate', size: '1024x1024' };
const json = { 'Content-Type': 'application/json' };
const shut = 'sk-tg-of-no-key';

const configuration = `
providers: { simulator: { kind: simulator } }
limits: { json_bytes: 2048 }
models:
  - { id: image, kind: image, routes: [{ provider: simulator, model: m }], price: { per_image: 0.2 }, limits: { prompt_characters: 800 } }
  - { id: other, kind: image, routes: [{ provider: simulator, model: m }], price: { per_image: 0.2 } }
  - { id: broken, kind: image, maintenance: true, routes: [{ provider: simulator, model: m }], price: { per_image: 0.2 } }
  - { id: hidden, kind: image, published: false, routes: [{ provider: simulator, model: m }], price: { per_image: 0.2 } }
  - { id: video, kind: video, routes: [{ provider: simulator, model: m }], price: { per_second: 0.1 } }
`;

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway({ configuration, worker: false });
});
after(() => gateway.stop());

const ask = async (path: string, init: Parameters<TestGateway['fetch']>[1] = {}) =>
  answerOf(await gateway.fetch(path, init));

for (const path of ['/', '/v1', '/v2/models', '/v1/nothing', '/ai/v2/models', '/v1/svctalk', '/V1/models']) {
  test(`there is nothing at ${path}, with a key or without`, async () => {
    assertError(await ask(path, { key: null }), 'route_not_found');
    assertError(await ask(path), 'route_not_found');
  });
}

for (const [path, method, allow] of [
  [images, 'PUT', ['POST']],
  ['/ai/v1/video/generations', 'GET', ['POST']],
  ['/v1/models', 'POST', ['GET', 'HEAD']],
  ['/v1/account', 'DELETE', ['GET', 'HEAD', 'PATCH']],
  ['/healthz', 'POST', ['GET', 'HEAD']],
  ['/v1/models', 'PROPFIND', ['GET', 'HEAD']],
  ['/api/models/health', 'PUT', ['GET', 'HEAD']],
] as const) {
  test(`${method} ${path} is answered with the methods that are allowed`, async () => {
    const answer = await ask(path, { method, key: null });
    assertError(answer, 'method_not_allowed');
    assert.deepEqual(answer.headers.get('allow')?.split(', ').sort(), [...allow]);
  });
}

for (const [what, authorization, code] of [
  ['no key', undefined, 'missing_api_key'],
  ['an unknown key', `Bearer ${shut}`, 'invalid_api_key'],
  ['another scheme', 'Basic dXNlcjpwYXNz', 'invalid_api_key'],
  ['a key without a scheme', shut, 'invalid_api_key'],
] as const) {
  for (const [method, path] of [
    ['GET', '/v1/models'],
    ['GET', '/v1/account'],
    ['GET', `${images}/img_x`],
    ['GET', `${videos}/vid_x`],
    ['GET', `${talks}/avt_x`],
    ['POST', images],
    ['POST', videos],
    ['POST', talks],
  ] as const) {
    test(`${method} ${path} with ${what} is refused`, async () => {
      const headers: Record<string, string> = authorization === undefined ? {} : { Authorization: authorization };
      assertError(await ask(path, { method, key: null, headers }), code);
    });
  }
}

for (const path of [
  '/v1/models/%E0%A4%A',
  '/v1/models/%00',
  '/v1/images/generations/%00',
  '/v1/images/generations/%E0%A4%A',
  '/v1/video/generations/img_x%2F..%2F',
  '/v1/svctalk/generate/' + 'x'.repeat(5_000),
  '/files/%00/0',
  '/files/%FF/%FF?e=1&k=1&s=1',
]) {
  test(`a path that names nothing is not found, however it is written: ${path.slice(0, 60)}`, async () => {
    const answer = await ask(path);
    assert.equal(answer.status, 404, JSON.stringify(answer.body));
    assertError(answer, String(answer.body['error'].code), (answer.body['error'] as { param: string | null }).param);
  });
}

for (const [query, param] of [
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['limit=1&limit=2', 'limit'],
  ['cursor=x', 'cursor'],
  ['from=yesterday', 'from'],
  ['type=gift', 'type'],
  ['task_id=%00', 'task_id'],
] as const) {
  test(`a ledger page with ${query} is refused`, async () => {
    assertError(await gateway.get(`/v1/account/ledger?${query}`), 'invalid_parameter', param);
  });
}

test('a scheme is read whatever its case', async () => {
  assert.equal((await gateway.get('/v1/models', { Authorization: `bearer ${gateway.key}` })).status, 200);
});

test('a revoked key is refused everywhere once it was looked up again, and at once for what is billed', async () => {
  const { key, keyId } = await gateway.newKey();
  assert.equal((await gateway.get('/v1/models', bearer(key))).status, 200);
  await revokeKey(gateway.by, keyId);
  assertError(await gateway.post(images, good, bearer(key)), 'invalid_api_key');
  const refusal = await until('the refusal', async () => {
    const answer = await gateway.get('/v1/models', bearer(key));
    return answer.status === 401 ? answer : undefined;
  });
  assertError(refusal, 'invalid_api_key');
});

test('an expired key is refused, one that expires later is not', async () => {
  const expired = await gateway.newKey({ expiresAt: new Date(Date.now() - 1) });
  assertError(await gateway.get('/v1/models', bearer(expired.key)), 'invalid_api_key');
  const later = await gateway.newKey({ expiresAt: new Date(Date.now() + 3_600_000) });
  assert.equal((await gateway.get('/v1/models', bearer(later.key))).status, 200);
});

test('a suspended account is refused', async () => {
  const { key, account } = await gateway.newKey({ balance: '5', level: 'admin' });
  await suspendAccount(gateway.by, account);
  assertError(await gateway.get('/v1/models', bearer(key)), 'account_suspended');
  assertError(await gateway.post(images, good, bearer(key)), 'account_suspended');
});

for (const [method, path, meant] of [
  ['POST', '/chat/completions', '/v1/chat/completions'],
  ['POST', '//chat/completions', '/v1/chat/completions'],
  ['POST', '/v1//chat/completions', '/v1/chat/completions'],
  ['POST', '/v1/v1/chat/completions', '/v1/chat/completions'],
  ['GET', '/models/', '/v1/models'],
  ['GET', '/images/generations/img_1', '/v1/images/generations/img_1'],
  ['POST', '/models', undefined],
  ['GET', `/${'x/'.repeat(500)}`, undefined],
] as const) {
  test(`${method} ${path.slice(0, 40)} is no route, and ${meant ?? 'nothing'} is named instead`, async () => {
    const answer = await ask(path, { method });
    assertError(answer, 'route_not_found');
    const [, named] = /Did you mean (.*)\?$/.exec(String(answer.body['error'].message)) ?? [];
    assert.equal(named, meant);
    assert.equal(answer.headers.get('allow'), null);
  });
}

test('a fixed path allows its own methods, not those of the path with an id that it looks like', async () => {
  for (const [path, allowed] of [
    ['/v1/responses/compact', 'POST'],
    ['/v1/responses/resp_1', 'HEAD, GET, DELETE'],
  ] as const)
    assert.equal((await ask(path, { method: 'OPTIONS' })).headers.get('allow'), allowed);
});

test('suspending an account stops at once what is billed, whatever was remembered of its key', async () => {
  const { key, account } = await gateway.newKey({ balance: '5' });
  assert.equal((await gateway.get('/v1/models', bearer(key))).status, 200);
  await suspendAccount(gateway.by, account);
  assertError(await gateway.post(images, good, bearer(key)), 'account_suspended');
});

for (const [level, creates] of [
  ['read', false],
  ['chat', false],
  ['standard', true],
  ['admin', true],
] as const) {
  test(`a key of level ${level} reads and ${creates ? 'creates' : 'does not create'}`, async () => {
    const { key } = await gateway.newKey({ level });
    for (const path of ['/v1/models', '/v1/account', '/v1/account/ledger']) {
      assert.equal((await gateway.get(path, bearer(key))).status, 200, path);
    }
    assertError(await gateway.get(`${images}/img_none`, bearer(key)), 'task_not_found');
    const headers = { ...bearer(key), Prefer: 'wait=0' };
    const image = await gateway.post(images, good, headers);
    const video = await gateway.post(videos, { model: 'video', prompt: 'A gate' }, headers);
    const talk = await gateway.post(talks, {}, headers);
    if (creates) {
      assert.deepEqual([image.status, video.status], [202, 202]);
      assertError(talk, 'unsupported_media_type');
    } else for (const answer of [image, video, talk]) assertError(answer, 'permission_denied');
  });
}

const long = (characters: number) => 'x'.repeat(characters);
for (const [what, body, code, param] of [
  ['no model', { prompt: 'A gate' }, 'missing_parameter', 'model'],
  ['a model that is null', { model: null, prompt: 'A gate' }, 'missing_parameter', 'model'],
  ['a model that is a number', { model: 5 }, 'invalid_parameter', 'model'],
  ['an unknown model', { ...good, model: 'unknown' }, 'model_not_found', 'model'],
  ['an unpublished model', { ...good, model: 'hidden' }, 'model_not_found', 'model'],
  ['a name that every object has', { ...good, model: '__proto__' }, 'model_not_found', 'model'],
  ['a model of another kind', { model: 'video', prompt: 'A gate' }, 'invalid_parameter', 'model'],
  ['a model in maintenance', { ...good, model: 'broken' }, 'model_in_maintenance', null],
  ['no prompt', { model: 'image' }, 'missing_parameter', 'prompt'],
  ['a prompt of 801 characters', { ...good, prompt: long(801) }, 'invalid_parameter', 'prompt'],
  ['a resolution without a ratio', { model: 'image', prompt: 'x', resolution: '2k' }, 'missing_parameter', 'ratio'],
  ['an unknown ratio', { model: 'image', prompt: 'x', ratio: '7:1' }, 'invalid_parameter', 'ratio'],
  ['a size below 1,048,576 pixels', { ...good, size: '1023x1024' }, 'invalid_parameter', 'size'],
  ['a size above 16,777,216 pixels', { ...good, size: '4097x4096' }, 'invalid_parameter', 'size'],
  ['eleven images', { ...good, n: 11 }, 'invalid_parameter', 'n'],
  ['upscaling without an image', { model: 'image', upscale: true }, 'missing_parameter', 'image_urls'],
  ['a reference that is a file', { ...good, image_urls: ['file:///etc/passwd'] }, 'invalid_parameter', 'image_urls[0]'],
  ['a prompt with a NUL', { ...good, prompt: 'a\0b' }, 'invalid_parameter', 'prompt'],
  ['a prompt with half a character', { ...good, prompt: 'a\ud800b' }, 'invalid_parameter', 'prompt'],
  ['a webhook with a NUL', { ...good, webhook_url: 'http://a.example/\0' }, 'invalid_parameter', 'webhook_url'],
  ['a list', [good], 'invalid_parameter', null],
  ['text', '"text"', 'invalid_parameter', null],
  ['broken JSON', '{"model": "image",', 'invalid_json', null],
  ['nothing', '', 'invalid_json', null],
  ['a body of 2049 bytes', `{"model":"${long(2037)}"}`, 'request_too_large', null],
] as const) {
  test(`an image creation with ${what} is refused with ${code}`, async () => {
    const answer = await gateway.post(images, body);
    assertError(answer, code, param);
    assert.equal(answer.headers.get('retry-after') !== null, code === 'model_in_maintenance');
  });
}

for (const [what, body, code, param] of [
  ['neither content nor prompt', { model: 'video' }, 'missing_parameter', 'content'],
  ['an empty content', { model: 'video', content: [] }, 'invalid_parameter', 'content'],
  [
    'a prompt beside a text',
    { model: 'video', prompt: 'a', content: [{ type: 'text', text: 'b' }] },
    'invalid_parameter',
    'prompt',
  ],
  [
    'a text with a NUL',
    { model: 'video', content: [{ type: 'text', text: '\0' }] },
    'invalid_parameter',
    'content[0].text',
  ],
  ['an unknown item', { model: 'video', content: [{ type: 'smell' }] }, 'invalid_parameter', 'content[0].type'],
  ['a duration of 6 s', { model: 'video', prompt: 'a', duration: 6 }, 'invalid_parameter', 'duration'],
  ['a ratio for images', { model: 'video', prompt: 'a', ratio: '4:3' }, 'invalid_parameter', 'ratio'],
  [
    'the flat body for no avatar',
    { model: 'video', audioUrl: 'http://a.example/a', videoUrl: 'http://a.example/v' },
    'invalid_parameter',
    'audioUrl',
  ],
  ['an image model', { model: 'image', prompt: 'a' }, 'invalid_parameter', 'model'],
] as const) {
  test(`a video creation with ${what} is refused with ${code}`, async () => {
    assertError(await gateway.post(videos, body), code, param);
  });
}

for (const [what, headers] of [
  ['text', { 'Content-Type': 'text/plain' }],
  ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
  ['another charset', { 'Content-Type': 'application/json; charset=latin1' }],
  ['a compressed body', { ...json, 'Content-Encoding': 'gzip' }],
] as const) {
  test(`${what} is refused as an unsupported media type`, async () => {
    assertError(await gateway.post(images, good, headers), 'unsupported_media_type');
  });
}

test('a JSON body with the charset UTF-8 or of a JSON type of its own is taken', async () => {
  for (const type of ['application/json; charset=UTF-8', 'application/vnd.api+json']) {
    const { status } = await gateway.post(images, good, { 'Content-Type': type, Prefer: 'wait=0' });
    assert.equal(status, 202, type);
  }
});

test('a model outside the allow-list of a key is refused, whether it is of the right kind or not', async () => {
  const { key } = await gateway.newKey({ models: ['other'] });
  assertError(await gateway.post(images, good, bearer(key)), 'model_not_allowed', 'model');
  assertError(await gateway.post(images, { model: 'video' }, bearer(key)), 'model_not_allowed', 'model');
  assert.equal(
    (await gateway.post(images, { ...good, model: 'other' }, { ...bearer(key), Prefer: 'wait=0' })).status,
    202,
  );
});

test('an account without the money is refused and nothing is held', async () => {
  const { key } = await gateway.newKey({ balance: '0.19' });
  const answer = await gateway.post(images, good, bearer(key));
  assertError(answer, 'insufficient_balance');
  assert.match(String(answer.body['error'].message), /0\.2 CNY.*0\.19 CNY/);
  assert.deepEqual(await gateway.money(key), { balance: 0.19, held: 0 });
});

test('what is refused is not held', async () => {
  const { key } = await gateway.newKey({ balance: '1' });
  const sent = [
    { ...good, prompt: '' },
    { ...good, model: 'broken' },
    { ...good, n: 6 },
    { ...good, model: 'unknown' },
  ];
  for (const body of sent) assert.ok((await gateway.post(images, body, bearer(key))).status >= 400);
  assert.deepEqual(await gateway.money(key), { balance: 1, held: 0 });
});

// Each request is wrong in two ways, and the first in the order of checks is answered.
for (const [first, second, code, send] of [
  ['an unknown route', 'no key', 'route_not_found', () => ask('/v1/nothing', { key: null })],
  ['a wrong method', 'no key', 'method_not_allowed', () => ask(images, { method: 'PUT', key: null })],
  ['a bad key', 'a body that is too large', 'invalid_api_key', () => gateway.post(images, long(4096), bearer(shut))],
  [
    'a bad key',
    'a wrong media type',
    'invalid_api_key',
    () => gateway.post(images, good, { ...bearer(shut), 'Content-Type': 'text/plain' }),
  ],
  [
    'a low level',
    'a body that is too large',
    'permission_denied',
    async () => gateway.post(images, long(4096), bearer((await gateway.newKey({ level: 'read' })).key)),
  ],
  [
    'a low level',
    'broken JSON',
    'permission_denied',
    async () => gateway.post(images, '{', bearer((await gateway.newKey({ level: 'chat' })).key)),
  ],
  [
    'a body that is too large',
    'a wrong media type',
    'request_too_large',
    () => gateway.post(images, long(4096), { 'Content-Type': 'text/plain' }),
  ],
  [
    'a wrong media type',
    'broken JSON',
    'unsupported_media_type',
    () => gateway.post(images, '{', { 'Content-Type': 'text/plain' }),
  ],
  ['broken JSON', 'an unknown model', 'invalid_json', () => gateway.post(images, '{"model":"unknown"')],
  ['no model', 'a bad prompt', 'missing_parameter', () => gateway.post(images, { prompt: 5 })],
  ['an unknown model', 'a bad prompt', 'model_not_found', () => gateway.post(images, { model: 'unknown', prompt: 5 })],
  [
    'an unknown model',
    'an allow-list',
    'model_not_found',
    async () =>
      gateway.post(images, { ...good, model: 'unknown' }, bearer((await gateway.newKey({ models: ['other'] })).key)),
  ],
  [
    'an allow-list',
    'the wrong kind',
    'model_not_allowed',
    async () => gateway.post(videos, good, bearer((await gateway.newKey({ models: ['other'] })).key)),
  ],
  ['the wrong kind', 'a bad body', 'invalid_parameter', () => gateway.post(videos, { model: 'image', duration: 1 })],
  ['a bad prompt', 'maintenance', 'invalid_parameter', () => gateway.post(images, { model: 'broken', prompt: '' })],
  [
    'an empty idempotency key',
    'maintenance',
    'invalid_parameter',
    () => gateway.post(images, { ...good, model: 'broken' }, { 'Idempotency-Key': '' }),
  ],
  [
    'maintenance',
    'a used-up call limit',
    'model_in_maintenance',
    async () => gateway.post(images, { ...good, model: 'broken' }, bearer(await usedUp())),
  ],
  [
    'a used-up call limit',
    'too little money',
    'call_limit_exceeded',
    async () => gateway.post(images, { ...good, n: 10 }, bearer(await usedUp())),
  ],
  [
    'a bad prompt',
    'a used-up call limit',
    'invalid_parameter',
    async () => gateway.post(images, { ...good, prompt: '' }, bearer(await usedUp())),
  ],
  [
    'a spend limit',
    'too little money',
    'spend_limit_exceeded',
    async () =>
      gateway.post(
        images,
        good,
        bearer((await gateway.newKey({ balance: '0', spendLimit: { amount: 1n as never, per: 'day' } })).key),
      ),
  ],
] as const) {
  test(`${first} is refused before ${second}`, async () => {
    const answer = await send();
    const param = (answer.body['error'] as { param: string | null } | undefined)?.param ?? null;
    assertError(answer, code, param);
  });
}

test('an idempotency key that is bound to another body is refused before maintenance, and maintenance before a limit', async () => {
  const { key } = await gateway.newKey({ balance: '1', callLimits: [{ calls: 1, per: 'total' }] });
  const headers = { ...bearer(key), Prefer: 'wait=0', 'Idempotency-Key': 'bound' };
  assert.equal((await gateway.post(images, good, headers)).status, 202);
  assertError(await gateway.post(images, { ...good, model: 'broken' }, headers), 'idempotency_key_reused');
  assert.equal(
    (await gateway.post(images, good, headers)).status,
    202,
    'the bound body is answered in spite of the limit',
  );
});

test('of several limits the calls are refused first, then the running tasks, then the spending', async () => {
  const limits = { maxRunningTasks: 1, spendLimit: { amount: 200_000n as never, per: 'day' } } as const;
  const full = await gateway.newKey({ balance: '0.2', callLimits: [{ calls: 1, per: 'total' }], ...limits });
  const busy = await gateway.newKey({ balance: '0.2', ...limits });
  for (const { key } of [full, busy]) {
    assert.equal((await gateway.post(images, good, { ...bearer(key), Prefer: 'wait=0' })).status, 202);
  }
  assertError(await gateway.post(images, good, bearer(full.key)), 'call_limit_exceeded');
  assertError(await gateway.post(images, good, bearer(busy.key)), 'concurrency_limit_exceeded');
});

test('a page that the OpenAI SDKs know how to read: an unknown key raises their authentication error', async () => {
  const answer = await ask('/v1/models', { key: shut });
  assert.deepEqual(Object.keys(answer.body), ['error']);
  assert.deepEqual(Object.keys(answer.body['error'] as object).sort(), ['code', 'message', 'param', 'type']);
});

/** A key of an account of its own, with 0.8 CNY left and no call. */
async function usedUp(): Promise<string> {
  const { key } = await gateway.newKey({ balance: '1', callLimits: [{ calls: 1, per: 'total' }] });
  assert.equal((await gateway.post(images, good, { ...bearer(key), Prefer: 'wait=0' })).status, 202);
  return key;
}

test('the bare address leads browsers to the console, and other clients to the 404 of an unknown route', async () => {
  const at = (accept: string, method = 'GET') =>
    fetch(`${gateway.url}/`, { method, redirect: 'manual', headers: { Accept: accept } });
  const browser = await at('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8');
  assert.deepEqual([browser.status, browser.headers.get('location')], [302, '/console/']);
  for (const answer of [await at('*/*'), await at('application/json'), await at('text/html', 'POST')])
    assertError(await answerOf(answer), 'route_not_found');
});
