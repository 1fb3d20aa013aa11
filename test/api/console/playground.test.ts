/** The playground's API: the public operations for an owner who is signed in, booked under a key that no client has. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as z from 'zod';
import { playgroundPaths } from '../../../src/api/console/playground-document.ts';
import { resumeAccount, suspendAccount } from '../../../src/accounts/accounts.ts';
import { listKeys, revokeKey } from '../../../src/accounts/api-keys.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { callConsole, type ConsoleClient, signedIn } from '../../support/people.ts';

let gateway: TestGateway;
let owner: ConsoleClient;
before(async () => {
  gateway = await startTestGateway();
  owner = await signedIn(gateway);
});
after(() => gateway.stop());

const prompt = 'A toll gate';
const image = { path: '/images/generations', body: { model: 'sim-image', prompt, size: '1024x1024' } };
const rootOf = (account = gateway.account) => `/accounts/${account}/v1`;
const run = (client: ConsoleClient, { path, body }: { path: string; body: unknown }, account = gateway.account) =>
  client.call('POST', `${rootOf(account)}${path}`, body);
const codeOf = ({ body }: { body: Record<string, unknown> }) => (body['error'] as { code?: string } | undefined)?.code;
const keysOf = async (account = gateway.account) =>
  (await listKeys(gateway.core.database, account)).filter(({ name }) => name === 'Playground');
const entriesForm = z.array(z.looseObject({ type: z.string(), key_id: z.string(), charged: z.number() }));

/** An account of its own with ten CNY, and its owner. */
async function newOwner(): Promise<{ client: ConsoleClient; account: TestGateway['account']; key: string }> {
  const { account, key } = await gateway.newKey({ balance: '10' });
  return { client: await signedIn(gateway, { memberships: [{ account, role: 'owner' }] }), account, key };
}

