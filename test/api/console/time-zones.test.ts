/** Days and months by the account's time zone: usage, overview, statement, files and the public API's parameter. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AccountId, KeyId } from '../../../src/domain/ids.ts';
import { dayIn, startOfDay } from '../../../src/domain/time-zone.ts';
import { writeEntries } from '../../support/entries.ts';
import { assertError } from '../../support/errors.ts';
import { bearer, sharedTestGateway, type TestGateway } from '../../support/gateway.ts';
import { type ConsoleClient, signedIn } from '../../support/people.ts';
import { writeRecords } from '../../support/request-groups.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await sharedTestGateway();
});
after(() => gateway.stop());

interface Customer {
  account: AccountId;
  key: string;
  keyId: KeyId;
  owner: ConsoleClient;
}

/** Whose captures are of these times, of 1, 2, 4, … */
async function customerIn(timeZone: string, times: readonly string[]): Promise<Customer> {
  const { account, key, keyId } = await gateway.newKey({ balance: '1', name: '店铺' });
  const owner = await signedIn(gateway, { memberships: [{ account, role: 'owner' }] });
  const set = await owner.call('PATCH', `/accounts/${account}/settings`, { time_zone: timeZone });
  assert.deepEqual([set.status, set.body['time_zone']], [200, timeZone]);
  await writeEntries(
    gateway.core.database,
    account,
    times.map((createdAt, at) => ({ createdAt, key: keyId, revenue: 1_000_000 * 2 ** at })),
  );
  return { account, key, keyId: keyId as KeyId, owner };
}

