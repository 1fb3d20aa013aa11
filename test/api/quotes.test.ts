/** Quotes: exactly what the operation would hold, refused as it would refuse, and nothing held, counted or stored. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseAmount } from '../../src/domain/money.ts';
import { assertError } from '../support/errors.ts';
import { answerOf, bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { mp4, wav } from '../support/media.ts';

let gateway: TestGateway;
before(async () => {
  // Without a worker, what is held stays held.
  gateway = await startTestGateway({
    worker: false,
    env: { TOLLGATE_ALLOW_PRIVATE_URLS: 'false' },
    configuration: `
providers: { simulator: { kind: simulator } }
models:
  - { id: chat, kind: chat, routes: [{ provider: simulator, model: m }], price: { input_per_million: 2.5, output_per_million: 8 } }
  - id: dear-cache
    kind: code
    routes: [{ provider: simulator, model: m }]
    price: { input_per_million: 2, output_per_million: 8, cached_input_per_million: 3 }
    limits: { max_output_tokens: 100 }
  - { id: image, kind: image, routes: [{ provider: simulator, model: m }], price: { per_image: 0.25 } }
  - { id: video, kind: video, routes: [{ provider: simulator, model: m }], price: { per_second: 0.3 } }
  - { id: face, kind: avatar-video, routes: [{ provider: simulator, model: m }], price: { per_second: 0.05 }, limits: { max_seconds: 30 } }
  - { id: talk, kind: avatar-talk, routes: [{ provider: simulator, model: m }], price: { per_second: 0.05 } }
  - { id: talk-two, kind: avatar-talk, routes: [{ provider: simulator, model: m }], price: { per_second: 0.1 } }
  - { id: hidden, kind: image, published: false, routes: [{ provider: simulator, model: m }], price: { per_image: 0.25 } }
  - { id: broken, kind: image, maintenance: true, routes: [{ provider: simulator, model: m }], price: { per_image: 0.25 } }
  - { id: broken-chat, kind: chat, maintenance: true, routes: [{ provider: simulator, model: m }], price: { input_per_million: 1, output_per_million: 1 } }
`,
  });
});
after(() => gateway.stop());

const quote = (path: string, body: unknown, key = gateway.key, root = '/v1') =>
  gateway.post(`${root}/quotes`, { path, body }, bearer(key));
const hello = { model: 'chat', messages: [{ role: 'user', content: 'Hello' }] };

/** What the operation itself holds for the body, by its ledger entry. */
async function heldBy(path: string, body: unknown): Promise<number> {
  const { key } = await gateway.newKey({ balance: '1000' });
  const answer = await gateway.post(`/v1${path}`, body, { ...bearer(key), Prefer: 'wait=0' });
  assert.ok(answer.status === 200 || answer.status === 202, JSON.stringify(answer.body));
  const [entry] = (await gateway.get('/v1/account/ledger?type=hold', bearer(key))).body['data'] as { amount: number }[];
  assert.ok(entry);
  return -entry.amount;
}

for (const [path, body, rest] of [
  [
    '/images/generations',
    { model: 'image', prompt: 'A gate', n: 3 },
    { hold: 0.75, unit: 'image', units: 3, unit_price: 0.25 },
  ],
  [
    '/video/generations',
    { model: 'video', prompt: 'Cars', duration: 8 },
    { hold: 2.4, unit: 'second', units: 8, unit_price: 0.3 },
  ],
  [
    '/video/generations',
    { model: 'face', audioUrl: 'http://93.184.216.34/a.wav', videoUrl: 'http://93.184.216.34/v.mp4' },
    { hold: 1.5, unit: 'second', units: 30, unit_price: 0.05 },
  ],
] as const) {
  test(`a quote for ${body.model} is what its creation holds`, async () => {
    for (const root of ['/v1', '/ai/v1']) {
      const { status, body: answer } = await quote(path, body, undefined, root);
      assert.deepEqual([status, answer], [200, { object: 'quote', model: body.model, currency: 'CNY', ...rest }]);
    }
    assert.equal(await heldBy(path, body), rest.hold);
  });
}

