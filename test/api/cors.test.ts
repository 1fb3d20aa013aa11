/** Pages of other origins: which of them may call the public API from a browser, and that nothing else is opened to them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { KeyId } from '../../src/domain/ids.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { finishedTalk } from '../support/talks.ts';

const page = 'https://app.example.com';
const stranger = 'https://elsewhere.example.com';
const hello = { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] };
const corsHeaders = [
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-allow-methods',
  'access-control-allow-headers',
  'access-control-expose-headers',
  'access-control-max-age',
] as const;

interface Got {
  status: number;
  headers: Headers;
  text: string;
}

/** Sends a request as a browser does for a page of an origin, and reads the whole answer. */
async function get(gateway: TestGateway, path: string, origin: string, init: RequestInit = {}, key?: null) {
  const headers = { ...(init.headers as Record<string, string>), Origin: origin };
  const answer = await gateway.fetch(path, { ...init, headers, ...(key === null && { key }) });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

const preflight = (gateway: TestGateway, path: string, origin: string, asked = 'authorization,content-type') =>
  get(gateway, path, origin, {
    method: 'OPTIONS',
    headers: { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': asked },
  });

const json = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

/** The CORS headers of an answer. */
const corsOf = ({ headers }: Got) =>
  Object.fromEntries(corsHeaders.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)]] : [])));

const varies = ({ headers }: Got): string[] => (headers.get('vary') ?? '').split(/,\s*/);

