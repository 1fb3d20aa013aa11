/** The configuration is replaced while everything runs: new work goes by the new one, running work ends as it began. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SettingsError } from '../../src/config/setting-errors.ts';
import { assertError } from '../support/errors.ts';
import { bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { assertLedgerAddsUp } from '../support/money.ts';
import { chatAnswer, deltaEvent, doneEvent, openUpstream, usageEvent } from '../support/upstream.ts';

interface Written {
  deployments?: string;
  providers?: string;
  /** Of the model `image`. */
  image?: string;
  /** Its price. */
  price?: string;
  models?: string;
}

let first: Awaited<ReturnType<typeof openUpstream>>;
let gateway: TestGateway;
before(async () => {
  first = await openUpstream();
  gateway = await startTestGateway({ configuration: written(), leavingMs: 50 });
});
after(async () => {
  await assertLedgerAddsUp(gateway.core.database, gateway.core.secrets.first.ledger);
  await gateway.stop();
  await first.close();
});

const upstreamWith = (key: string) => `upstream: { kind: openai, base_url: '${first.upstream.url}', api_key: ${key} }`;

function written({ deployments = '', providers = '', image = '', price = '0.2', models = '' }: Written = {}): string {
  return `
${deployments}
providers:
  simulator: { kind: simulator }
  ${providers === '' ? upstreamWith('sk-of-the-operator-1') : providers}
models:
  - { id: image, kind: image, routes: [{ provider: simulator, model: m }], price: { per_image: ${price} }, ${image} }
  - { id: other, kind: image, routes: [{ provider: simulator, model: m }], price: { per_image: 1 } }
  - { id: chat, kind: chat, routes: [{ provider: upstream, model: m }], price: { input_per_million: 1, output_per_million: 1 } }
  ${models}
`;
}

const asked = (model = 'image', prompt = 'A toll gate') => ({ model, prompt, size: '1024x1024' });
const create = (body: unknown, key = gateway.key) => gateway.post('/ai/v1/images/generations', body, bearer(key));
const finished = async (id: unknown, key = gateway.key) =>
  (await gateway.finished(`/v1/images/generations/${String(id)}`, key)).body;
const modelIds = async () =>
  ((await gateway.get('/v1/models')).body['data'] as { id: string }[]).map(({ id }) => id).sort();
const health = async () => (await gateway.get('/api/models/health')).body;

test('a model in maintenance takes no new work, while its running task ends in success at the price that it began with', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const running = await create(asked('image', '[sim:delay=2s] before'), key);
  assert.equal(running.status, 202);

  assert.equal(await gateway.reload(written({ image: 'maintenance: true', price: '0.9' })), 'models changed: image');
  const refused = await create(asked(), key);
  assertError(refused, 'model_in_maintenance');
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.deepEqual(await modelIds(), ['chat', 'other']);
  assert.equal((await health())['health'].image.available, false);

  const task = await finished(running.body['id'], key);
  assert.deepEqual([task['status'], task['_local'].cost], ['succeeded', 0.2]);
  assert.deepEqual(await gateway.money(key), { balance: 9.8, held: 0 });

  assert.equal(await gateway.reload(written()), 'models changed: image');
  assert.equal((await finished((await create(asked(), key)).body['id'], key))['status'], 'succeeded');
});

test('a model that is no longer published is unknown, and gone from the list and from the health report', async () => {
  await gateway.reload(written({ image: 'published: false' }));
  assertError(await create(asked()), 'model_not_found', 'model');
  assertError(await gateway.get('/v1/models/image'), 'model_not_found', 'model');
  assert.deepEqual(await modelIds(), ['chat', 'other']);
  const report = await health();
  assert.deepEqual(Object.keys(report['health']), ['other', 'chat']);
  assert.deepEqual(Object.keys(report['capabilities']), ['other', 'chat']);
  await gateway.reload(written());
  assert.deepEqual(Object.keys((await health())['health']), ['image', 'other', 'chat']);
});

test('a new price is charged for new tasks only', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const before = await create(asked('image', '[sim:delay=1s]'), key);
  await gateway.reload(written({ price: '0.5' }));
  const later = await create(asked(), key);
  assert.equal((await finished(before.body['id'], key))['_local'].cost, 0.2);
  assert.equal((await finished(later.body['id'], key))['_local'].cost, 0.5);
  await gateway.reload(written());
});

