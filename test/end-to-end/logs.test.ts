/** The log of a real gateway: one line a request and a step, each with its ids, and nothing in any that is secret. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import pino from 'pino';
import type { KeyId } from '../../src/domain/ids.ts';
import { logOptions } from '../../src/observability/logging/log.ts';
import { changeAccount } from '../../src/accounts/accounts.ts';
import { signLink } from '../../src/tasks/provider-calls/signed-links.ts';
import { bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { callConsole, newPerson, password, signedIn } from '../support/people.ts';
import { until } from '../support/process.ts';
import { exchange } from '../support/raw-http.ts';
import { finishedTalk } from '../support/talks.ts';
import {
  chatAnswer,
  chatStream,
  errorAnswer,
  openUpstream,
  responsesStream,
  type Upstream,
} from '../support/upstream.ts';

type Line = Record<string, unknown>;

const secretOf = {
  prompt: 'the-prompt-sentinel',
  answer: 'the-answer-sentinel',
  provider: 'the-provider-credential-sentinel',
  wrongKey: 'sk-tg-wrong-key-sentinel',
  wrongPassword: 'wrong-password-sentinel',
  hookQuery: 'hook-query-sentinel',
  idempotency: 'idempotency-key-sentinel',
};
const configuration = (url: string) => `
providers:
  simulator: { kind: simulator }
  one: { kind: openai, base_url: "${url}", api_key: "${secretOf.provider}" }
models:
  - { id: chat, kind: chat, routes: [{ provider: one, model: chat }], price: { input_per_million: 1, output_per_million: 1 } }
  - { id: coder, kind: code, routes: [{ provider: one, model: coder }], price: { input_per_million: 1, output_per_million: 1 } }
  - { id: still, kind: image, routes: [{ provider: one, model: still }, { provider: simulator, model: sim-image }], price: { per_image: 0.1 } }
  - { id: drawn, kind: image, routes: [{ provider: simulator, model: sim-image }], price: { per_image: 0.1 } }
`;
const images = '/v1/images/generations';
const chats = '/v1/chat/completions';
const chatOf = (fields: Record<string, unknown> = {}) => ({
  model: 'chat',
  messages: [{ role: 'user', content: secretOf.prompt }],
  ...fields,
});

const written: string[] = [];
const lines = (): Line[] => written.map((line) => JSON.parse(line) as Line);
const requestLine = (requestId: string) =>
  until(`the line of ${requestId}`, () =>
    lines().find(({ msg, requestId: id }) => msg === 'request' && id === requestId),
  );
const stepsOf = (taskId: unknown) => lines().filter(({ msg, taskId: id }) => msg === 'step' && id === taskId);

let gateway: TestGateway;
let upstream: Upstream;
let closeUpstream: () => Promise<void>;
before(async () => {
  ({ upstream, close: closeUpstream } = await openUpstream());
  gateway = await startTestGateway({
    configuration: configuration(upstream.url),
    log: pino(logOptions('trace'), { write: (line: string) => void written.push(line) }),
    deliveryPace: { firstMs: 20, factor: 0, mostMs: 20, forMs: 60_000 },
  });
});
after(async () => {
  await gateway.stop();
  await closeUpstream();
});

const named = (requestId: string) => ({ 'X-Request-Id': requestId });

test('a call is one line with its route, times and bytes, and whose key it was', async () => {
  upstream.answers(chatStream([secretOf.answer]));
  const response = await gateway.fetch(chats, {
    method: 'POST',
    headers: { ...named('a-stream'), 'Content-Type': 'application/json' },
    body: JSON.stringify(chatOf({ stream: true })),
  });
  const text = await response.text();
  const { time, level, ms, headMs, bytes, keyId, ...line } = (await requestLine('a-stream')) as Record<string, number>;
  assert.deepEqual(line, {
    requestId: 'a-stream',
    method: 'POST',
    route: chats,
    path: chats,
    status: 200,
    accountId: gateway.account,
    model: 'chat',
    msg: 'request',
  });
  assert.equal(level, 30);
  assert.match(String(time), /^\d{4}-\d\d-\d\dT/);
  assert.match(String(keyId), /^key_/);
  assert.ok(Number(headMs) > 0 && Number(headMs) <= Number(ms), `${headMs} of ${ms} ms`);
  assert.ok(Number(bytes) > text.length && Number(bytes) < text.length + 2_000, `${bytes} bytes`);
});

test('what comes on a kept connection counts its own bytes', async () => {
  const sizes: unknown[] = [];
  for (const id of ['kept-1', 'kept-2', 'kept-3']) {
    await (await gateway.fetch('/healthz', { headers: named(id) })).text();
    sizes.push((await requestLine(id))['bytes']);
  }
  assert.equal(new Set(sizes).size, 1, String(sizes));
});

test('without a collector nothing of OpenTelemetry is loaded', () => {
  const loaded = Object.keys(createRequire(import.meta.url).cache);
  assert.ok(loaded.some((path) => path.includes('@temporalio')));
  assert.deepEqual(
    // Its API alone, which does nothing, is what the metrics' library has for its own.
    loaded.filter((path) => path.includes('opentelemetry') && !path.includes('@opentelemetry/api/')),
    [],
  );
});

test('a request line has the route as it was declared, and none for an unknown path', async () => {
  await gateway.get('/v1/models/nothing', named('of-a-model'));
  assert.equal((await requestLine('of-a-model'))['route'], '/v1/models/*id');
  await gateway.get('/no/such/path', named('of-nothing'));
  const { route, path, status } = await requestLine('of-nothing');
  assert.deepEqual([route, path, status], [undefined, '/no/such/path', 404]);
});

test('a caller that disconnects before the whole answer is logged as disconnected', async () => {
  const more = new Promise<void>(() => undefined);
  const { pieces = [], ...answer } = chatStream(['a', 'b']);
  upstream.answers({ ...answer, pieces: [pieces[0] ?? '', more] });
  const leave = new AbortController();
  const response = await gateway.fetch(chats, {
    method: 'POST',
    headers: { ...named('left'), 'Content-Type': 'application/json' },
    body: JSON.stringify(chatOf({ stream: true })),
    signal: leave.signal,
  });
  await response.body?.getReader().read();
  leave.abort();
  const { aborted, status } = await requestLine('left');
  assert.deepEqual([aborted, status], [true, 200]);
});

describe('a caller that leaves is no error', () => {
  /** Sends a call of the model, leaves once the upstream has it, and returns the line of the request. */
  async function leftBeforeItsAnswer(requestId: string, fields: Record<string, unknown>, headers = {}): Promise<Line> {
    const asked = upstream.requests.length;
    const leave = new AbortController();
    const call = post(chats, chatOf(fields), { ...named(requestId), ...headers }, leave.signal);
    await upstream.received(asked + 1);
    leave.abort();
    await assert.rejects(call);
    return requestLine(requestId);
  }

  for (const [what, fields] of [
    ['whole answer', {}],
    ['stream', { stream: true }],
  ] as const)
    test(`before its ${what} has begun`, async () => {
      upstream.answers({ ending: 'stall-before' });
      assertLeft(await leftBeforeItsAnswer(`left-${what.split(' ')[0]}`, fields));
    });

  test('while its Idempotency-Key waits for the answer of another call', async () => {
    const headers = { 'Idempotency-Key': 'followed' };
    let go = () => {};
    const later = new Promise<void>((done) => (go = done));
    const headersOf = { 'content-type': 'application/json' };
    upstream.answers({ headers: headersOf, pieces: [later, JSON.stringify(chatAnswer('later').json)] });
    const asked = upstream.requests.length;
    const first = post(chats, chatOf(), { ...named('followed'), ...headers });
    await upstream.received(asked + 1);
    const leave = new AbortController();
    const second = post(chats, chatOf(), { ...named('follower'), ...headers }, leave.signal);
    await until('the follower', () => (gateway.core.concurrencyLimits.followers.taken > 0 ? true : undefined));
    leave.abort();
    await assert.rejects(second);
    assertLeft(await requestLine('follower'));
    go();
    await (await first).text();
  });

  test('while it reads a file', async () => {
    const { keyId, account } = await gateway.newKey();
    // More than what the buffers on the way take.
    const { id } = await finishedTalk(gateway.core, { account, key: keyId as KeyId }, 32 * 1024 * 1024);
    const expiresAtSeconds = Math.floor(Date.now() / 1000) + 600;
    const link = signLink({ taskId: id, file: 0, expiresAtSeconds }, gateway.core.secrets);
    const leave = new AbortController();
    const answer = await fetch(gateway.url + link, { headers: named('file-left'), signal: leave.signal });
    leave.abort();
    await assert.rejects(answer.arrayBuffer());
    const line = await requestLine('file-left');
    assert.deepEqual([line['level'], line['status'], line['aborted'], line['err']], [30, 200, true, undefined]);
    assertNoOther('file-left');
  });

  test('and had its whole answer where it leaves after the last event', async () => {
    upstream.answers(responsesStream(['a', 'b'], 'completed', 'resp_left_after_all'));
    const leave = new AbortController();
    const call = { model: 'coder', input: 'Hello', stream: true };
    const answer = await post('/v1/responses', call, named('left-after-all'), leave.signal);
    await readUntil(answer, 'response.completed');
    leave.abort();
    const { level, status, aborted } = await requestLine('left-after-all');
    assert.deepEqual([level, status, aborted], [30, 200, undefined]);
    assertNoOther('left-after-all');
  });

  function assertLeft(line: Line): void {
    const { level, status, aborted, err } = line;
    assert.deepEqual({ level, status, aborted, err }, { level: 30, status: 499, aborted: true, err: undefined });
    assertNoOther(line['requestId']);
  }

  function assertNoOther(requestId: unknown): void {
    const errors = lines().filter((line) => line['requestId'] === requestId && Number(line['level']) >= 40);
    assert.deepEqual(errors, []);
  }
});

