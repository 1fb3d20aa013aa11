/** The catalogue of the console, and the switches of operators: in force in every API process, over any file. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { listActs } from '../../../src/ledger/audit-log.ts';
import { fromTestRun } from '../../support/database.ts';
import { assertError } from '../../support/errors.ts';
import { type Answer, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { type ConsoleClient, signedIn } from '../../support/people.ts';

const route = '{ provider: simulator, model: m }';
const configuration = `
providers:
  simulator: { kind: simulator }
  upstream: { kind: fal, api_key: of-the-operator, base_url: 'http://127.0.0.1:9/secret-path', max_concurrent: 3, max_per_second: 2 }
models:
  - { id: talker, kind: chat, owned_by: us, created: 1700000000, capabilities: [chat, vision], routes: [${route}], price: { input_per_million: 2, output_per_million: 8, cached_input_per_million: 0.5, minimum: 0.01 }, limits: { max_output_tokens: 4096 } }
  - { id: vendor/painter-1.5, kind: image, routes: [${route}, { provider: upstream, model: fal-ai/flux }], price: { per_image: 0.2, by_size: { 2k: 0.4, 1024x1536: 0.3 } }, limits: { prompt_characters: 800, resolutions: [1k, 2k] } }
  - { id: video, kind: video, routes: [${route}], price: { per_second: 0.1, by_resolution: { 1080p: 0.25 } }, limits: { durations: [5, 10] } }
  - { id: hidden, kind: image, published: false, routes: [${route}], price: { per_image: 1, by_quality: { low: 0.5 } } }
  - { id: broken, kind: image, maintenance: true, routes: [${route}], price: { per_image: 1 } }
`;

let gateway: TestGateway;
/** Another API process on the same database. */
let other: TestGateway;
let member: ConsoleClient;
let operator: ConsoleClient;
before(async () => {
  gateway = await startTestGateway({ configuration });
  other = await again(gateway);
  member = await signedIn(gateway, { memberships: [{ account: gateway.account, role: 'member' }] });
  operator = await signedIn(gateway, { memberships: [], isOperator: true });
});
after(async () => {
  await other.stop();
  await gateway.stop();
});

const again = ({ databaseUrl }: TestGateway) =>
  startTestGateway({
    configuration,
    worker: false,
    servers: { databaseUrl, temporalAddress: fromTestRun('TEMPORAL_ADDRESS') },
  });

type Row = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- tests look into answers by name
const rowsOf = ({ status, body }: { status: number; body: Record<string, unknown> }): Row[] => {
  assert.equal(status, 200, JSON.stringify(body));
  return body['data'] as Row[];
};
const catalogue = async (who: ConsoleClient) => rowsOf(await who.get(`/accounts/${gateway.account}/models`));
const one = async (who: ConsoleClient, id: string) => (await catalogue(who)).find((row) => row['id'] === id);
const allModels = async () => rowsOf(await operator.get('/operator/models'));
const switchTo = (body: unknown) => operator.call('PUT', '/operator/model-switches', body);
/** Back to the file. */
const reset = async (model: string) => {
  const { status } = await switchTo({ model, published: null, maintenance: null });
  assert.equal(status, 200);
};

const chat = (of: TestGateway) =>
  of.post('/v1/chat/completions', { model: 'talker', messages: [{ role: 'user', content: 'Hello' }] });
const image = (of: TestGateway, model = 'vendor/painter-1.5') =>
  of.post('/v1/images/generations', { model, prompt: 'A toll gate', size: '1024x1024' });

const quoted = (of: TestGateway) =>
  of.post('/v1/quotes', {
    path: '/images/generations',
    body: { model: 'vendor/painter-1.5', prompt: 'A toll gate', size: '1024x1024' },
  });