describe('an owner', () => {
  test("makes an image by the public API's route, charged to the account under its playground key", async () => {
    const { client, account } = await newOwner();
    const quote = await run(client, { path: '/quotes', body: image }, account);
    assert.deepEqual([quote.status, quote.body['hold']], [200, 0.2]);
    const made = await run(client, image, account);
    assert.equal(made.status, 200, JSON.stringify(made.body));
    const again = await client.get(`${rootOf(account)}/images/generations/${String(made.body['id'])}`);
    assert.equal(again.body['status'], 'succeeded');
    const { body } = await client.get(`${rootOf(account)}/account/ledger?task_id=${String(made.body['id'])}`);
    const entries = entriesForm.parse(body['data']);
    const [key] = await keysOf(account);
    assert.deepEqual(entries.map(({ type }) => type).sort(), ['capture', 'hold']);
    assert.deepEqual([...new Set(entries.map(({ key_id: id }) => id))], [key?.id]);
    assert.equal(
      entries.reduce((sum, { charged }) => sum + charged, 0),
      0.2,
    );
  });

  test('has a chat streamed, and finds what it cost by the id that the page gave it', async () => {
    const body = { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }], stream: true };
    const response = await fetch(`${gateway.url}/console/api${rootOf()}/chat/completions`, {
      method: 'POST',
      headers: {
        ...{ Cookie: owner.cookie, Origin: gateway.url },
        ...{ 'Content-Type': 'application/json', 'X-Request-Id': 'play-1' },
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    assert.equal(response.headers.get('X-Request-Id'), 'play-1');
    assert.match(text, /^data: \{.*\n\ndata: \[DONE\]\n\n$/s);
    const ledger = await owner.get(`${rootOf()}/account/ledger?request_id=play-1&type=capture`);
    assert.equal(entriesForm.parse(ledger.body['data']).length, 1);
  });

  test('a bad field is refused as for a program', async () => {
    const answer = await run(owner, { ...image, body: { ...image.body, size: '10x10' } });
    assert.deepEqual([answer.status, (answer.body['error'] as { param: string }).param], [400, 'size']);
  });

  test('an owner who is an operator too may run', async () => {
    const both = await signedIn(gateway, {
      memberships: [{ account: gateway.account, role: 'owner' }],
      isOperator: true,
    });
    assert.equal((await run(both, { path: '/quotes', body: image })).status, 200);
  });

  test('of a suspended account is refused as its keys are', async () => {
    const { client, account } = await newOwner();
    await suspendAccount(gateway.by, account);
    const refused = await run(client, image, account);
    assert.deepEqual([refused.status, codeOf(refused)], [403, 'account_suspended']);
    await resumeAccount(gateway.by, account);
    assert.equal((await run(client, { path: '/quotes', body: image }, account)).status, 200);
  });
});

describe('the playground key', () => {
  test('is not made by looking or asking for quotes, of which no record is kept: only by what may spend', async () => {
    const { client, account } = await newOwner();
    assert.equal((await client.get(`/accounts/${account}/playground`)).status, 200);
    assert.equal((await run(client, { path: '/quotes', body: image }, account)).status, 200);
    assert.equal((await client.get(`${rootOf(account)}/account/ledger?request_id=nothing`)).status, 200);
    assert.equal((await client.get(`${rootOf(account)}/images/generations/nothing`)).status, 404);
    assert.deepEqual(await keysOf(account), []);
    await run(client, image, account);
    const requests = await client.get(`/accounts/${account}/requests`);
    const [only, ...more] = z
      .array(z.looseObject({ path: z.string(), key_id: z.string() }))
      .parse(requests.body['data']);
    assert.deepEqual([only?.path, only?.key_id], ['/v1/images/generations', (await keysOf(account))[0]?.id]);
    assert.deepEqual(more, []);
  });

  test('is made once, however many tabs ask at once', async () => {
    const { client, account } = await newOwner();
    const answers = await Promise.all(Array.from({ length: 12 }, () => run(client, image, account)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    const keys = await keysOf(account);
    assert.deepEqual(
      keys.map(({ level, revoked }) => ({ level, revoked })),
      [{ level: 'standard', revoked: false }],
    );
  });

  test('that was revoked is not used again: the next run makes another', async () => {
    const { client, account } = await newOwner();
    await run(client, image, account);
    const [first] = await keysOf(account);
    await revokeKey(gateway.by, first?.id ?? '');
    assert.equal((await run(client, image, account)).status, 200);
    assert.deepEqual(
      (await keysOf(account)).map(({ revoked }) => revoked),
      [true, false],
    );
  });

  test('cannot be changed for another key by a header', async () => {
    const other = await newOwner();
    const before = await gateway.money(other.key);
    const headers = { Authorization: `Bearer ${other.key}` };
    const { client, account } = await newOwner();
    const made = await client.call('POST', `${rootOf(account)}/images/generations`, image.body, headers);
    assert.equal(made.status, 200);
    assert.deepEqual(await gateway.money(other.key), before);
  });

  test('is nothing that a key of the public API stands for', async () => {
    const headers = { Authorization: `Bearer ${gateway.key}` };
    const answer = await callConsole(gateway, '', 'POST', `${rootOf()}${image.path}`, image.body, headers);
    assert.deepEqual([answer.status, codeOf(answer)], [401, 'not_signed_in']);
  });
});

describe('people who may not run', () => {
  let others: Record<'member' | 'operator' | 'stranger', ConsoleClient>;
  before(async () => {
    const { account } = gateway;
    others = {
      member: await signedIn(gateway, { memberships: [{ account, role: 'member' }] }),
      operator: await signedIn(gateway, { memberships: [], isOperator: true }),
      stranger: (await newOwner()).client,
    };
  });

  for (const { method, path: documented } of playgroundPaths()) {
    const method_ = method.toUpperCase();
    test(`${method_} ${documented}`, async () => {
      const path = documented
        .replace('/console/api', '')
        .replace('{account}', gateway.account)
        .replace('{id}', 'nothing');
      const body = method === 'get' ? undefined : {};
      const asked = async (answer: ReturnType<ConsoleClient['call']>) => [(await answer).status, codeOf(await answer)];
      assert.deepEqual(await asked(callConsole(gateway, '', method_, path, body)), [401, 'not_signed_in']);
      assert.deepEqual(await asked(others.stranger.call(method_, path, body)), [404, 'route_not_found']);
      for (const who of ['member', 'operator'] as const)
        assert.deepEqual(await asked(others[who].call(method_, path, body)), [403, 'permission_denied']);
      const elsewhere = method === 'get' ? { 'Sec-Fetch-Site': 'same-site' } : { Origin: 'https://evil.example' };
      assert.deepEqual(await asked(owner.call(method_, path, body, elsewhere)), [403, 'origin_not_allowed']);
    });
  }

  test('keys are not administered here', async () => {
    assert.equal((await owner.get(`${rootOf()}/account/keys`)).status, 404);
    assert.equal((await owner.get(`${rootOf()}/account/webhook-secret`)).status, 404);
  });
});

test('a member may read what the forms are made of', async () => {
  const member = await signedIn(gateway, { memberships: [{ account: gateway.account, role: 'member' }] });
  const { status, body } = await member.get(`/accounts/${gateway.account}/playground`);
  assert.equal(status, 200);
  assert.equal(body['base_url'], `${gateway.url}/v1`);
  const models = z.array(z.looseObject({ id: z.string(), kind: z.string() })).parse(body['models']);
  assert.deepEqual(
    models.filter(({ kind }) => kind === 'image').map(({ id, prompt_characters: most }) => [id, most]),
    [['sim-image', 800]],
  );
  assert.deepEqual(body['uploads'], { audio_bytes: 52_428_800, video_bytes: 524_288_000, audio_seconds: 600 });
});