function assertReadable(answer: Got, origin = page): void {
  assert.equal(answer.headers.get('access-control-allow-origin'), origin, `${answer.status} ${answer.text}`);
  assert.equal(answer.headers.get('access-control-allow-credentials'), null);
  const exposed = (answer.headers.get('access-control-expose-headers') ?? '').toLowerCase().split(', ');
  const wanted = ['x-request-id', 'retry-after', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
  for (const name of [...wanted, 'x-should-retry', 'idempotency-replayed', 'x-cost', 'x-tokens', 'x-video-duration'])
    assert.ok(exposed.includes(name), name);
}

describe('with origins named', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({ env: { TOLLGATE_CORS_ORIGINS: `http://localhost:5173, ${page}` } });
  });
  after(() => gateway.stop());

  for (const path of ['/v1/chat/completions', '/ai/v1/images/generations', '/v1/svctalk/generate/avt_1', '/files/a/0'])
    test(`a preflight of ${path} is answered without a key, for the origin that asks`, async () => {
      const answer = await preflight(gateway, path, page, 'authorization,content-type,x-stainless-lang');
      assert.deepEqual([answer.status, answer.text], [204, '']);
      assert.deepEqual(corsOf(answer), {
        'access-control-allow-origin': page,
        'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
        'access-control-allow-headers': 'authorization,content-type,x-stainless-lang',
        'access-control-max-age': '7200',
      });
      assert.ok(varies(answer).includes('Origin'));
      assert.match(answer.headers.get('x-request-id') ?? '', /^req_/);
    });

  test('a preflight that asks for too many headers, or for what is no name, is allowed none', async () => {
    for (const asked of ['x-a,'.repeat(600) + 'x-b', 'x-a, ,x-b', 'x(a)', 'x-a;q=1']) {
      const answer = await preflight(gateway, '/v1/models', page, asked);
      assert.equal(answer.headers.get('access-control-allow-headers'), null, asked.slice(0, 20));
      assert.equal(answer.status, 204);
    }
  });

  for (const [origin, name] of [
    [stranger, 'that is not named'],
    ['null', 'of a sandboxed page'],
    [`${page}:8443`, 'with another port'],
    ['http://app.example.com', 'with another scheme'],
    [`${page}.evil.example`, 'that begins like a named one'],
  ] as const)
    test(`an origin ${name} is allowed nothing, and no cache gives it what others got`, async () => {
      const asked = await preflight(gateway, '/v1/chat/completions', origin);
      const answered = await get(gateway, '/v1/models', origin);
      assert.deepEqual([corsOf(asked), corsOf(answered)], [{}, {}]);
      assert.deepEqual([asked.status, answered.status], [204, 200]);
      assert.ok(varies(asked).includes('Origin') && varies(answered).includes('Origin'));
    });

  test('an answer without an origin varies by it, too', async () => {
    const answer = await gateway.get('/v1/models');
    assert.equal(answer.headers.get('access-control-allow-origin'), null);
    assert.match(answer.headers.get('vary') ?? '', /Origin/);
  });

  test('answers can be read: whole, streamed, refused, not found', async () => {
    const { key: limited } = await gateway.newKey({ callLimits: [{ calls: 1, per: 'minute' }] });
    const { key: poor } = await gateway.newKey({ balance: '0' });
    const chat = '/v1/chat/completions';
    const as = (key: string, body: unknown = hello) => ({
      ...json(body),
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
    });
    const expected: [status: number, answer: Promise<Got>][] = [
      [200, get(gateway, chat, page, json(hello))],
      [200, get(gateway, chat, page, json({ ...hello, stream: true }))],
      [200, get(gateway, '/v1/responses', page, json({ model: 'sim-code', input: 'Hello', stream: true }))],
      [200, get(gateway, '/api/models/health', page, {}, null)],
      [200, get(gateway, '/ai/v1/models/health', page, {}, null)],
      [400, get(gateway, chat, page, { ...json(hello), body: '{' })],
      [401, get(gateway, chat, page, json(hello), null)],
      [401, get(gateway, '/v1/models', page, { headers: { Authorization: 'Bearer sk-tg-unknown' } })],
      [402, get(gateway, chat, page, as(poor))],
      [404, get(gateway, '/v1/nothing', page)],
      [404, get(gateway, '/v1/tasks/img_1', page)],
      [405, get(gateway, '/v1/models', page, { method: 'POST' })],
      [415, get(gateway, chat, page, { method: 'POST', body: 'text' })],
    ];
    for (const [status, answer] of expected) {
      const got = await answer;
      assert.equal(got.status, status, got.text);
      assertReadable(got);
      assert.ok(varies(got).includes('Origin'), got.headers.get('vary') ?? 'no Vary');
    }
    assert.equal((await get(gateway, chat, page, as(limited))).status, 200);
    const tooMany = await get(gateway, chat, page, as(limited));
    assert.equal(tooMany.status, 429);
    assertReadable(tooMany);
    const csv = await get(gateway, '/v1/account/ledger', page, { headers: { Accept: 'text/csv' } });
    assert.deepEqual([csv.status, varies(csv).sort()], [200, ['Accept', 'Origin']]);
    assertReadable(csv);
  });

  test('files and results can be downloaded', async () => {
    const image = { model: 'sim-image', prompt: 'A toll gate', size: '1024x1024' };
    const made = await get(gateway, '/v1/images/generations', page, json(image));
    assert.equal(made.status, 200, made.text);
    assertReadable(made);
    const [{ url }] = (JSON.parse(made.text) as { data: [{ url: string }] }).data;
    const file = await get(gateway, url, page);
    assert.equal(file.status, 200);
    assertReadable(file);
    const { keyId, account } = await gateway.newKey();
    const talk = await finishedTalk(gateway.core, { account, key: keyId as KeyId }, 100_000);
    const video = await get(gateway, talk.path, page);
    assert.deepEqual([video.status, video.headers.get('content-type')], [200, 'video/mp4']);
    assertReadable(video);
  });

  test('the console, its playground, the probes, the metrics and the document allow no other origin', async () => {
    for (const path of ['/console/', '/console/api/me', '/console/api/accounts/a/v1/models', '/metrics', '/healthz']) {
      const answer = await get(gateway, path, page);
      const asked = await preflight(gateway, path, page);
      assert.deepEqual([corsOf(answer), corsOf(asked)], [{}, {}], path);
      assert.notEqual(asked.status, 204, path);
    }
    for (const path of ['/readyz', '/openapi.json', '/docs', '/', '/v1beta', '/v1'])
      assert.deepEqual(corsOf(await get(gateway, path, page)), {}, path);
  });
});

describe('with every origin allowed', () => {
  let full: TestGateway;
  before(async () => {
    full = await startTestGateway({ worker: false, env: { TOLLGATE_CORS_ORIGINS: '*' }, bounds: { requests: 0 } });
  });
  after(() => full.stop());

  test('a refusal for want of a place can be read by any page, and a preflight takes no place', async () => {
    const refused = await get(full, '/v1/models', stranger);
    assert.equal(refused.status, 503, refused.text);
    assertReadable(refused, '*');
    const asked = await preflight(full, '/v1/chat/completions', 'null');
    assert.equal(asked.status, 204);
    assert.equal(corsOf(asked)['access-control-allow-origin'], '*');
    assert.equal(corsOf(asked)['access-control-allow-headers'], 'authorization,content-type');
    assert.equal(corsOf(asked)['access-control-allow-credentials'], undefined);
  });
});

describe('without the setting', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({ worker: false });
  });
  after(() => gateway.stop());

  test('no other origin is allowed, and OPTIONS lists the methods of an address', async () => {
    const asked = await preflight(gateway, '/v1/models', page);
    assert.deepEqual([asked.status, asked.headers.get('allow'), corsOf(asked)], [200, 'HEAD, GET', {}]);
    const answer = await get(gateway, '/v1/models', page);
    assert.deepEqual([answer.status, answer.headers.get('vary'), corsOf(answer)], [200, null, {}]);
  });
});