test('variants and minimum charges are those that a task or call began with, too', async () => {
  const { key } = await gateway.newKey({ balance: '100' });
  const low = (prompt: string) => create({ ...asked('image', prompt), quality: 'low' }, key);
  const createVideo = (prompt: string) =>
    gateway.post('/v1/video/generations', { model: 'clip', prompt }, { ...bearer(key), Prefer: 'wait=0' });
  const filmAt = (price: string) =>
    `- { id: clip, kind: video, routes: [{ provider: simulator, model: m }], price: { per_second: 9, ${price} } }`;
  const began = {
    price: '0.2, by_quality: { low: 0.1 }, minimum: 0.15',
    models: filmAt('by_resolution: { 360p: 0.02 }, minimum: 0.3'),
  };
  const changed = {
    price: '0.2, by_quality: { low: 0.4 }, minimum: 0.7',
    models: filmAt('by_resolution: { 240p: 0.01, 360p: 0.5 }'),
  };
  await gateway.reload(written(began));
  const before = [await low('[sim:delay=2s]'), await createVideo('[sim:delay=2s]')];
  assert.equal(await gateway.reload(written(changed)), 'models changed: image, clip');
  const later = [await low('A toll gate'), await createVideo('Cars')];
  const costs = async ([image, video]: typeof before) => {
    const imageTask = await finished(image?.body['id'], key);
    const { body } = await gateway.finished(`/v1/video/generations/${String(video?.body['id'])}`, key);
    return [Number(imageTask['_local'].cost), Number(body['_local'].cost)];
  };
  assert.deepEqual(await costs(before), [0.15, 0.3]);
  assert.deepEqual(await costs(later), [0.7, 2.5]);
  const { body } = await gateway.get('/v1/account/ledger?type=capture', bearer(key));
  assert.deepEqual(
    (body['data'] as Record<string, unknown>[])
      .map((entry) => [entry['model'], entry['unit_price'], entry['reason']])
      .sort(),
    [
      ['clip', 0.02, 'minimum charge'],
      ['clip', 0.5, undefined],
      ['image', 0.1, 'minimum charge'],
      ['image', 0.4, 'minimum charge'],
    ],
  );
  await gateway.reload(written());
});

test('a chat call under way is held and charged by the minimum that it began with', async () => {
  const { key } = await gateway.newKey({ balance: '1' });
  const chatAtLeast = (minimum: string) =>
    written({
      models: `- { id: least, kind: chat, routes: [{ provider: upstream, model: m }], price: { input_per_million: 0, output_per_million: 0, minimum: ${minimum} } }`,
    });
  const { upstream } = first;
  let goOn: (value?: unknown) => void = () => undefined;
  const held = new Promise((resolve) => (goOn = resolve));
  upstream.answers({ pieces: [deltaEvent('Hel'), held, deltaEvent('lo', 'stop'), usageEvent(), doneEvent] });
  await gateway.reload(chatAtLeast('0.1'));
  const response = await gateway.fetch('/v1/chat/completions', {
    method: 'POST',
    headers: { ...bearer(key), 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'least', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
  });
  assert.deepEqual(await gateway.money(key), { balance: 0.9, held: 0.1 });
  await gateway.reload(chatAtLeast('0.5'));
  goOn();
  await response.text();
  let money = await gateway.money(key);
  while (money.held > 0) money = await gateway.money(key);
  assert.deepEqual(money, { balance: 0.9, held: 0 });
  await gateway.reload(written());
});

test("a new provider's tasks run without a restart", async () => {
  const changes = await gateway.reload(
    written({
      providers: `${upstreamWith('sk-of-the-operator-1')}\n  second: { kind: simulator, latency_ms: 1 }`,
      models: '- { id: fresh, kind: image, routes: [{ provider: second, model: m }], price: { per_image: 2 } }',
    }),
  );
  assert.equal(changes, 'models added: fresh; providers added: second');
  const answer = await gateway.post('/v1/images/generations', asked('fresh'));
  assert.deepEqual([answer.status, answer.body['_local']?.cost], [200, 2]);
  assert.equal((await health())['health'].fresh.available, true);

  const running = await create(asked('fresh', '[sim:delay=1s]'));
  const id = String(running.body['id']);
  await assert.rejects(gateway.reload(written()), (error) => {
    assert.ok(error instanceof SettingsError);
    assert.deepEqual(error.lines, [`providers.second: can't be removed: 1 unfinished task may need it (${id})`]);
    return true;
  });
  const kind = { providers: `upstream: { kind: simulator }\n  second: { kind: openai, api_key: sk-x }` };
  await assert.rejects(
    gateway.reload(written(kind)),
    /providers\.second: can't become another kind: 1 unfinished task/,
  );
  // All is as it was: the model is there, and its task ends well.
  assert.equal((await gateway.post('/v1/images/generations', asked('fresh'))).status, 200);
  assert.equal((await finished(id))['status'], 'succeeded');
});

test('a removed provider goes when no task needs it, and may come back', async () => {
  const withSecond = written({
    providers: `${upstreamWith('sk-of-the-operator-1')}\n  second: { kind: simulator }`,
    models: '- { id: fresh, kind: image, routes: [{ provider: second, model: m }], price: { per_image: 2 } }',
  });
  await gateway.reload(withSecond);
  assert.equal((await gateway.post('/v1/images/generations', asked('fresh'))).status, 200);
  assert.ok(gateway.core.providers.has('second'));
  await gateway.reload(written());
  assertError(await create(asked('fresh')), 'model_not_found', 'model');
  while (gateway.core.providers.has('second')) await new Promise((resolve) => setTimeout(resolve, 20));
  await gateway.reload(withSecond);
  assert.equal((await gateway.post('/v1/images/generations', asked('fresh'))).status, 200);
  await gateway.reload(written());
});

test('a chat call under way ends undisturbed while its provider gets another key, which the next call has', async () => {
  const { upstream } = first;
  let goOn: (value?: unknown) => void = () => undefined;
  const held = new Promise((resolve) => (goOn = resolve));
  upstream.answers({ pieces: [deltaEvent('Hel'), held, deltaEvent('lo', 'stop'), usageEvent(), doneEvent] });
  const call = { model: 'chat', stream: true, messages: [{ role: 'user', content: 'Hi' }] };
  const before = upstream.requests.length;
  const response = await gateway.fetch('/v1/chat/completions', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(call),
  });
  const reader = response.body!.getReader();
  let text = Buffer.from((await reader.read()).value ?? []).toString();
  assert.equal(
    await gateway.reload(written({ providers: upstreamWith('sk-of-the-operator-2') })),
    'providers changed: upstream',
  );
  upstream.answers(chatAnswer('Again'));
  assert.equal((await gateway.post('/v1/chat/completions', { ...call, stream: false })).status, 200);
  goOn();
  for (let part = await reader.read(); !part.done; part = await reader.read())
    text += Buffer.from(part.value).toString();
  assert.match(text, /data: \[DONE\]\n\n$/);
  const keys = upstream.requests
    .slice(before)
    .filter(({ method }) => method === 'POST')
    .map(({ headers }) => headers.authorization);
  assert.deepEqual(keys, ['Bearer sk-of-the-operator-1', 'Bearer sk-of-the-operator-2']);
  await gateway.reload(written({ providers: upstreamWith('sk-of-the-operator-2') }));
});

