/** What the console shows of an account's money: overview, usage, ledger and statements. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { micros } from '../../../src/domain/money.ts';
import type { AccountId } from '../../../src/domain/ids.ts';
import { writeEntries } from '../../support/entries.ts';
import { sharedTestGateway, type TestGateway } from '../../support/gateway.ts';
import { type ConsoleAnswer, type ConsoleClient, signedIn } from '../../support/people.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await sharedTestGateway();
});
after(() => gateway.stop());

interface Customer {
  account: AccountId;
  key: string;
  keyId: string;
  owner: ConsoleClient;
  get: (path: string) => Promise<ConsoleAnswer>;
}

/** A new account and its owner, who asks below the account's own path. */
async function customer(balance = '100'): Promise<Customer> {
  const made = await gateway.newKey({ balance, name: 'of the shop' });
  const owner = await signedIn(gateway, { memberships: [{ account: made.account, role: 'owner' }] });
  return { ...made, owner, get: (path) => owner.get(`/accounts/${made.account}/${path}`) };
}

const chat = { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello there' }], max_tokens: 20 };
const call = async ({ key }: Customer) => {
  const answer = await gateway.post('/v1/chat/completions', chat, { Authorization: `Bearer ${key}` });
  assert.equal(answer.status, 200);
};
const dataOf = ({ status, body }: ConsoleAnswer): Record<string, unknown>[] => {
  assert.equal(status, 200, JSON.stringify(body));
  return body['data'] as Record<string, unknown>[];
};
const today = () => new Date().toISOString().slice(0, 10);
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** What a file is, with its bytes as text. */
async function fileOf({ owner, account }: Customer, path: string) {
  const answer = await fetch(`${gateway.url}/console/api/accounts/${account}/${path}`, {
    headers: { Cookie: owner.cookie, Accept: 'text/html,*/*' },
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

describe('the overview', () => {
  test('a call is in the spend of today and of the month at once, and the balance is what is left', async () => {
    const one = await customer('1');
    const { body: first } = await one.get('overview');
    assert.deepEqual([first['balance'], first['has_calls'], first['charges']], [1, false, []]);
    await call(one);
    await call(one);
    const { body } = await one.get('overview');
    const [charge] = body['charges'] as { day: string; model: string; calls: number; cost: number }[];
    assert.ok(charge && charge.cost > 0);
    assert.deepEqual([charge.model, charge.calls, body['has_calls']], ['sim-chat', 2, true]);
    const { cost, calls } = charge;
    assert.deepEqual(body['today'], { day: today(), cost, calls });
    assert.deepEqual(body['month'], { month: today().slice(0, 7), cost, calls });
    assert.equal(body['balance'], Math.round((1 - cost) * 1e6) / 1e6);
  });

  test('its sums grow by what came since, and are those of the entries, asked for at the same time', async () => {
    const one = await customer();
    await writeEntries(gateway.core.database, one.account, [
      { createdAt: daysAgo(40), model: 'old', revenue: 7 },
      { createdAt: daysAgo(29), model: 'a', revenue: 1_000_001 },
      { createdAt: daysAgo(1), model: 'a', revenue: 2 },
      { createdAt: daysAgo(1), model: 'b', revenue: 3 },
    ]);
    const costs = async () => {
      const { body } = await one.get('overview');
      return (body['charges'] as { day: string; model: string; cost: number }[])
        .map(({ day, model, cost }) => `${day} ${model} ${cost}`)
        .sort();
    };
    const yesterday = daysAgo(1).slice(0, 10);
    const oldest = `${daysAgo(29).slice(0, 10)} a 1.000001`;
    assert.deepEqual(await costs(), [oldest, `${yesterday} a 0.000002`, `${yesterday} b 0.000003`]);
    await writeEntries(gateway.core.database, one.account, [
      { createdAt: daysAgo(1), model: 'b', revenue: 10 },
      { type: 'hold', createdAt: daysAgo(0), model: 'c' },
    ]);
    for (const seen of await Promise.all([costs(), costs(), costs()]))
      assert.deepEqual(seen, [oldest, `${yesterday} a 0.000002`, `${yesterday} b 0.000013`]);
    assert.deepEqual(await costs(), [oldest, `${yesterday} a 0.000002`, `${yesterday} b 0.000013`]);
  });

  test('tasks that run are counted, the newest are named, and one that failed says why; a cancelled one has not failed', async () => {
    const one = await customer();
    const ids: string[] = [];
    for (let count = 0; count < 7; count++) {
      const made = await gateway.post(
        '/v1/images/generations',
        { model: 'sim-image', prompt: 'a gate' },
        { Authorization: `Bearer ${one.key}`, Prefer: 'wait=0' },
      );
      assert.equal(made.status, 202);
      ids.push(String(made.body['id']));
    }
    const [failed = '', cancelled = ''] = ids;
    for (const [task, state, code] of [
      [failed, 'failed', 'upstream_error'],
      [cancelled, 'cancelled', 'cancelled'],
    ] as const) {
      const { rows } = await gateway.core.database.pool.query<{ request_id: string; id: never; key_id: never }>(
        'select id, request_id, key_id from tasks where id = $1',
        [task],
      );
      assert.ok(rows[0]);
      await gateway.core.ledger.releaseTask({
        account: one.account,
        key: rows[0].key_id,
        task: rows[0].id,
        state,
        error: { code, message: 'The <b>provider</b> refused.', param: null },
        model: 'sim-image',
        requestId: rows[0].request_id,
      });
    }
    const { body } = await one.get('overview');
    const running = body['running'] as { count: number; newest: { id: string; state: string }[] };
    assert.equal(running.count, 5);
    assert.deepEqual(
      running.newest.map(({ id }) => id),
      ids.slice(2).reverse(),
    );
    const failures = body['failed'] as { count: number; newest: { id: string; error: unknown }[] };
    assert.deepEqual(
      [failures.count, failures.newest.map(({ id, error }) => [id, error])],
      [1, [[failed, { code: 'upstream_error', message: 'The <b>provider</b> refused.' }]]],
    );
  });
});

describe('usage', () => {
  test('by day, model and key, the key by its name too', async () => {
    const one = await customer();
    await call(one);
    const [day] = dataOf(await one.get('usage'));
    assert.deepEqual([day?.['day'], day?.['calls']], [today(), 1]);
    const [model] = dataOf(await one.get('usage?group_by=model&from=2026-01-01'));
    assert.deepEqual([model?.['model'], model?.['cost']], ['sim-chat', day?.['cost']]);
    const [key] = dataOf(await one.get('usage?group_by=key'));
    assert.deepEqual([key?.['key_id'], key?.['key_name'], key?.['calls']], [one.keyId, 'of the shop', 1]);
  });

  test('a range in the past leaves out what is before and after, by the moment', async () => {
    const one = await customer();
    await writeEntries(
      gateway.core.database,
      one.account,
      Array.from({ length: 60 }, (_, index) => ({ createdAt: daysAgo(60 - index), revenue: 1 })),
    );
    const of = (days: number) => daysAgo(days).slice(0, 10);
    const days = dataOf(await one.get(`usage?from=${of(30)}&to=${of(27)}`)).map(({ day }) => day);
    assert.deepEqual(days, [of(28), of(29), of(30)]);
  });

  for (const [query, param] of [
    ['group_by=week', 'group_by'],
    ['limit=401', 'limit'],
    ['from=2026-02-02&to=2026-02-01', 'to'],
    ['cursor=x', 'cursor'],
  ] as const)
    test(`${query} is refused`, async () => {
      const { status, body } = await (await customer()).get(`usage?${query}`);
      assert.deepEqual([status, (body['error'] as { param: unknown }).param], [400, param]);
    });
});

describe('the ledger', () => {
  test('a call is a hold, a capture and a release, each with its key by name; filters leave what they name', async () => {
    const one = await customer();
    await call(one);
    const entries = dataOf(await one.get('ledger'));
    assert.deepEqual(
      entries.map(({ type }) => type),
      ['release', 'capture', 'hold', 'credit'],
    );
    const [, capture, , credit] = entries;
    assert.deepEqual([capture?.['key_name'], credit?.['key_name']], ['of the shop', null]);
    const types = async (query: string) => dataOf(await one.get(`ledger?${query}`)).map(({ type }) => type);
    assert.deepEqual(await types(`key_id=${one.keyId}`), ['release', 'capture', 'hold']);
    assert.deepEqual(await types('key_id=key_none'), []);
    assert.deepEqual(await types('model=sim-chat&type=capture'), ['capture']);
    assert.deepEqual(await types('model=sim-image'), []);
    assert.deepEqual(await types(`request_id=${String(capture?.['request_id'])}`), ['release', 'capture', 'hold']);
    assert.deepEqual(await types('from=2999-01-01'), []);
  });

  test('by call it has one row each: what it cost in the end, or what is held while it runs', async () => {
    const one = await customer();
    await call(one);
    const image = { model: 'sim-image', prompt: 'a gate' };
    const headers = { Authorization: `Bearer ${one.key}`, Prefer: 'wait=0' };
    const { body: task } = await gateway.post('/v1/images/generations', image, headers);
    await gateway.core.ledger.adjust(one.account, micros(-250_000n), 'a correction');
    const rows = dataOf(await one.get('ledger/transfers'));
    const [correction, running, ended, credit] = rows;
    assert.deepEqual(
      rows.map(({ type, model, is_open }) => [type, model, is_open] as unknown[]),
      [
        ['adjustment', null, false],
        ['hold', 'sim-image', true],
        ['hold', 'sim-chat', false],
        ['credit', null, false],
      ],
    );
    assert.deepEqual([correction?.['amount'], correction?.['reason']], [-0.25, 'a correction']);
    assert.deepEqual([credit?.['amount'], credit?.['key_name']], [100, null]);
    const [capture] = dataOf(await one.get('ledger?type=capture'));
    const charged = Number(capture?.['charged']);
    assert.ok(charged > 0);
    assert.deepEqual([ended?.['amount'], ended?.['charged'], ended?.['key_name']], [-charged, charged, 'of the shop']);
    const [hold] = dataOf(await one.get('ledger?type=hold&model=sim-image'));
    assert.deepEqual([running?.['amount'], running?.['task_id']], [hold?.['amount'], task['id']]);
  });

  test('by call, filters and pages leave what they name', async () => {
    const one = await customer();
    await writeEntries(
      gateway.core.database,
      one.account,
      Array.from({ length: 9 }, (_, at) => ({ type: 'hold', model: `m${at % 2}`, requestId: `req_${at}` })),
    );
    const models = async (query: string) =>
      dataOf(await one.get(`ledger/transfers?${query}`)).map(({ model }) => model);
    assert.deepEqual(await models('model=m1'), ['m1', 'm1', 'm1', 'm1']);
    assert.deepEqual(await models('request_id=req_4'), ['m0']);
    assert.deepEqual(await models('from=2999-01-01'), []);
    const { body } = await one.get('ledger/transfers?limit=6');
    const next = await models(`limit=6&cursor=${String(body['next_cursor'])}`);
    assert.deepEqual([next.length, next.at(-1), body['has_more']], [4, null, true]);
  });

  test('its sums are what was charged and added by the entries that pass the filter', async () => {
    const one = await customer();
    await writeEntries(gateway.core.database, one.account, [
      { createdAt: daysAgo(9), model: 'a', revenue: 1_000_000 },
      { createdAt: daysAgo(3), model: 'a', revenue: 20_000 },
      { model: 'b', revenue: 1 },
    ]);
    const sums = async (query: string) => (await one.get(`ledger/sums?${query}`)).body;
    assert.deepEqual(await sums(''), { charged: 1.020001, credited: 100, since: null });
    assert.deepEqual(await sums('model=a'), { charged: 1.02, credited: 0, since: null });
    assert.deepEqual(await sums(`from=${daysAgo(4)}&to=${daysAgo(2)}`), { charged: 0.02, credited: 0, since: null });
    assert.equal((await one.get('ledger/sums?from=2026-02-02&to=2026-02-01')).status, 400);
  });

  test('pages lead through all of it once while entries arrive', async () => {
    const one = await customer();
    await writeEntries(
      gateway.core.database,
      one.account,
      Array.from({ length: 45 }, () => ({ revenue: 1 })),
    );
    const ids: unknown[] = [];
    let cursor: unknown = null;
    do {
      const { body } = await one.get(`ledger?limit=20${typeof cursor === 'string' ? `&cursor=${cursor}` : ''}`);
      ids.push(...(body['data'] as { id: string }[]).map(({ id }) => id));
      cursor = body['next_cursor'];
      await writeEntries(gateway.core.database, one.account, [{ revenue: 1 }]);
    } while (cursor !== null);
    assert.deepEqual([ids.length, new Set(ids).size], [46, 46]);
  });

  test('the file is the whole of it with the columns of the public API, times and names of keys, and a formula in a reason stays a text', async () => {
    const one = await customer();
    await gateway.core.ledger.credit(one.account, micros(1n), '=1+1');
    const file = await fileOf(one, 'ledger.csv?type=credit');
    const lines = file.text.trimEnd().split('\r\n');
    assert.equal(
      lines[0],
      'time,id,object,created,type,amount,balance,charged,task_id,request_id,key_id,model,units,unit,unit_price,usage_source,lines,usage,reason,key_name,currency',
    );
    assert.equal(lines.length, 3);
    assert.match(lines[1] ?? '', /credit,0\.000001,100\.000001,0,.*,'=1\+1,,CNY$/);
  });

  test('a file takes no page, and another account’s file is not found', async () => {
    const one = await customer();
    assert.equal((await one.get('ledger.csv?limit=5')).status, 400);
    const stranger = await customer();
    assert.equal((await stranger.owner.get(`/accounts/${one.account}/ledger.csv`)).status, 404);
  });
});
