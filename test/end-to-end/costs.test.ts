/** What calls and tasks cost the operator, from the settings to the ledger, the audit and the report. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { audit } from '../../src/audit/audit.ts';
import { chargesCheck } from '../../src/audit/checks/charge-sums.ts';
import { costsCheck } from '../../src/audit/checks/entry-costs.ts';
import { customerOf, hello } from '../support/chat-gateway.ts';
import { answerOf, bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { assertLedgerAddsUp } from '../support/money.ts';
import { chatAnswer, chatEvent, deltaEvent, doneEvent, openUpstream } from '../support/upstream.ts';

let upstream: Awaited<ReturnType<typeof openUpstream>>;
let gateway: TestGateway;
before(async () => {
  upstream = await openUpstream();
  gateway = await startTestGateway({ configuration: configurationFor(upstream.upstream.url) });
});
after(async () => {
  const { database, secrets } = gateway.core;
  await assertLedgerAddsUp(database, secrets.first.ledger);
  const { findings } = await audit({ database, ledgerKeys: [secrets.first.ledger] }, [chargesCheck, costsCheck]);
  assert.deepEqual(findings, []);
  await gateway.stop();
  await upstream.close();
});

const configurationFor = (url: string) => `
providers:
  simulator: { kind: simulator }
  upstream: { kind: openai, base_url: '${url}' }
models:
  - id: by-card
    kind: chat
    routes: [{ provider: upstream, model: m-1, cost: { input_per_million: 100, output_per_million: 200 } }]
    price: { input_per_million: 1000, output_per_million: 1000 }
  - id: as-stated
    kind: chat
    routes: [{ provider: upstream, model: m-2, cost: { currency: USD, rate: 7.1 } }]
    price: { input_per_million: 1000, output_per_million: 1000 }
  - id: not-known
    kind: chat
    routes: [{ provider: upstream, model: m-3 }]
    price: { input_per_million: 1000, output_per_million: 1000 }
  - id: poster
    kind: image
    routes: [{ provider: simulator, model: m-4, cost: { per_image: 0.02, currency: EUR, rate: 8 } }]
    price: { per_image: 0.2 }
`;

/** What the captures and write-offs of an account keep of their costs, the oldest first. */
async function keptOf(account: TestGateway['account']) {
  const { rows } = await gateway.core.database.pool.query<{
    type: string;
    provider: string;
    cost: bigint;
    vendor: string;
  }>(
    `select type, provider, cost, vendor from entries
     where account_id = $1 and type in ('capture', 'write_off') order by seq`,
    [account],
  );
  return rows.map(({ type, provider, cost, vendor }) => {
    const { model, cost: said } = JSON.parse(vendor) as Record<string, unknown>;
    return { type, provider, cost, model, said };
  });
}

async function called(model: string, balance = '100', more: Record<string, unknown> = {}) {
  const customer = customerOf(gateway, await gateway.newKey({ balance, level: 'chat' }));
  await customer.raw({ ...hello, model, ...more });
  await customer.settled();
  return keptOf(customer.account);
}

test("a call keeps what its route's card makes of the counts that it is charged by", async () => {
  upstream.upstream.answers(chatAnswer('Hi'));
  assert.deepEqual(await called('by-card'), [
    {
      ...{ type: 'capture', provider: 'upstream', model: 'm-1', cost: 1_500n },
      said: { amount: '0.0015', currency: 'CNY', source: 'route' },
    },
  ]);
});

test('a call keeps what its provider states, whole or streamed', async () => {
  const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12, cost: 0.00042 };
  const kept = {
    ...{ type: 'capture', provider: 'upstream', model: 'm-2', cost: 2_982n },
    said: { amount: '0.00042', currency: 'USD', rate: '7.1', source: 'vendor' },
  };
  upstream.upstream.answers(chatAnswer('Hi', usage));
  assert.deepEqual(await called('as-stated'), [kept]);
  const events = [deltaEvent('Hi', 'stop'), chatEvent({ choices: [], usage }), doneEvent];
  upstream.upstream.answers({ pieces: events });
  assert.deepEqual(await called('as-stated', '100', { stream: true }), [kept]);
});

test('a call has no cost where neither is there, and none of 0', async () => {
  upstream.upstream.answers(chatAnswer('Hi'));
  for (const model of ['as-stated', 'not-known'])
    assert.deepEqual(
      (await called(model)).map(({ cost, said }) => [cost, said]),
      [[null, undefined]],
    );
});

test('the cost of a call that is written off in part is on its capture alone', async () => {
  upstream.upstream.answers(chatAnswer('Hi', { prompt_tokens: 2_000, completion_tokens: 9, total_tokens: 2_009 }));
  const kept = await called('by-card', '1', { max_tokens: 10 });
  assert.deepEqual(
    kept.map(({ type, provider, cost, said }) => [type, provider, cost, said !== undefined]),
    [
      ['capture', 'upstream', 201_800n, true],
      ['write_off', 'upstream', null, true],
    ],
  );
});

test('an image keeps what its route cost when it was admitted', async () => {
  const { key, account } = await gateway.newKey({ balance: '1' });
  const { status } = await answerOf(
    await gateway.fetch('/v1/images/generations', {
      method: 'POST',
      headers: { ...bearer(key), 'Content-Type': 'application/json' },
      body: JSON.stringify({ model: 'poster', prompt: 'A toll gate', size: '1024x1024', n: 2 }),
    }),
  );
  assert.equal(status, 200);
  assert.deepEqual(await keptOf(account), [
    {
      ...{ type: 'capture', provider: 'simulator', model: 'm-4', cost: 320_000n },
      said: { amount: '0.04', currency: 'EUR', rate: '8', source: 'route' },
    },
  ]);
});
