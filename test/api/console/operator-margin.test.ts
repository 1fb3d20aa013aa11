/** The margin as operators get it from the console: rows, their file, and who may not. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { writeEntries } from '../../support/entries.ts';
import { type ConsoleClient, signedIn } from '../../support/people.ts';

let gateway: TestGateway;
let operator: ConsoleClient;
before(async () => {
  gateway = await startTestGateway({ worker: false });
  operator = await signedIn(gateway, { memberships: [], isOperator: true });
  await writeEntries(gateway.core.database, gateway.account, [
    { admittedAt: '2026-01-31T12:00:00Z', model: 'chat', provider: 'one', revenue: 1_000_000, cost: 600_000 },
    { admittedAt: '2026-01-31T13:00:00Z', model: 'chat', revenue: 250_000 },
  ]);
});
after(() => gateway.stop());

const range = 'from=2026-01-01&to=2026-02-01';
const sums = {
  ...{ calls: 2, calls_without_cost: 1, revenue: 1.25, revenue_without_cost: 0.25, written_off: 0 },
  ...{ cost: 0.6, margin: 0.4, margin_percent: 40 },
};

test('revenue, cost and margin by day, model, provider and account', async () => {
  const data = async (by: string) => (await operator.get(`/operator/margin?group_by=${by}&${range}`)).body['data'];
  assert.deepEqual(await data('day'), [{ object: 'margin', day: '2026-01-31', ...sums }]);
  assert.deepEqual(await data('model'), [{ object: 'margin', model: 'chat', ...sums }]);
  const [account] = (await data('account')) as Record<string, unknown>[];
  assert.deepEqual(
    { ...account, account_name: 'x' },
    {
      ...{ object: 'margin', account_id: gateway.account, account_name: 'x' },
      ...sums,
    },
  );
  const providers = (await data('provider')) as Record<string, unknown>[];
  assert.deepEqual(
    providers.map((one) => [one['provider'], one['calls_without_cost'], one['margin'], one['margin_percent']]),
    [
      [null, 1, 0, null],
      ['one', 0, 0.4, 40],
    ],
  );
});

test('the same as a file', async () => {
  const { status, headers, body } = await fetch(
    `${gateway.url}/console/api/operator/margin.csv?group_by=model&${range}`,
    { headers: { Cookie: operator.cookie } },
  ).then(async (answer) => ({ status: answer.status, headers: answer.headers, body: await answer.text() }));
  assert.equal(status, 200);
  assert.match(headers.get('content-disposition') ?? '', /filename="tollgate-margin-by-model-\d{4}-\d\d-\d\d\.csv"/);
  assert.equal(
    body,
    'object,model,calls,calls_without_cost,revenue,revenue_without_cost,written_off,cost,margin,margin_percent,currency\r\n' +
      'margin,chat,2,1,1.25,0.25,0,0.6,0.4,40,CNY\r\n',
  );
});

test('a range that is none and a group that is none are refused', async () => {
  for (const [query, param] of [
    ['from=2026-02-01&to=2026-01-01', 'to'],
    ['group_by=key', 'group_by'],
    ['cursor=x', 'cursor'],
  ]) {
    const { status, body } = await operator.get(`/operator/margin?${query}`);
    assert.equal(status, 400);
    assert.equal((body['error'] as Record<string, unknown>)['param'], param);
  }
});
