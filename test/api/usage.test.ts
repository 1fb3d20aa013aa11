/** Usage by day, model and key: what it counts, its pages, and what of a query is refused. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { linesOf, writeEntries } from '../support/entries.ts';
import { assertError } from '../support/errors.ts';
import { bearer, sharedTestGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await sharedTestGateway();
});
after(() => gateway.stop());

const get = async (key: string, query: string, root = '/v1') =>
  (await gateway.get(`${root}/account/usage?${query}`, bearer(key))).body;
const chatUnits = { unit: 'token', model: 'a-chat' } as const;

async function customerWithAMonth() {
  const { key, account, keyId } = await gateway.newKey({ balance: '1', level: 'read' });
  await writeEntries(gateway.core.database, account, [
    { createdAt: '2026-01-30T23:59:59.999Z', key: 'key_b', model: 'Z', revenue: 200_000, units: 1, unit: 'image' },
    {
      createdAt: '2026-01-31T00:00:00Z',
      key: 'key_a',
      ...chatUnits,
      units: 30,
      lines: linesOf({ input: 20, cached: 5, output: 10 }),
      revenue: 1,
    },
    {
      createdAt: '2026-01-31T12:00:00+14:00',
      key: 'key_a',
      ...chatUnits,
      units: 3,
      lines: linesOf({ input: 1, output: 2 }),
      revenue: 2,
    },
    {
      createdAt: '2026-01-31T23:59:59.999Z',
      key: 'key_b',
      model: 'video',
      units: 5.5,
      unit: 'second',
      taskId: 'vid_1',
      revenue: 4,
    },
    {
      createdAt: '2026-02-01T00:00:00Z',
      key: 'key_b',
      model: 'talk',
      units: 12.4,
      unit: 'second',
      taskId: 'avt_1',
      revenue: 620_000,
    },
    {
      createdAt: '2026-02-01T00:00:00Z',
      key: 'key_b',
      model: 'talk',
      units: 0.001,
      unit: 'second',
      taskId: 'avt_2',
      revenue: 50,
    },
    { createdAt: '2026-02-01T01:00:00Z', key: 'key_b', model: 'Z', units: 3, unit: 'image', revenue: 0 },
    // None of these was bought by the customer.
    { type: 'hold', createdAt: '2026-02-01T01:00:00Z', key: 'key_b', model: 'Z', units: 3, unit: 'image' },
    {
      type: 'write_off',
      createdAt: '2026-02-02T01:00:00Z',
      key: 'key_b',
      model: 'Z',
      units: 3,
      unit: 'image',
      revenue: 600_000,
    },
  ]);
  return { key, account, keyId };
}

const nothing = {
  object: 'usage',
  calls: 0,
  input_tokens: 0,
  output_tokens: 0,
  images: 0,
  seconds: 0,
  tokens: 0,
  cost: 0,
};

test('a day is that of UTC, newest first; cached tokens are input, and a second of avatar-talk is 1,000 tokens', async () => {
  const { key } = await customerWithAMonth();
  assert.deepEqual(await get(key, ''), {
    object: 'list',
    data: [
      { ...nothing, day: '2026-02-01', calls: 3, images: 3, seconds: 12.401, tokens: 12_401, cost: 0.62005 },
      {
        ...nothing,
        day: '2026-01-31',
        calls: 2,
        input_tokens: 20,
        output_tokens: 10,
        seconds: 5.5,
        tokens: 30,
        cost: 0.000005,
      },
      {
        ...nothing,
        day: '2026-01-30',
        calls: 2,
        input_tokens: 1,
        output_tokens: 2,
        images: 1,
        tokens: 3,
        cost: 0.200002,
      },
    ],
    has_more: false,
    next_cursor: null,
  });
});

for (const root of ['/v1', '/ai/v1']) {
  test(`${root}: the same is summed by model and by key, in the order of their ids`, async () => {
    const { key } = await customerWithAMonth();
    const models = await get(key, 'group_by=model', root);
    assert.deepEqual(models['data'], [
      { ...nothing, model: 'Z', calls: 2, images: 4, cost: 0.2 },
      { ...nothing, model: 'a-chat', calls: 2, input_tokens: 21, output_tokens: 12, tokens: 33, cost: 0.000003 },
      { ...nothing, model: 'talk', calls: 2, seconds: 12.401, tokens: 12_401, cost: 0.62005 },
      { ...nothing, model: 'video', calls: 1, seconds: 5.5, cost: 0.000004 },
    ]);
    const keys = await get(key, 'group_by=key', root);
    assert.deepEqual(
      (keys['data'] as Record<string, unknown>[]).map(({ key_id, calls, cost }) => [key_id, calls, cost]),
      [
        ['key_a', 2, 0.000003],
        ['key_b', 5, 0.820054],
      ],
    );
  });
}

test('from is in, to is out, and a day stands for its first moment', async () => {
  const { key } = await customerWithAMonth();
  const daysOf = async (query: string) =>
    ((await get(key, query))['data'] as { day: string; calls: number }[]).map(({ day, calls }) => `${day} ${calls}`);
  assert.deepEqual(await daysOf('from=2026-01-31&to=2026-02-01'), ['2026-01-31 2']);
  assert.deepEqual(await daysOf('from=2026-01-30T23:59:59.999Z&to=2026-01-31T00:00:00.001Z'), [
    '2026-01-31 1',
    '2026-01-30 1',
  ]);
  assert.deepEqual(await daysOf('from=2026-01-31T08:00:00%2B08:00&to=2026-01-31T00:00:00.001Z'), ['2026-01-31 1']);
  assert.deepEqual(await daysOf('from=2027-01-01'), []);
});

for (const by of ['day', 'model', 'key']) {
  test(`pages by ${by} lead through everything once, though captures of old and new groups arrive in between`, async () => {
    const { key, account } = await customerWithAMonth();
    const nameOf = (row: Record<string, unknown>) => row[by === 'key' ? 'key_id' : by];
    const whole = (await get(key, `group_by=${by}`))['data'] as Record<string, unknown>[];
    const found: Record<string, unknown>[] = [];
    let cursor = '';
    do {
      const page = await get(key, `group_by=${by}&limit=1${cursor}`);
      assert.equal(page['data'].length, 1);
      found.push(...page['data']);
      cursor = page['has_more'] === true ? `&cursor=${String(page['next_cursor'])}` : '';
      await writeEntries(gateway.core.database, account, [
        { createdAt: '2026-03-01T00:00:00Z', key: 'key_0', model: '0', revenue: 1 },
        { createdAt: '2026-02-01T00:00:00Z', key: 'key_a', model: 'Z', revenue: 0 },
      ]);
    } while (cursor !== '');
    assert.deepEqual(found.map(nameOf), whole.map(nameOf));
    assert.equal((await get(key, `group_by=${by}`))['data'].length, whole.length + 1);
  });
}

test('sums of billions stay exact to the micro-unit', async () => {
  const { key, account } = await gateway.newKey({ balance: '1' });
  const most = { createdAt: '2026-01-01T00:00:00Z', revenue: 2_000_000_000_000_001 };
  await writeEntries(gateway.core.database, account, [most, most, most, most]);
  assert.equal((await get(key, ''))['data'][0].cost, 8_000_000_000.000004);
});

test('an account sees its own usage only', async () => {
  await customerWithAMonth();
  const { key } = await gateway.newKey({ balance: '1' });
  assert.deepEqual((await get(key, ''))['data'], []);
});

const cursorOf = (text: string) => Buffer.from(text).toString('base64url');
for (const [query, param] of [
  ['group_by=week', 'group_by'],
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['limit=', 'limit'],
  ['group_by=day&group_by=key', 'group_by'],
  ['cursor=x', 'cursor'],
  ['cursor=%00', 'cursor'],
  [`cursor=${cursorOf('day 2026-02-30')}`, 'cursor'],
  [`cursor=${cursorOf('day 0000-01-01')}`, 'cursor'],
  [`cursor=${cursorOf('day tomorrow')}`, 'cursor'],
  [`group_by=model&cursor=${cursorOf('day 2026-02-01')}`, 'cursor'],
  [`group_by=model&cursor=${cursorOf('model a\0')}`, 'cursor'],
  ['from=2026-02-30', 'from'],
  ['from=2026-01-01T00:00:00', 'from'],
  ['from=2026-01-02&to=2026-01-01', 'to'],
  ['from=2026-01-02&to=2026-01-02', 'to'],
  ['model=sim-image', 'model'],
  ['__proto__=1', '__proto__'],
] as const) {
  test(`usage with ${query} is refused`, async () => {
    assertError(await gateway.get(`/v1/account/usage?${query}`), 'invalid_parameter', param);
  });
}

test('times at the ends of what ISO 8601 can write are taken', async () => {
  for (const query of ['from=0000-01-01', 'from=0001-01-01T00:00:00%2B14:00', 'to=9999-12-31T23:59:59-14:00']) {
    const { status } = await gateway.get(`/v1/account/usage?${query}`);
    assert.equal(status, 200, query);
  }
});