/** The ids and costs of a usage table's rows. */
async function costs({ owner, account }: Customer, query: string) {
  const { status, body } = await owner.get(`/accounts/${account}/usage-table?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return (body['rows'] as { id: string; sums: { cost: number } }[]).map(({ id, sums }) => [id, sums.cost]);
}

const lines = async ({ owner, account }: Customer, path: string) => {
  const response = await fetch(`${gateway.url}/console/api/accounts/${account}/${path}`, {
    headers: { Cookie: owner.cookie },
  });
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer())
    .toString()
    .trimEnd()
    .split('\r\n');
};

const range = (zone: string, from: string, to: string) =>
  `from=${startOfDay(zone, from).toISOString()}&to=${startOfDay(zone, to).toISOString()}`;

describe('usage is by days of the account', () => {
  test('in Shanghai, whose day begins at 16:00 of UTC', async () => {
    const one = await customerIn('Asia/Shanghai', [
      '2026-02-28T15:59:59.999Z',
      '2026-02-28T16:00:00Z',
      '2026-03-01T15:59:59.999Z',
      '2026-03-01T16:00:00Z',
    ]);
    const days = range('Asia/Shanghai', '2026-02-01', '2026-04-01');
    assert.deepEqual(await costs(one, `group=day&${days}`), [
      ['2026-02-28', 1],
      ['2026-03-01', 6],
      ['2026-03-02', 8],
    ]);
    assert.deepEqual(await costs(one, `group=month&${days}`), [
      ['2026-02', 1],
      ['2026-03', 14],
    ]);
  });

  test('in Kolkata, where hours begin at half past', async () => {
    const one = await customerIn('Asia/Kolkata', [
      '2026-03-01T18:29:59Z',
      '2026-03-01T18:30:00Z',
      '2026-03-01T19:29:59Z',
    ]);
    const days = range('Asia/Kolkata', '2026-03-01', '2026-03-03');
    assert.deepEqual(await costs(one, `group=hour&${days}`), [
      ['2026-03-01T23:00:00+05:30', 1],
      ['2026-03-02T00:00:00+05:30', 6],
    ]);
    assert.deepEqual(await costs(one, `group=day&${days}`), [
      ['2026-03-01', 1],
      ['2026-03-02', 6],
    ]);
  });

  test('in New York on the days of 23 and 25 hours', async () => {
    const zone = 'America/New_York';
    const one = await customerIn(zone, [
      ...['2026-03-08T04:59:59Z', '2026-03-08T05:00:00Z', '2026-03-09T03:59:59Z', '2026-03-09T04:00:00Z'],
      ...['2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z', '2026-11-02T04:59:59Z', '2026-11-02T05:00:00Z'],
    ]);
    assert.deepEqual(await costs(one, `group=day&${range(zone, '2026-03-07', '2026-03-11')}`), [
      ['2026-03-07', 1],
      ['2026-03-08', 6],
      ['2026-03-09', 8],
    ]);
    const autumn = range(zone, '2026-11-01', '2026-11-03');
    assert.deepEqual(await costs(one, `group=day&${autumn}`), [
      ['2026-11-01', 16 + 32 + 64],
      ['2026-11-02', 128],
    ]);
    assert.deepEqual((await costs(one, `group=hour&${autumn}`)).slice(0, 2), [
      ['2026-11-01T01:00:00-04:00', 16],
      ['2026-11-01T01:00:00-05:00', 32],
    ]);
    // A year that begins in summer time and ends in winter time has an hour more than its days.
    assert.deepEqual(await costs(one, `group=month&${range(zone, '2025-11-02', '2026-11-03')}`), [
      ['2026-03', 15],
      ['2026-11', 240],
    ]);
  });
});

test('errors are by the same days', async () => {
  const one = await customerIn('Asia/Shanghai', []);
  const zone = 'Asia/Shanghai';
  const midnight = startOfDay(zone, dayIn(zone, new Date())).getTime();
  await writeRecords(
    gateway.core.database,
    [midnight - 1, midnight].map((ms, at) => ({
      ...{ createdAt: new Date(ms), accountId: one.account, keyId: one.keyId, requestId: `req_${at}`, method: 'POST' },
      ...{ path: '/v1/x', model: 'm', status: 500, code: undefined, latencyMs: 1, firstTokenMs: undefined },
      ...{ isStream: false, provider: 'one', attempts: undefined, inputTokens: 1, cachedInputTokens: 0 },
      ...{ outputTokens: 1, cost: undefined, taskId: undefined, endUser: undefined, tag: undefined, client: undefined },
    })),
  );
  const { body } = await one.owner.get(`/accounts/${one.account}/usage-table?group=day&metric=errors`);
  const days = (body['rows'] as { id: string; sums: { errors: number } }[]).map(({ id, sums }) => [id, sums.errors]);
  assert.deepEqual(days, [
    [dayIn(zone, new Date(midnight - 1)), 1],
    [dayIn(zone, new Date(midnight)), 1],
  ]);
});

test('today of the overview begins at midnight of the account, also after its zone has changed', async () => {
  const zone = 'Pacific/Kiritimati';
  const midnight = startOfDay(zone, dayIn(zone, new Date())).getTime();
  const one = await customerIn(
    zone,
    [midnight - 1, midnight].map((ms) => new Date(ms).toISOString()),
  );
  const overview = async () =>
    (await one.owner.get(`/accounts/${one.account}/overview`)).body as { charges: unknown[] };
  const shown = await overview();
  assert.deepEqual(
    (shown.charges as { day: string; cost: number }[]).map(({ day, cost }) => [day, cost]).toSorted(),
    [
      [dayIn(zone, new Date(midnight - 1)), 1],
      [dayIn(zone, new Date(midnight)), 2],
    ].toSorted(),
  );
  await one.owner.call('PATCH', `/accounts/${one.account}/settings`, { time_zone: null });
  const inUtc = (await overview()).charges as { day: string; cost: number }[];
  assert.deepEqual(
    new Set(inUtc.map(({ day }) => day)),
    new Set([midnight - 1, midnight].map((ms) => dayIn('UTC', new Date(ms)))),
  );
});

test('the statement is of a month of the account', async () => {
  const one = await customerIn('Asia/Shanghai', [
    '2026-02-28T15:59:59Z',
    '2026-02-28T16:00:00Z',
    '2026-03-31T16:00:00Z',
  ]);
  const { body } = await one.owner.get(`/accounts/${one.account}/statement?month=2026-03`);
  assert.deepEqual([body['charged'], body['time_zone'], body['month']], [2, 'Asia/Shanghai', '2026-03']);
});

test('files begin with a mark for spreadsheets, and say times with the offset of the account and names of keys', async () => {
  const one = await customerIn('Asia/Kolkata', ['2026-03-01T18:30:00Z']);
  const [head = '', line = ''] = await lines(one, 'ledger.csv?type=capture');
  assert.match(head, /^\uFEFFtime,id,object,created,.*,key_name,currency$/);
  assert.match(line, /^2026-03-02T00:00:00\+05:30,.*,店铺,CNY$/);
  for (const path of ['usage-table.csv?group=key', 'statement.csv?month=2026-03', 'requests.csv', 'acts.csv'])
    assert.equal((await lines(one, path))[0]?.[0], '\uFEFF', path);
  const ofApi = await fetch(`${gateway.url}/v1/account/ledger`, {
    headers: { ...bearer(one.key), Accept: 'text/csv' },
  });
  assert.match(Buffer.from(await ofApi.arrayBuffer()).toString(), /^id,/);
});

describe('usage of the public API', () => {
  test('is by days of UTC, whatever the account has, or of the zone that is asked for', async () => {
    const one = await customerIn('Asia/Shanghai', [
      '2026-02-28T15:59:59Z',
      '2026-02-28T16:00:00Z',
      '2026-03-01T00:00:00Z',
    ]);
    const days = async (query: string) =>
      (
        (await gateway.get(`/v1/account/usage?${query}`, bearer(one.key))).body['data'] as {
          day: string;
          cost: number;
        }[]
      ).map(({ day, cost }) => [day, cost]);
    assert.deepEqual(await days('from=2026-02-01'), [
      ['2026-03-01', 4],
      ['2026-02-28', 3],
    ]);
    assert.deepEqual(await days('from=2026-02-01&time_zone=Asia/Shanghai'), [
      ['2026-03-01', 6],
      ['2026-02-28', 1],
    ]);
    // Days of a range are of the zone too.
    assert.deepEqual(await days('from=2026-03-01&to=2026-03-02&time_zone=Asia/Shanghai'), [['2026-03-01', 6]]);
  });

  test('leads through its days once, page by page', async () => {
    const one = await customerIn('UTC', ['2026-03-01T16:00:00Z', '2026-03-02T16:00:00Z', '2026-03-03T16:00:00Z']);
    const found: string[] = [];
    let cursor = '';
    do {
      const { body } = await gateway.get(`/v1/account/usage?limit=1&time_zone=Asia/Shanghai${cursor}`, bearer(one.key));
      found.push(...(body['data'] as { day: string }[]).map(({ day }) => day));
      cursor = body['has_more'] === true ? `&cursor=${String(body['next_cursor'])}` : '';
    } while (cursor !== '');
    assert.deepEqual(found, ['2026-03-04', '2026-03-03', '2026-03-02']);
  });

  for (const zone of ['', 'Mars/Olympus', '%2B08:00'])
    test(`refuses the zone '${zone}'`, async () => {
      const { key } = await gateway.newKey({ balance: '1' });
      const answer = await gateway.get(`/v1/account/usage?time_zone=${zone}`, bearer(key));
      assertError(answer, 'invalid_parameter', 'time_zone');
    });
});