const post = (path: string, body: unknown, headers: Record<string, string>, signal?: AbortSignal) =>
  gateway.fetch(path, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });

/** Reads an answer until this text has come, and no further. */
async function readUntil({ body }: Response, word: string): Promise<void> {
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ''; !text.includes(word);) {
    const { value, done } = await reader.read();
    assert.ok(!done, `the answer ended without ${word}: ${text}`);
    text += value;
  }
}

test('a task is a line for each step, with the request that made it and how the step came out', async () => {
  const { status, body } = await gateway.post(images, { model: 'drawn', prompt: secretOf.prompt }, named('a-task'));
  assert.equal(status, 200, JSON.stringify(body));
  const id: unknown = body['id'];
  assert.equal((await requestLine('a-task'))['taskId'], id);
  await until('three steps', () => stepsOf(id)[2]);
  const steps = stepsOf(id);
  assert.deepEqual(
    steps.map(({ step, attempt, outcome, requestId, level }) => [step, attempt, outcome, requestId, level]),
    [
      ['submit', 1, 'sent', 'a-task', 30],
      ['collect', 1, 'stored', 'a-task', 30],
      ['settle', 1, 'succeeded', 'a-task', 30],
    ],
  );
  assert.ok(steps.every(({ ms }) => typeof ms === 'number'));
});

