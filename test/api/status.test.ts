/** The public status: what it says of each model, and what it must not say. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { overallOf, statusOf, type StatusState } from '../../src/api/health/status-rules.ts';
import { switchModel } from '../../src/accounts/model-switches.ts';
import type { AccountId, KeyId } from '../../src/domain/ids.ts';
import type { RequestRecord } from '../../src/request-records/request-record.ts';
import { assertError } from '../support/errors.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { addDayOf, writeRecords } from '../support/request-groups.ts';

const route = '{ provider: secret-vendor, model: upstream-name }';
const configuration = `
providers: { secret-vendor: { kind: simulator } }
models:
  - { id: talker, kind: chat, routes: [${route}], price: { input_per_million: 2, output_per_million: 8 } }
  - { id: painter, kind: image, routes: [${route}], price: { per_image: 0.777 } }
  - { id: hidden, kind: image, published: false, routes: [${route}], price: { per_image: 1 } }
  - { id: closed, kind: image, maintenance: { note: New weights. }, routes: [${route}], price: { per_image: 1 } }
`;

interface Status {
  state: string;
  updated_at: string;
  models: {
    id: string;
    state: string;
    success_rate: { last_hour: number | null; last_day: number | null };
    hours: (number | null)[];
    maintenance: { note: string | null; until: string | null } | null;
  }[];
}

describe('the rules', () => {
  const of = (states: StatusState[]) => overallOf(states.map((state) => ({ state })));
  const rows: [StatusState, StatusState[]][] = [
    ['available', []],
    ['available', ['available', 'available']],
    ['maintenance', ['available', 'maintenance']],
    ['degraded', ['available', 'maintenance', 'degraded']],
    ['degraded', ['available', 'unavailable']],
    ['unavailable', ['maintenance', 'unavailable']],
  ];
  for (const [state, states] of rows)
    test(`${states.join(', ') || 'no model'} is ${state} as a whole`, () => assert.equal(of(states), state));

  test('a rate is rounded down to a thousandth, so that 1 means all', () => {
    const known = { id: 'm', kind: 'chat', maintenance: false, isAvailable: true } as const;
    const { lastHour, lastDay, hours, state } = statusOf(known, [
      [9_999, 1],
      [0, 0],
      [0, 19],
    ]);
    assert.deepEqual([lastHour, lastDay, hours, state], [0.999, 0.998, [0, null, 0.999], 'available']);
  });
});

describe('/status.json', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startTestGateway({ configuration });
  });
  after(() => gateway.stop());

  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  const record = (of: Partial<RequestRecord>): RequestRecord => ({
    ...{ createdAt: hoursAgo(0.1), accountId: 'acc_1' as AccountId, keyId: 'key_1' as KeyId, requestId: 'req_1' },
    ...{ method: 'POST', path: '/v1/chat/completions', model: 'talker', status: 200, code: undefined },
    ...{ latencyMs: 100, firstTokenMs: undefined, isStream: false, provider: 'secret-vendor', attempts: undefined },
    ...{ inputTokens: undefined, cachedInputTokens: undefined, outputTokens: undefined, cost: undefined },
    ...{ taskId: undefined, endUser: undefined, tag: undefined, client: undefined },
    ...of,
  });
  const read = async () => {
    const answer = await fetch(`${gateway.url}/status.json`);
    const text = await answer.text();
    assert.equal(answer.status, 200, text);
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=5');
    return { text, status: JSON.parse(text) as Status };
  };

  test('says how each published model is and was by the hour, without a key, and nothing internal', async () => {
    const failed = { status: 502, code: 'upstream_error' };
    await addDayOf(gateway.core.database, hoursAgo(30));
    await writeRecords(gateway.core.database, [
      record({}),
      record({ ...failed }),
      record({ status: 400, code: 'invalid_request' }),
      record({ createdAt: hoursAgo(3.5) }),
      record({ createdAt: hoursAgo(3.6), ...failed }),
      record({ createdAt: hoursAgo(3.6), ...failed }),
      record({ createdAt: hoursAgo(30), ...failed }),
    ]);
    const image = { model: 'painter', prompt: 'A toll gate', size: '1024x1024' };
    assert.equal((await gateway.post('/v1/images/generations', image)).status, 200);
    const { text, status } = await read();
    assert.deepEqual(
      status.models.map(({ id, state }) => [id, state]),
      [
        ['talker', 'degraded'],
        ['painter', 'available'],
        ['closed', 'maintenance'],
      ],
    );
    assert.equal(status.state, 'degraded');
    const [talker, painter, closed] = status.models;
    assert.deepEqual(talker?.success_rate, { last_hour: 0.5, last_day: 0.4 });
    assert.deepEqual(talker.hours, [...Array.from({ length: 20 }, () => null), 0.333, null, null, 0.5]);
    assert.deepEqual(painter?.success_rate, { last_hour: 1, last_day: 1 });
    assert.deepEqual(closed?.maintenance, { note: 'New weights.', until: null });
    for (const internal of ['secret-vendor', 'upstream-name', '0.777', 'hidden', 'acc_', 'latency'])
      assert.ok(!text.includes(internal), internal);
  });

  test('is kept for some seconds, but for a switch, which shows at once', async () => {
    const first = await read();
    assert.equal((await read()).text, first.text);
    const until = new Date(Date.now() + 3_600_000);
    await switchModel(gateway.by, { model: 'painter', maintenance: { note: 'Cleaning.', until } });
    for (let tries = 0; (await read()).status.models[1]?.state !== 'maintenance'; tries++) {
      assert.ok(tries < 600, 'no maintenance within half a minute');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const { status } = await read();
    assert.deepEqual(status.models[1]?.maintenance, { note: 'Cleaning.', until: until.toISOString() });
  });

  test('is 404 once it is switched off', async () => {
    await gateway.reload(`status_page: false\n${configuration}`);
    assertError(await gateway.get('/status.json'), 'route_not_found');
    assert.equal((await fetch(`${gateway.url}/status`)).status, 404);
    await gateway.reload(configuration);
    await read();
  });
});
