/** Lists of requests in the console: what an account sees of its own, what operators see of all, and both as files. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as z from 'zod';
import { bearer, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { type ConsoleClient, signedIn } from '../../support/people.ts';

let gateway: TestGateway;
let operator: ConsoleClient;
let shop: Customer;
let other: Customer;
before(async () => {
  gateway = await startTestGateway({ worker: false });
  operator = await signedIn(gateway, { memberships: [], isOperator: true });
  [shop, other] = [await newCustomer('=shop'), await newCustomer('other')];
  for (const customer of [shop, other]) {
    await customer.call('same-id', 'sim-chat');
    await customer.call('refused', 'no-such-model');
  }
});
after(() => gateway.stop());

interface Customer {
  name: string;
  account: TestGateway['account'];
  keyId: string;
  owner: ConsoleClient;
  call: (id: string, model: string) => Promise<unknown>;
}

async function newCustomer(name: string): Promise<Customer> {
  const { account, key, keyId } = await gateway.newKey({ balance: '10', name });
  const owner = await signedIn(gateway, { memberships: [{ account, role: 'owner' }] });
  const messages = [{ role: 'user', content: 'Hello' }];
  const call = (id: string, model: string) => {
    const headers = { ...bearer(key), 'X-Request-Id': id, 'User-Agent': 'till/1.0 (test)' };
    return gateway.post('/v1/chat/completions', { model, messages }, headers);
  };
  return { name, account, keyId, owner, call };
}

const listForm = z.array(
  z.looseObject({
    ...{ id: z.string(), key_name: z.string().nullable(), client: z.string().nullable() },
    served_by: z.looseObject({ provider: z.string().nullable() }).optional(),
    account: z.object({ id: z.string(), name: z.string().nullable() }).optional(),
  }),
);

async function list(client: ConsoleClient, path: string) {
  const { status, body } = await client.get(path);
  assert.equal(status, 200, JSON.stringify(body));
  return listForm.parse(body['data']);
}

async function file(client: ConsoleClient, path: string) {
  const response = await fetch(`${gateway.url}/console/api${path}`, { headers: { Cookie: client.cookie } });
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\/csv/);
  const [head = '', ...lines] = (await response.text()).trimEnd().split('\r\n');
  return lines.map((line) => Object.fromEntries(head.split(',').map((name, at) => [name, line.split(',')[at]])));
}

describe('an account', () => {
  test('sees its own requests, refused ones too, with the names of keys and clients, not who served them', async () => {
    const requests = await list(shop.owner, `/accounts/${shop.account}/requests`);
    assert.deepEqual(
      requests.map(({ id, key_name: key, client, served_by: served }) => [id, key, client, served]),
      ['refused', 'same-id'].map((id) => [id, '=shop', 'till/1.0', undefined]),
    );
  });

  test('has them as a file with the same names, which no spreadsheet takes for formulas', async () => {
    const lines = await file(shop.owner, `/accounts/${shop.account}/requests.csv?status=2xx`);
    assert.deepEqual(
      lines.map(({ id, key_id: key, key_name: name, client, currency }) => [id, key, name, client, currency]),
      [['same-id', shop.keyId, "'=shop", 'till/1.0', 'CNY']],
    );
    assert.ok(lines.every((line) => !('provider' in line)));
    const [{ time, created } = {}] = lines;
    assert.equal(Math.floor(Date.parse(time ?? '') / 1000), Number(created));
  });

  test('sees those of a range of time, to the second', async () => {
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
    assert.equal((await list(shop.owner, `/accounts/${shop.account}/requests?from=${hourAgo}`)).length, 2);
    assert.equal((await list(shop.owner, `/accounts/${shop.account}/requests?to=${hourAgo}`)).length, 0);
  });

  test('sees none of another account, and those of all are for operators only', async () => {
    for (const path of [`/accounts/${other.account}/requests`, `/accounts/${other.account}/requests.csv`])
      assert.equal((await shop.owner.get(path)).status, 404, path);
    for (const path of ['/operator/requests', '/operator/requests.csv'])
      assert.equal((await shop.owner.get(path)).status, 403, path);
  });
});

describe('operators', () => {
  test('see the requests of all accounts with their accounts, and who served them', async () => {
    const [first, ...rest] = await list(operator, '/operator/requests?request_id=same-id');
    const accounts = [first, ...rest].map((request) => request?.account?.id);
    assert.deepEqual(accounts, [other.account, shop.account]);
    assert.equal(typeof first?.account?.name, 'string');
    assert.equal(first?.served_by?.provider, 'simulator');
  });

  test('find the request of one account by an id that others have sent, too', async () => {
    const found = await list(operator, `/operator/requests?request_id=same-id&account=${shop.account}`);
    assert.deepEqual(
      found.map(({ account, key_name: key }) => [account?.id, key]),
      [[shop.account, '=shop']],
    );
  });

  test('have a file of them all, filtered as the list is', async () => {
    const lines = await file(operator, `/operator/requests.csv?account=${other.account}&provider=simulator`);
    assert.deepEqual(
      lines.map(({ id, account_id: account, key_name: key, provider }) => [id, account, key, provider]),
      [['same-id', other.account, 'other', 'simulator']],
    );
    assert.ok(lines[0]?.['account_name']);
    assert.equal((await file(operator, '/operator/requests.csv?code=model_not_found')).length, 2);
  });
});