/** What it answers once that is of this status; a switch holds in other processes a moment later. */
async function eventually(ask: () => Promise<Answer>, status: number): Promise<Answer> {
  for (let tries = 0; tries < 600; tries++) {
    const answer = await ask();
    if (answer.status === status) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return assert.fail(`no answer of status ${status} within half a minute`);
}

const notMaintained = { maintenance: false, maintenance_note: null, maintenance_until: null };
/** So many seconds from now, in ISO 8601. */
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

describe('the catalogue', () => {
  test('shows a member all there is to know of each published model', async () => {
    const models = await catalogue(member);
    assert.deepEqual(
      models.map(({ id }) => String(id)),
      ['talker', 'vendor/painter-1.5', 'video', 'broken'],
    );
    const [talker, painter, video, broken] = models;
    const { health, ...facts } = talker ?? {};
    assert.deepEqual(facts, {
      object: 'model',
      id: 'talker',
      kind: 'chat',
      owned_by: 'us',
      created: 1_700_000_000,
      capabilities: [
        { id: 'chat', label: '对话' },
        { id: 'vision', label: '视觉理解' },
      ],
      price: {
        unit: 'token',
        input_per_million: 2,
        output_per_million: 8,
        cached_input_per_million: 0.5,
        minimum: 0.01,
        ...{ cache_write_per_million: null, cache_write_1h_per_million: null },
        ...{ audio_input_per_million: null, audio_output_per_million: null },
        ...{ image_input_per_million: null, image_output_per_million: null },
        ...{ per_million_characters: null, per_second: null, per_search: null },
        ...{ per_call: null, per_tool_call: null, above: null, service_tiers: null, batch: null, hours: null },
      },
      limits: {
        prompt_characters: null,
        max_seconds: null,
        max_output_tokens: 4096,
        context_tokens: null,
        durations: null,
        ratios: null,
        sizes: null,
        resolutions: null,
        references: null,
      },
      published: true,
      ...notMaintained,
    });
    assert.equal(health.available, true);
    assert.ok(Math.abs(health.last_checked - Date.now() / 1000) < 300);
    assert.deepEqual(painter?.['price'].by_size, [
      { name: '2k', price: 0.4 },
      { name: '1024x1536', price: 0.3 },
    ]);
    assert.deepEqual(video?.['price'], {
      unit: 'second',
      per_second: 0.1,
      by_resolution: [{ name: '1080p', price: 0.25 }],
      minimum: null,
    });
    assert.deepEqual([broken?.['maintenance'], broken?.['health'].available], [true, false]);
  });

  test('is the same for an operator, whose own list has what is not published, and where each model is routed', async () => {
    assert.equal(await one(operator, 'hidden'), undefined);
    const models = await allModels();
    assert.deepEqual(
      models.map(({ id, published }) => [String(id), published === true]),
      [
        ['talker', true],
        ['vendor/painter-1.5', true],
        ['video', true],
        ['hidden', false],
        ['broken', true],
      ],
    );
    const { routes, file, switch: set } = models[1] ?? {};
    assert.deepEqual(routes, [
      { provider: 'simulator', model: 'm' },
      { provider: 'upstream', model: 'fal-ai/flux' },
    ]);
    assert.deepEqual([file, set], [{ published: true, ...notMaintained }, null]);
  });
});

describe('a model that is switched', () => {
  afterEach(async () => {
    for (const { model } of rowsOf(await operator.get('/operator/model-switches'))) await reset(String(model));
    await gateway.reload(configuration);
  });

  test('to maintenance is refused at once with 503, chat too, and soon by every other process', async () => {
    for (const model of ['talker', 'vendor/painter-1.5']) {
      const { status, body } = await switchTo({ model, maintenance: true, reason: 'the upstream moves' });
      assert.equal(status, 200);
      const { set_at, ...rest } = body;
      assert.equal(typeof set_at, 'number');
      assert.deepEqual(rest, {
        object: 'model_switch',
        model,
        published: null,
        ...notMaintained,
        maintenance: true,
        set_by: `person:${operator.person.id}`,
        set_by_email: operator.person.email,
        is_in_file: true,
      });
    }
    assertError(await chat(gateway), 'model_in_maintenance');
    assertError(await image(gateway), 'model_in_maintenance');
    assertError(await quoted(gateway), 'model_in_maintenance');
    assertError(await eventually(() => chat(other), 503), 'model_in_maintenance');
    assertError(await eventually(() => quoted(other), 503), 'model_in_maintenance');

    const row = await one(member, 'talker');
    assert.deepEqual([row?.['maintenance'], row?.['health'].available], [true, false]);
    const { health } = (await gateway.get('/api/models/health')).body;
    assert.equal((health as Row)['talker'].available, false);
    assert.ok(!((await gateway.get('/v1/models')).body['data'] as Row[]).some(({ id }) => id === 'talker'));

    await reset('talker');
    await reset('vendor/painter-1.5');
    assert.equal((await chat(gateway)).status, 200);
    await eventually(() => chat(other), 200);
    assert.equal((await allModels())[0]?.['switch'], null);
  });

  test('to maintenance with a note and an end shows both, is logged, and is back by itself, in every process', async () => {
    const note = 'New weights are being loaded.';
    const end = inSeconds(3600);
    const maintained = { model: 'talker', maintenance: true, maintenance_note: note, maintenance_until: end };
    const { status, body } = await switchTo({ ...maintained, reason: 'INC-17' });
    const endSeconds = Math.floor(Date.parse(end) / 1000);
    assert.deepEqual([status, body['maintenance_note'], body['maintenance_until']], [200, note, endSeconds]);

    const refused = await chat(gateway);
    assertError(refused, 'model_in_maintenance');
    assert.match((refused.body['error'] as Row)['message'], /under maintenance until \d{4}-.*Z\. New weights are/);
    assert.equal(refused.headers.get('retry-after'), '60');
    assertError(await eventually(() => chat(other), 503), 'model_in_maintenance');
    const row = await one(member, 'talker');
    assert.deepEqual([row?.['maintenance_note'], row?.['maintenance_until']], [note, endSeconds]);
    const healthOf = async () => ((await gateway.get('/api/models/health')).body['health'] as Row)['talker'] as Row;
    const inMaintenance = await healthOf();
    assert.deepEqual([inMaintenance['available'], inMaintenance['maintenance']], [false, { note, until: end }]);
    const [act] = (await listActs(gateway.core.database, { limit: 50 })).filter(
      ({ action }) => action === 'model.switched',
    );
    assert.deepEqual(
      [act?.actor, act?.reason, act?.details],
      [
        `person:${operator.person.id}`,
        'INC-17',
        { model: 'talker', published: 'file', maintenance: 'true', maintenance_note: note, maintenance_until: end },
      ],
    );

    await switchTo({ ...maintained, maintenance_until: inSeconds(4) });
    await eventually(() => chat(gateway), 200);
    await eventually(() => chat(other), 200);
    const after = await healthOf();
    assert.deepEqual([after['available'], after['maintenance']], [true, undefined]);
    const ended = (await allModels())[0];
    assert.deepEqual([ended?.['maintenance'], ended?.['switch'].maintenance], [false, true]);
    assert.ok(((await gateway.get('/v1/models')).body['data'] as Row[]).some(({ id }) => id === 'talker'));
  });

  test('off is not there any more, and on it is there, whatever the file says', async () => {
    await switchTo({ model: 'talker', published: false });
    await switchTo({ model: 'hidden', published: true });
    assertError(await chat(gateway), 'model_not_found', 'model');
    assertError(await eventually(() => chat(other), 404), 'model_not_found', 'model');
    assert.equal((await image(gateway, 'hidden')).status, 200);
    await eventually(() => other.get('/v1/models/hidden'), 200);
    assert.deepEqual(
      (await catalogue(member)).map(({ id }) => String(id)),
      ['vendor/painter-1.5', 'video', 'hidden', 'broken'],
    );
    const { health, capabilities } = (await gateway.get('/api/models/health')).body;
    assert.ok(!Object.hasOwn(health as object, 'talker') && Object.hasOwn(health as object, 'hidden'));
    assert.deepEqual(Object.keys(capabilities as object), Object.keys(health as object));
    const talker = (await allModels())[0];
    assert.deepEqual([talker?.['file'].published, talker?.['switch'].published], [true, false]);
    // The examples of the document are of models that there are.
    const document = JSON.stringify((await gateway.get('/openapi.json')).body);
    assert.ok(document.includes('your-chat-model') && !document.includes('"talker"'));
    await reset('talker');
    await reset('hidden');
    assert.ok(JSON.stringify((await gateway.get('/openapi.json')).body).includes('"talker"'));
  });

  test('stays so after a reload of the file and in a process that begins later', async () => {
    await switchTo({ model: 'video', maintenance: true });
    await gateway.reload(configuration.replace('per_second: 0.1', 'per_second: 0.7'));
    const video = await one(member, 'video');
    assert.deepEqual([video?.['price'].per_second, video?.['maintenance']], [0.7, true]);
    const quote = { path: '/video/generations', body: { model: 'video', prompt: 'A toll gate', duration: 5 } };
    assertError(await gateway.post('/v1/quotes', quote), 'model_in_maintenance');
    const later = await again(gateway);
    try {
      assertError(await later.post('/v1/quotes', quote), 'model_in_maintenance');
    } finally {
      await later.stop();
    }
  });

  test('is in the log once for each change, with who and why', async () => {
    const database = gateway.core.database;
    const newest = async () =>
      (await listActs(database, { limit: 50 })).filter(({ action }) => action === 'model.switched');
    const before = (await newest()).length;
    await switchTo({ model: 'video', published: false, maintenance: true, reason: ' a fault ' });
    await switchTo({ model: 'video', published: false });
    await switchTo({ model: 'video', published: null });
    await reset('video');
    const acts = (await newest()).slice(0, -before);
    const actor = `person:${operator.person.id}`;
    assert.deepEqual(
      acts.map((act) => [act.actor, act.accountId, act.subject, act.details, act.reason]),
      [
        [actor, null, null, { model: 'video', published: 'file', maintenance: 'file' }, null],
        [actor, null, null, { model: 'video', published: 'file', maintenance: 'true' }, null],
        [actor, null, null, { model: 'video', published: 'false', maintenance: 'true' }, 'a fault'],
      ],
    );
  });

  test('is kept when the file has it no more, shown to operators, and can only be removed then', async () => {
    await switchTo({ model: 'video', maintenance: true });
    await gateway.reload(configuration.replace(/ {2}- \{ id: video.*\n/, ''));
    assert.ok(!(await allModels()).some(({ id }) => id === 'video'));
    const left = rowsOf(await operator.get('/operator/model-switches'));
    assert.deepEqual(
      left.map((row) => [row['model'], row['maintenance'], row['is_in_file']] as unknown[]),
      [['video', true, false]],
    );
    assertError(await asAnswer(switchTo({ model: 'video', maintenance: false })), 'model_not_found', 'model');
    const { status, body } = await switchTo({ model: 'video', maintenance: null });
    assert.deepEqual([status, body['maintenance'], body['set_by']], [200, null, null]);
    assert.deepEqual(rowsOf(await operator.get('/operator/model-switches')), []);
    assertError(await asAnswer(switchTo({ model: 'video', maintenance: null })), 'model_not_found', 'model');
  });
});

const asAnswer = async (answer: ReturnType<typeof switchTo>): Promise<Answer> => answer;

test('a switch that makes no sense is refused and changes nothing', async () => {
  const wrong = [
    [{ model: 'talker' }, 'published'],
    [{ maintenance: true }, 'model'],
    [{ model: 'talker', maintenance: 'yes' }, 'maintenance'],
    [{ model: 'talker', maintenance: true, reason: 'x'.repeat(501) }, 'reason'],
    [{ model: 'talker', maintenance: true, reason: '\u0000' }, 'reason'],
    [{ model: 'talker', maintenance: true, maintenance_note: 'x'.repeat(301) }, 'maintenance_note'],
    [{ model: 'talker', maintenance: true, maintenance_note: 'two\nlines' }, 'maintenance_note'],
    [{ model: 'talker', maintenance: false, maintenance_note: 'why' }, 'maintenance_note'],
    [{ model: 'talker', maintenance: null, maintenance_until: inSeconds(60) }, 'maintenance_until'],
    [{ model: 'talker', maintenance: true, maintenance_until: inSeconds(-1) }, 'maintenance_until'],
    [{ model: 'talker', maintenance: true, maintenance_until: '2999-01-01' }, 'maintenance_until'],
  ] as const;
  for (const [body, param] of wrong) {
    const answer = await switchTo(body);
    const { param: named } = answer.body['error'] as { param: string };
    assert.deepEqual([answer.status, named], [400, param], JSON.stringify(body));
  }
  assertError(await asAnswer(switchTo({ model: 'unknown', maintenance: true })), 'model_not_found', 'model');
  assert.deepEqual(rowsOf(await operator.get('/operator/model-switches')), []);
});

test('providers are shown with what is routed to them, how tasks went, and no credential', async () => {
  assert.equal((await image(gateway)).status, 200);
  const refused = await gateway.post('/v1/images/generations', { model: 'vendor/painter-1.5', prompt: '[sim:policy]' });
  assert.equal(refused.status, 400);
  const answer = await operator.get('/operator/providers');
  const nothing = { succeeded: 0, faults: [], success_rate: null };
  const [simulator, upstream] = rowsOf(answer);
  assert.ok(simulator && upstream);
  assert.ok(!/of-the-operator|secret-path/.test(JSON.stringify(answer.body)));
  assert.deepEqual(
    (simulator['models'] as Row[]).map((row) => [row['id'], row['upstream_model'], row['position']] as unknown[]),
    [
      ['talker', 'm', 1],
      ['vendor/painter-1.5', 'm', 1],
      ['video', 'm', 1],
      ['hidden', 'm', 1],
      ['broken', 'm', 1],
    ],
  );
  assert.deepEqual([simulator['kind'], simulator['host'], simulator['places_taken']], ['simulator', null, null]);
  assert.equal(simulator['tasks'].unfinished, 0);
  const { accepted, refused: refusals, unknown, faults } = simulator['tasks'].last_hour;
  assert.ok(accepted >= 1 && refusals >= 1);
  assert.deepEqual([unknown, faults], [0, 0]);
  assert.deepEqual(simulator['tasks'].last_day, simulator['tasks'].last_hour);
  assert.deepEqual(simulator['tasks'].last_hour.done, { succeeded: accepted, faults: [], success_rate: 1 });
  const painter = (simulator['models'] as Row[]).find(({ id }) => id === 'vendor/painter-1.5');
  assert.equal(painter?.['health'].state, 'available');
  assert.equal(simulator['probe'].good, true);
  const { models, tasks, probe, state, calls, ...facts } = upstream;
  assert.equal(calls.last_day.succeeded, 0);
  assert.equal(state, probe === null ? null : 'unavailable');
  assert.deepEqual(facts, {
    object: 'provider',
    name: 'upstream',
    kind: 'fal',
    host: '127.0.0.1:9',
    max_per_second: 2,
    max_concurrent: 3,
    places_taken: 0,
  });
  assert.deepEqual(
    [models[0].id, models[0].upstream_model, models[0].position],
    ['vendor/painter-1.5', 'fal-ai/flux', 2],
  );
  assert.deepEqual(
    [tasks.unfinished, tasks.last_day],
    [0, { accepted: 0, refused: 0, unknown: 0, faults: 0, done: nothing }],
  );
  assert.ok(probe === null || typeof probe.good === 'boolean');
});