test('lines within a step carry its ids, too: a refused route, a failed task, a delivery that is tried again', async () => {
  upstream.answers(errorAnswer(500, `${secretOf.prompt} ${secretOf.provider}`));
  const receiver = await openUpstream();
  let attempts = 0;
  receiver.upstream.answers(() => ({ status: (attempts += 1) === 1 ? 500 : 204 }));
  const who = await gateway.newKey({ balance: '10', level: 'admin' });
  await changeAccount(gateway.by, who.account, {
    webhookUrl: `${receiver.upstream.url}/hook?token=${secretOf.hookQuery}`,
  });
  try {
    const prompt = `${secretOf.prompt} [sim:fail=${secretOf.prompt}]`;
    const headers = { ...bearer(who.key), ...named('webhook-failed'), 'Idempotency-Key': secretOf.idempotency };
    const { body } = await gateway.post(images, { model: 'drawn', prompt }, headers);
    const id: unknown = body['id'] ?? (await requestLine('webhook-failed'))['taskId'];
    await until('the delivery', () => stepsOf(id).find(({ outcome }) => outcome === 'delivered'));
    await until('the withdrawal', () => stepsOf(id).find(({ step }) => step === 'withdraw'));
    const steps = stepsOf(id).map(({ step, attempt, outcome, requestId }) => [step, attempt, outcome, requestId]);
    for (const expected of [
      ['collect', 1, 'failed', 'webhook-failed'],
      ['release', 1, 'failed', 'webhook-failed'],
      ['deliver', 1, 'come_back_later', 'webhook-failed'],
      ['deliver', 2, 'delivered', 'webhook-failed'],
      ['withdraw', 1, 'done', 'webhook-failed'],
    ]) {
      assert.ok(
        steps.some((step) => JSON.stringify(step) === JSON.stringify(expected)),
        `${JSON.stringify(expected)} in ${JSON.stringify(steps)}`,
      );
    }
  } finally {
    await receiver.close();
  }
});