for (const [path, body] of [
  ['/chat/completions', hello],
  ['/chat/completions', { ...hello, n: 3, max_tokens: 50, stream: true }],
  ['/chat/completions', { ...hello, messages: [{ role: 'user', content: '你好，"世界" \u0007'.repeat(50) }] }],
  ['/responses', { model: 'dear-cache', input: 'A function that adds', max_output_tokens: 5_000 }],
] as const) {
  test(`a quote of a call is what the call holds: ${JSON.stringify(body).slice(0, 80)}`, async () => {
    const { status, body: answer } = await quote(path, body);
    assert.equal(status, 200, JSON.stringify(answer));
    const { hold, units, lines, price, ...rest } = answer;
    assert.equal((price as { output_per_million: number }).output_per_million, 8);
    assert.deepEqual(rest, { object: 'quote', model: body.model, currency: 'CNY', unit: 'token', unit_price: null });
    assert.equal(hold, await heldBy(path, body));
    const parts = lines as { unit: string; units: number; unit_price: number; amount: number }[];
    assert.equal(
      units,
      parts.reduce((sum, line) => sum + line.units, 0),
    );
    const micros = (money: number) => parseAmount(money.toFixed(6)) ?? assert.fail();
    assert.equal(
      micros(hold),
      parts.reduce((sum, line) => sum + micros(line.amount), 0n),
    );
  });
}

test('the spaces of a body count in a quote as in the call', async () => {
  const body = '{ "model" : "chat",\n\n  "messages": [ {"role": "user", "content": "Hello"} ] }';
  const spaced = await gateway.post('/v1/quotes', `{"path":"/chat/completions","body": ${body} }`);
  assert.equal(spaced.status, 200, JSON.stringify(spaced.body));
  assert.equal(spaced.body['hold'], await heldBy('/chat/completions', body));
  assert.ok(spaced.body['hold'] > (await quote('/chat/completions', hello)).body['hold']);
});

test('a quote of a body that can be read in two ways is refused as the call is', async () => {
  for (const [body, param] of [
    ['{"model":"chat","Model":"other","messages":[]}', 'body.Model'],
    ['{"model":"chat","max_tokens":9,"max_tokens":1,"messages":[]}', 'body.max_tokens'],
  ] as const)
    assertError(await gateway.post('/v1/quotes', `{"path":"/chat/completions","body":${body}}`), 'invalid_json', param);
  const twice = '{"body":{"model":"no"},"path":"/chat/completions","body":{}}';
  assertError(await gateway.post('/v1/quotes', twice), 'invalid_json', 'body');
});

test('the price of a single token is exact, however small it is', async () => {
  const { lines } = (await quote('/chat/completions', hello)).body;
  assert.deepEqual(
    (lines as { unit: string; unit_price: number }[]).map(({ unit, unit_price }) => [unit, unit_price]),
    [
      ['input_token', 0.0000025],
      ['output_token', 0.000008],
    ],
  );
});

test('avatar-talk is quoted by the seconds of its audio, of the first model or the one that is named', async () => {
  const head = { object: 'quote', currency: 'CNY', unit: 'second' };
  const answer = async (body: object) => (await quote('/svctalk/generate', body)).body;
  assert.deepEqual(await answer({ audio_seconds: 12.4 }), {
    ...head,
    model: 'talk',
    hold: 0.62,
    units: 12.4,
    unit_price: 0.05,
  });
  assert.deepEqual(await answer({ audio_seconds: 0.0014999, model: 'talk-two' }), {
    ...head,
    model: 'talk-two',
    hold: 0.0001,
    units: 0.001,
    unit_price: 0.1,
  });
  const { key } = await gateway.newKey({ balance: '1' });
  const form = new FormData();
  form.append('audio', new Blob([wav({ seconds: 12.4 })]), 'voice.wav');
  form.append('video', new Blob([await mp4({ seconds: 1, hasAudio: false })]), 'footage.mp4');
  const sent = await answerOf(
    await gateway.fetch('/v1/svctalk/generate', { method: 'POST', headers: bearer(key), body: form }),
  );
  assert.equal(sent.status, 200);
  assert.deepEqual(await gateway.money(key), { balance: 0.38, held: 0.62 });
});

test('a quote holds, counts and stores nothing, and asks for neither balance nor limits', async () => {
  const { key, account, keyId } = await gateway.newKey({
    balance: '0',
    level: 'read',
    callLimits: [{ calls: 1, per: 'total' }],
    spendLimit: { amount: parseAmount('0.01') ?? assert.fail(), per: 'total' },
    maxRunningTasks: 0,
  });
  const bodies = [
    ['/images/generations', { model: 'image', prompt: 'A gate', n: 3 }],
    ['/chat/completions', hello],
    ['/svctalk/generate', { audio_seconds: 600 }],
  ] as const;
  for (const [path, body] of [...bodies, ...bodies]) {
    const answer = await quote(path, body, key);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.equal(answer.headers.get('x-ratelimit-remaining'), '1');
  }
  const { rows } = await gateway.core.database.pool.query(
    `select (select count(*) from entries where account_id = $1) + (select count(*) from holds where account_id = $1)
       + (select count(*) from tasks where account_id = $1) + (select calls_total from api_keys where id = $2) as traces`,
    [account, keyId],
  );
  assert.deepEqual(rows, [{ traces: 0n }]);
});

