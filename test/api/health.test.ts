/** The health report: real traffic first, probes for idle models, and never a caller's own mistakes. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { HealthBook } from '../../src/api/health/health-book.ts';
import { type Health, healthOf, type Probe, type Telling } from '../../src/api/health/health-rules.ts';
import { providerKinds } from '../../src/providers/registry.ts';
import { readConfiguration } from '../../src/config/configuration.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { errorAnswer, openUpstream } from '../support/upstream.ts';

const now = 1_790_000_000_000;
const idleMs = 60_000;
const good = (agoMs: number, latencyMs = 100): Telling => ({
  errorCode: undefined,
  finishedAtMs: now - agoMs,
  latencyMs,
});
const fault = (agoMs: number): Telling => ({ ...good(agoMs), errorCode: 'upstream_error' });
const answered = (agoMs: number): Probe => ({ atMs: now - agoMs, verdict: 'good' });
const silent = (agoMs: number): Probe => ({ atMs: now - agoMs, verdict: 'bad' });
const unclear = (agoMs: number): Probe => ({ atMs: now - agoMs, verdict: 'unclear' });
const tenMinutesMs = 600_000;

describe('a model is judged by its traffic and by the probes of its routes', () => {
  const rows: [what: string, available: boolean, outcomes: Telling[], probes: (Probe | undefined)[]][] = [
    ['nothing is known', true, [], [undefined]],
    ['its provider answered', true, [], [answered(1)]],
    ['its provider did not answer', false, [], [silent(1)]],
    ['one of two providers answered', true, [], [silent(1), answered(1)]],
    ['neither of two providers answered', false, [], [silent(1), silent(1)]],
    ['one did not answer, and of the other nothing is known', true, [], [silent(1), undefined]],
    ['two faults', true, [fault(1), fault(2), good(3)], []],
    ['three faults in a row', false, [fault(1), fault(2), fault(3), good(4)], []],
    ['three faults, not in a row', true, [fault(1), fault(2), good(3), fault(4)], []],
    ['a success after three faults', true, [good(1), fault(2), fault(3), fault(4)], []],
    ['three faults after a good probe', false, [fault(1), fault(2), fault(3)], [answered(9)]],
    [
      'a good probe soon after three faults',
      false,
      [fault(tenMinutesMs), fault(tenMinutesMs + 1), fault(tenMinutesMs + 2)],
      [answered(1)],
    ],
    [
      'a good probe ten minutes after the last of three faults',
      true,
      [fault(tenMinutesMs + 1), fault(tenMinutesMs + 2), fault(tenMinutesMs + 3)],
      [answered(1)],
    ],
    [
      'an unclear probe ten minutes after three faults',
      false,
      [fault(tenMinutesMs + 1), fault(tenMinutesMs + 2), fault(tenMinutesMs + 3)],
      [unclear(1)],
    ],
    [
      'a bad probe ten minutes after three faults',
      false,
      [fault(tenMinutesMs + 1), fault(tenMinutesMs + 2), fault(tenMinutesMs + 3)],
      [silent(1)],
    ],
    ['its provider answered what says nothing', true, [], [unclear(1)]],
    ['one of two providers did not answer, the other what says nothing', true, [], [silent(1), unclear(1)]],
    ['a bad probe after a success of just now', true, [good(2)], [silent(1)]],
    ['a bad probe after a success long ago', false, [good(idleMs + 2)], [silent(1)]],
  ];
  for (const [what, available, outcomes, probes] of rows) {
    test(`${what}: ${available ? 'available' : 'unavailable'}`, () => {
      assert.equal(healthOf(outcomes, probes, { idleMs }).available, available);
    });
  }

  test('the latency is the median, and 0 where there was no call', () => {
    const latencyOf = (...values: number[]) =>
      healthOf(
        values.map((latencyMs) => good(1, latencyMs)),
        [],
        { idleMs },
      ).latencyMs;
    assert.deepEqual([latencyOf(), latencyOf(7), latencyOf(90, 10), latencyOf(900, 10, 20)], [0, 7, 50, 20]);
  });

  test('it was checked last by the newest call or probe', () => {
    const checked = (...[outcomes, probes]: Parameters<typeof healthOf> extends [...infer P, unknown] ? P : never) =>
      healthOf(outcomes, probes, { idleMs }).lastChecked;
    assert.equal(checked([good(5), fault(9)], [answered(7), undefined]), now - 5);
    assert.equal(checked([good(5)], [silent(7), answered(3)]), now - 3);
    assert.equal(checked([], [undefined]), 0);
  });
});

describe('probes', () => {
  let db: TestDatabase;
  before(async () => {
    db = await freshDatabase();
  });
  after(() => db.drop());

  const chat = (id: string, routes: string[], more = '') =>
    `  - { id: ${id}, kind: chat, ${more} routes: [${routes.map((provider) => `{ provider: ${provider}, model: m }`).join()}], price: { input_per_million: 1, output_per_million: 1 } }`;
  const configuration = readConfiguration(
    [
      'providers:',
      ...['a', 'b', 'shared', 'of-hidden', 'unused'].map((name) => `  ${name}: { kind: simulator }`),
      'models:',
      chat('on-a', ['a']),
      chat('on-b', ['b', 'shared']),
      chat('on-shared', ['shared']),
      chat('hidden', ['of-hidden'], 'published: false,'),
    ].join('\n'),
    'tollgate.yaml',
    {},
    providerKinds,
  );

  function bookOf(isUp: (name: string) => boolean = () => true) {
    const probed: string[] = [];
    const provider = (name: string) => ({
      probe: () => {
        probed.push(name);
        return isUp(name) ? Promise.resolve({ status: 200 }) : Promise.reject(new Error('down'));
      },
    });
    const chatProviders = new Map([...configuration.providers.keys()].map((name) => [name, provider(name)]));
    const inForce = { configuration, chatProviders };
    const book = new HealthBook({
      database: db.database,
      providers: new Map(),
      now: () => inForce,
      during: (work) => work(),
      log: pino({ level: 'silent' }),
    });
    return { book, probed: () => probed.splice(0).sort(), inForce, provider };
  }

  test('at the start each provider of a published model is probed once, and no other', async () => {
    const { book, probed } = bookOf();
    await book.open();
    book.close();
    assert.deepEqual(probed(), ['a', 'b', 'shared']);
  });

  test('later only those of idle models are: what real calls have shown is not asked again', async () => {
    const { book, probed } = bookOf();
    book.record('on-b', { latencyMs: 10 });
    await book.probeIdle();
    assert.deepEqual(probed(), ['a', 'shared']); // `shared` for the model that had no call
    book.record('on-shared', { latencyMs: 10, errorCode: 'upstream_error' });
    book.record('on-a', { latencyMs: 10 });
    await book.probeIdle();
    assert.deepEqual(probed(), []);
  });

  test('a model is available if one of its routes answers', async () => {
    const { book } = bookOf((name) => name === 'shared');
    await book.probeIdle();
    const report = await book.report();
    assert.deepEqual(
      Object.entries(report).map(([id, { available }]) => [id, available]),
      [
        ['on-a', false],
        ['on-b', true],
        ['on-shared', true],
      ],
    );
  });

  test('after a reload what stayed keeps its history, and only replaced providers are probed', async () => {
    const { book, probed, inForce, provider } = bookOf();
    await book.open();
    for (let calls = 0; calls < 3; calls++) book.record('on-b', { latencyMs: 30, errorCode: 'upstream_error' });
    probed();
    inForce.chatProviders = new Map([...inForce.chatProviders, ['a', provider('a')]]);
    await book.reloaded();
    book.close();
    assert.deepEqual(probed(), ['a']);
    const { 'on-b': onB } = await book.report();
    assert.deepEqual([onB?.available, onB?.latencyMs], [false, 30]);
  });
});

describe('a gateway', () => {
  let gateway: TestGateway;
  let upstream: Awaited<ReturnType<typeof openUpstream>>;
  let refusing: Awaited<ReturnType<typeof openUpstream>>;
  let listless: Awaited<ReturnType<typeof openUpstream>>;
  before(async () => {
    upstream = await openUpstream();
    upstream.upstream.answers({ json: { object: 'list', data: [] } });
    refusing = await openUpstream();
    refusing.upstream.answers(errorAnswer(401, 'No such key'));
    listless = await openUpstream();
    listless.upstream.answers(errorAnswer(404, 'No such page'));
    gateway = await startTestGateway({
      configuration: `
providers:
  live: { kind: openai, base_url: '${upstream.upstream.url}', api_key: sk-of-the-operator }
  dead: { kind: openai, base_url: 'http://127.0.0.1:1/v1', api_key: sk-of-the-operator }
  refusing: { kind: openai, base_url: '${refusing.upstream.url}', api_key: sk-of-the-operator }
  listless: { kind: openai, base_url: '${listless.upstream.url}', api_key: sk-of-the-operator }
  simulator: { kind: simulator }
models:
  - { id: refused, kind: chat, routes: [{ provider: refusing, model: m }], price: { input_per_million: 1, output_per_million: 1 } }
  - { id: without-list, kind: chat, routes: [{ provider: listless, model: m }], price: { input_per_million: 1, output_per_million: 1 } }
  - { id: slow, kind: image, routes: [{ provider: simulator, model: m }], price: { per_image: 0.01 } }
  - { id: reached, kind: chat, routes: [{ provider: live, model: m }], price: { input_per_million: 1, output_per_million: 1 } }
  - { id: cut-off, kind: code, routes: [{ provider: dead, model: m }], price: { input_per_million: 1, output_per_million: 1 } }
  - { id: two-ways, kind: chat, routes: [{ provider: dead, model: m }, { provider: live, model: m }], price: { input_per_million: 1, output_per_million: 1 } }
  - { id: image, kind: image, routes: [{ provider: simulator, model: m }], price: { per_image: 0.01 } }
`,
    });
  });
  after(async () => {
    await gateway.stop();
    for (const { close } of [upstream, refusing, listless]) await close();
  });

  const availability = async (path = '/api/models/health') => {
    const { health } = (await gateway.get(path)).body;
    return Object.fromEntries(
      Object.entries(health as Record<string, { available: boolean }>).map(([id, { available }]) => [id, available]),
    );
  };

  test('knows from its start which models can be reached, without a paid call', async () => {
    const expected = {
      ...{ refused: false, 'without-list': true, slow: true },
      ...{ reached: true, 'cut-off': false, 'two-ways': true, image: true },
    };
    assert.deepEqual(await availability(), expected);
    assert.deepEqual(await availability('/ai/v1/models/health'), expected);
    assert.deepEqual(
      upstream.upstream.requests.map(({ method, path }) => `${method} ${path}`),
      ['GET /v1/models'],
    );
  });

  test('calls the time of an image from its admission to its result', async () => {
    const prompt = '[sim:delay=400ms]';
    const { status } = await gateway.post('/v1/images/generations', { model: 'slow', prompt, size: '1024x1024' });
    assert.equal(status, 200);
    const latencyMs = async () =>
      ((await gateway.get('/api/models/health')).body['health']['slow'] as Health).latencyMs;
    // The report is kept for a second.
    for (let tries = 0; tries < 40 && (await latencyMs()) === 0; tries++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    assert.ok((await latencyMs()) >= 400, `${await latencyMs()} ms`);
  });

  test('remembers faults however many mistakes of callers come after them', async () => {
    const send = async (prompt: string) =>
      (await gateway.post('/v1/images/generations', { model: 'image', prompt, size: '1024x1024' })).status;
    for (let calls = 0; calls < 3; calls++) assert.equal(await send('[sim:fail=x]'), 502);
    for (let rounds = 0; rounds < 3; rounds++) {
      const refused = await Promise.all(Array.from({ length: 7 }, () => send('[sim:policy]')));
      assert.deepEqual(new Set(refused), new Set([400]));
    }
    // The report is kept for a second.
    for (let tries = 0; tries < 40 && (await availability())['image'] === true; tries++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal((await availability())['image'], false);
  });
});