describe('no line has a secret', () => {
  before(async () => {
    // What else there is to be said of secrets.
    upstream.answers(chatAnswer(secretOf.answer));
    await gateway.post(chats, chatOf());
    upstream.answers(errorAnswer(401, `bad key ${secretOf.provider}`), errorAnswer(400, secretOf.prompt));
    await gateway.post(chats, chatOf());
    await gateway.post(chats, chatOf());
    upstream.answers(errorAnswer(403, secretOf.prompt));
    await gateway.post(images, { model: 'still', prompt: secretOf.prompt }, named('failing-provider'));
    await gateway.get('/v1/models', bearer(secretOf.wrongKey));
    await gateway.get(`/v1/models/${secretOf.wrongKey}`);
    await gateway.post(chats, `{"model": "chat", "messages": [${secretOf.prompt}]}`);
    await gateway.post('/v1/account/webhook-secret', {});
    const { body } = await gateway.post(images, { model: 'drawn', prompt: secretOf.prompt });
    const [file] = body['data'] as { url: string }[];
    await (await fetch(file?.url ?? '')).arrayBuffer();
    await (await fetch(`${file?.url ?? ''}x`)).text();
    await fetch(`${gateway.url}/hooks/img_1/0?k=a&s=${secretOf.hookQuery}`, { method: 'POST', body: '{}' });
    const person = await newPerson(gateway);
    await callConsole(gateway, '', 'POST', '/session', { email: person.email, password: secretOf.wrongPassword });
    const session = await signedIn(gateway);
    await session.get('/session');
    cookie = session.cookie;
    links.push(new URL(file?.url ?? '').search);
    await hostile();
  });
  let cookie = '';
  const links: string[] = [];

  test('neither keys, prompts, answers, passwords and credentials, nor signatures of links', () => {
    const all = written.join('');
    const sentinels = [
      ...Object.values(secretOf),
      gateway.key,
      password,
      cookie.split('=')[1] ?? '',
      ...links.flatMap((search) => [search, new URLSearchParams(search).get('s') ?? '']),
      'a secret of the tests with 40 characters',
      'whsec_',
      '"authorization"',
    ];
    for (const sentinel of sentinels) {
      assert.ok(sentinel.length > 5, 'a sentinel is there');
      assert.ok(!all.includes(sentinel), `${sentinel} in ${written.find((line) => line.includes(sentinel)) ?? ''}`);
    }
  });

  test('and every line names its request or task', () => {
    const said = lines();
    const requests = said.filter(({ msg }) => msg === 'request');
    assert.ok(requests.length > 15);
    assert.deepEqual(
      requests.filter(({ requestId }) => typeof requestId !== 'string'),
      [],
    );
    const steps = said.filter(({ step, eventId }) => step !== undefined && eventId === undefined);
    assert.ok(steps.length > 10);
    const unnamed = steps.filter(
      ({ taskId, requestId }) => typeof taskId !== 'string' || typeof requestId !== 'string',
    );
    // Of the hourly and nightly steps, which are of no task.
    assert.deepEqual(
      unnamed.filter(({ step, msg }) => msg === 'step' && step !== 'retain' && step !== 'audit'),
      [],
    );
    const faults = said.filter(({ msg }) => msg === 'a route failed' || msg === 'activity failed');
    assert.ok(faults.length > 0);
    assert.ok(faults.every(({ requestId }) => typeof requestId === 'string'));
  });
});

/** Requests that no client library sends. */
async function hostile(): Promise<void> {
  for (const head of [
    `GET /v1/models?key=${secretOf.wrongKey} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${secretOf.wrongKey}\r\nConnection: close\r\n\r\n`,
    `GET /${secretOf.wrongKey} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    `NONSENSE ${secretOf.wrongKey}\r\n\r\n`,
  ]) {
    await exchange(gateway.url, head);
  }
}