test('a bad file and one that changes the deployments leave everything as it was, and every mistake is reported', async () => {
  await gateway.reload(written());
  await assert.rejects(gateway.reload(written({ price: 'much', image: 'maintenance: perhaps' })), (error) => {
    assert.ok(error instanceof SettingsError);
    assert.equal(error.lines.length, 2);
    for (const line of error.lines) assert.match(line, /^tollgate\.yaml:\d+: models\[0\]\./);
    return true;
  });
  const fewer = 'deployments: [{ root: /v1, image_wait_seconds: 300, video_wait_seconds: 300 }]';
  await assert.rejects(
    gateway.reload(written({ deployments: fewer, price: '7' })),
    /deployments: can't change while the gateway is running/,
  );
  assert.equal(await gateway.reload(written()), 'none');
  assert.deepEqual(await modelIds(), ['chat', 'image', 'other']);
  assert.equal((await gateway.post('/v1/images/generations', asked())).body['_local'].cost, 0.2);
});

test('new limits are in force for the next request', async () => {
  const long = asked('image', 'x'.repeat(2000));
  await gateway.reload(`limits: { json_bytes: 1024 }\n${written()}`);
  assertError(await create(long), 'request_too_large');
  assert.equal(await gateway.reload(written()), 'limits changed');
  assert.equal((await create(long)).status, 202);
});

test('a model keeps the history of its health over reloads, and a new one is probed at once', async () => {
  for (let calls = 0; calls < 3; calls++) {
    assert.equal((await gateway.post('/v1/images/generations', asked('other', '[sim:fail=x]'))).status, 502);
  }
  await gateway.reload(written({ models: newcomer('upstream') }));
  const { other, newcomer: reported } = (await health())['health'];
  assert.equal(other.available, false);
  assert.equal(reported.available, true);
  assert.ok(Math.abs(reported.lastChecked - Date.now()) < 120_000);
  await gateway.reload(written());
});

const newcomer = (provider: string): string =>
  `- { id: newcomer, kind: chat, routes: [{ provider: ${provider}, model: m }], price: { input_per_million: 1, output_per_million: 1 } }`;
