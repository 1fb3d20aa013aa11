/** The public suite's part about accounts: keys, lists, quotes, what describes the service, and the console's sign-in. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { until } from '../process.ts';
import { admin, Caller, itemsOf, newCaller, type Site } from './site.ts';

export function testAccount(site: () => Site): void {
  test('models, their health, the document and the probes reveal nothing internal', async () => {
    const caller = await newCaller(site(), { level: 'read' });
    const models = await caller.get('/v1/models');
    assert.ok(itemsOf(models).length >= 8);
    assert.equal((await caller.get('/v1/models/sim-chat')).body['id'], 'sim-chat');
    const { body: report } = await caller.get('/api/models/health');
    assert.equal(report['health']['sim-image'].available, true);
    assert.match(String((await caller.get('/openapi.json')).body['openapi']), /^3\.1/);
    for (const path of ['/healthz', '/readyz', '/console', '/status', '/status.json'])
      assert.equal((await caller.fetch(path)).status, 200, path);
    // A balancer may keep these inside.
    for (const api of site().apis) assert.equal((await caller.at(api).fetch('/metrics')).status, 200);
  });

  test('a key made at one API works at the other, is changed and revoked, and then works nowhere', async () => {
    const [first = '', second = ''] = site().apis;
    const boss = admin(site());
    const { body: made } = await boss
      .at(first)
      .post('/v1/account/keys', { name: 'a', level: 'read', models: ['sim-chat'] });
    const caller = new Caller(second, String(made['key']));
    assert.deepEqual(
      itemsOf(await caller.get('/v1/models')).map(({ id }) => String(id)),
      ['sim-chat'],
    );
    const path = `/v1/account/keys/${String(made['id'])}`;
    assert.equal((await boss.at(second).send('PATCH', path, { name: 'b' })).status, 200);
    assert.equal((await boss.at(first).get(path)).body['name'], 'b');
    assert.equal((await boss.at(first).send('DELETE', path)).status, 200);
    for (const url of site().apis)
      await until('the end of the key', async () =>
        (await caller.at(url).get('/v1/models')).status === 401 ? true : undefined,
      );
  });

  test('quotes say what is held; ledger, usage and tasks what was charged', async () => {
    const caller = await newCaller(site());
    const body = { model: 'sim-image', prompt: 'A toll gate', n: 2 };
    const quote = await caller.post('/v1/quotes', { path: '/images/generations', body });
    assert.equal(quote.body['hold'], 0.4, JSON.stringify(quote.body));
    const { body: made } = await caller.post('/v1/images/generations', body);
    const [first = '', second = ''] = site().apis;
    const ledger = await caller.at(first).get(`/v1/account/ledger?task_id=${String(made['id'])}`);
    const types = itemsOf(ledger).map(({ type, charged }) => [String(type), Number(charged)]);
    assert.deepEqual(types, [
      ['capture', 0.4],
      ['hold', 0],
    ]);
    const tasks = await caller.at(second).get('/v1/tasks?kind=image&limit=1');
    assert.equal(tasks.body['data'][0].object, 'image');
    assert.equal(tasks.body['has_more'], true);
    const next = await caller.get(`/v1/tasks?kind=image&limit=1&cursor=${String(tasks.body['next_cursor'])}`);
    assert.notEqual(next.body['data'][0].id, tasks.body['data'][0].id);
    const usage = await caller.at(second).get('/v1/account/usage?group_by=model');
    assert.ok(itemsOf(usage).some(({ model, images }) => model === 'sim-image' && Number(images) >= 2));
    const csv = await caller.fetch('/v1/account/ledger?type=capture', { headers: { Accept: 'text/csv' } });
    assert.match(csv.headers.get('content-type') ?? '', /^text\/csv/);
    assert.ok((await csv.text()).includes(String(made['id'])));
  });

  test('the account’s webhook and its secret are set at one API and known at the other', async () => {
    const [first = '', second = ''] = site().apis;
    const boss = admin(site());
    assert.equal((await boss.at(first).send('PATCH', '/v1/account', { webhook_url: null })).status, 200);
    const { body: before } = await boss.at(second).get('/v1/account/webhook-secret');
    const { body: after } = await boss.at(first).post('/v1/account/webhook-secret/rotate', {});
    assert.notEqual(after['secret'], before['secret']);
    assert.equal((await boss.at(second).get('/v1/account/webhook-secret')).body['secret'], after['secret']);
    const { balance, held, currency } = (await boss.get('/v1/account')).body;
    assert.equal(currency, 'CNY');
    assert.ok(Number(balance) > 0 && Number(held) >= 0);
  });

  test('an owner signs in to the console once for both APIs, and out again', async () => {
    const { url, apis, owner } = site();
    const answer = await fetch(`${url}/console/api/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: url },
      body: JSON.stringify(owner),
    });
    assert.equal(answer.status, 200, await answer.clone().text());
    const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
    const session = (await answer.json()) as { person: { is_operator: boolean }; accounts: { id: string }[] };
    assert.equal(session.person.is_operator, true);
    const seen = (api: string) =>
      fetch(`${api}/console/api/accounts/${session.accounts[0]?.id ?? ''}/overview`, { headers: { Cookie: cookie } });
    for (const api of apis) assert.equal((await seen(api)).status, 200);
    const left = await fetch(`${url}/console/api/session`, {
      method: 'DELETE',
      headers: { Cookie: cookie, Origin: url },
    });
    assert.ok(left.ok);
    for (const api of apis) assert.equal((await seen(api)).status, 401);
    const wrong = await fetch(`${url}/console/api/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: url },
      body: JSON.stringify({ email: `${randomUUID()}@example.com`, password: 'not the password' }),
    });
    assert.equal(wrong.status, 401);
  });
}