const image = { model: 'image', prompt: 'A gate' };
for (const [path, body, code, param] of [
  ['/images/generations', { prompt: 'A gate' }, 'missing_parameter', 'body.model'],
  ['/images/generations', { ...image, model: 'unknown' }, 'model_not_found', 'body.model'],
  ['/images/generations', { ...image, model: 'hidden' }, 'model_not_found', 'body.model'],
  ['/images/generations', { ...image, model: 'video' }, 'invalid_parameter', 'body.model'],
  ['/images/generations', { model: 'image' }, 'missing_parameter', 'body.prompt'],
  ['/images/generations', { ...image, n: 11 }, 'invalid_parameter', 'body.n'],
  [
    '/images/generations',
    { ...image, image_urls: ['http://10.0.0.1/x.png'] },
    'invalid_parameter',
    'body.image_urls[0]',
  ],
  ['/images/generations', { ...image, webhook_url: 'http://localhost/' }, 'invalid_parameter', 'body.webhook_url'],
  ['/images/generations', { ...image, model: 'broken' }, 'model_in_maintenance', null],
  ['/video/generations', { model: 'video', prompt: 'Cars', duration: 6 }, 'invalid_parameter', 'body.duration'],
  [
    '/video/generations',
    { model: 'face', audioUrl: 'http://127.0.0.1/a', videoUrl: 'http://93.184.216.34/v' },
    'invalid_parameter',
    'body.audioUrl',
  ],
  [
    '/chat/completions',
    { model: 'chat', messages: [{ role: 'user' }] },
    'missing_parameter',
    'body.messages[0].content',
  ],
  ['/chat/completions', { ...hello, model: 'broken-chat' }, 'model_in_maintenance', null],
  ['/responses', { model: 'chat' }, 'missing_parameter', 'body.input'],
  [
    '/responses',
    { model: 'chat', input: 'Hi', previous_response_id: 'resp_x' },
    'response_not_found',
    'body.previous_response_id',
  ],
  ['/svctalk/generate', {}, 'missing_parameter', 'body.audio_seconds'],
  ['/svctalk/generate', { audio_seconds: 0 }, 'invalid_parameter', 'body.audio_seconds'],
  ['/svctalk/generate', { audio_seconds: 600.001 }, 'invalid_parameter', 'body.audio_seconds'],
  ['/svctalk/generate', { audio_seconds: '12' }, 'invalid_parameter', 'body.audio_seconds'],
  ['/svctalk/generate', { audio_seconds: 1, model: 'image' }, 'invalid_parameter', 'body.model'],
  ['/svctalk/generate', { audio_seconds: 1, template_name: '' }, 'invalid_parameter', 'body.template_name'],
  ['/models', image, 'invalid_parameter', 'path'],
  ['/v1/images/generations', image, 'invalid_parameter', 'path'],
  [undefined, image, 'missing_parameter', 'path'],
  ['/images/generations', undefined, 'missing_parameter', 'body'],
  ['/images/generations', 'A gate', 'invalid_parameter', 'body'],
] as const) {
  test(`a quote for ${String(path)} is refused as the operation is, at ${String(param)}: ${body === undefined ? 'no body' : JSON.stringify(body)}`, async () => {
    const answer = await gateway.post('/v1/quotes', { path, body });
    assertError(answer, code, param);
    assert.equal(answer.headers.has('retry-after'), code === 'model_in_maintenance');
    const { message } = answer.body['error'] as { message: string };
    if (/^'/.test(message)) assert.ok(message.startsWith(`'${String(param)}'`), message);
  });
}

test('a model that is not on the key’s list is refused, and so is a stranger', async () => {
  const { key } = await gateway.newKey({ models: ['chat'], level: 'read' });
  assertError(await quote('/images/generations', image, key), 'model_not_allowed', 'body.model');
  assertError(await quote('/images/generations', image, 'sk-tg-unknown'), 'invalid_api_key');
});
