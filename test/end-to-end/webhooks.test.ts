/** The webhook of an account is notified when its balance falls low: once, signed, again until it is heard, and never at a private address. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { parseAmount } from '../../src/domain/money.ts';
import { changeAccount } from '../../src/accounts/accounts.ts';
import { rotateWebhookSecret, webhookSecrets } from '../../src/webhooks/webhook-secrets.ts';
import { bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/process.ts';
import { openUpstream, type Upstream } from '../support/upstream.ts';
import { assertDelivery, eventsOf } from '../support/webhooks.ts';

const deliveryPace = { firstMs: 100, factor: 0, mostMs: 100, forMs: 60_000 };
const image = { model: 'sim-image', prompt: 'A gate' };

let gateway: TestGateway;
let receiver: Upstream;
let closeReceiver: () => Promise<void>;
/** Hears of the tasks, which have a webhook of their own here. */
let elsewhere: Upstream;
let closeElsewhere: () => Promise<void>;
before(async () => {
  gateway = await startTestGateway({ deliveryPace });
  ({ upstream: elsewhere, close: closeElsewhere } = await openUpstream());
});
after(async () => {
  await gateway.stop();
  await closeElsewhere();
});
beforeEach(async () => {
  ({ upstream: receiver, close: closeReceiver } = await openUpstream());
  receiver.answers({ status: 204 });
});
afterEach(() => closeReceiver());

const money = (text: string) => parseAmount(text) ?? assert.fail(text);

/** A customer with 1 CNY, notified when it falls below half of it. */
async function customer(of = gateway) {
  const who = await of.newKey({ balance: '1' });
  await changeAccount(of.by, who.account, { webhookUrl: `${receiver.url}/hook?token=t`, lowBalance: money('0.5') });
  return {
    ...who,
    secrets: () => webhookSecrets(of.core.database, of.core.secrets, who.account),
    /** Buys images, 0.2 CNY each. */
    async buy(count: number) {
      for (let bought = 0; bought < count; bought++) {
        const own = of === gateway ? { webhook_url: elsewhere.url } : {};
        const { status, body } = await of.post('/v1/images/generations', { ...image, ...own }, bearer(who.key));
        assert.equal(status, 200, JSON.stringify(body));
      }
    },
    /** Its events once all have ended. */
    ended: () =>
      until('the end of all events', async () => {
        const events = await eventsOf(of.core.database, who.account);
        return events.every(({ delivered }) => delivered !== null) ? events : undefined;
      }),
  };
}

test('an account that falls below its threshold is notified once, and once more when it falls again', async () => {
  const who = await customer();
  await who.buy(2);
  assert.deepEqual(await eventsOf(gateway.core.database, who.account), [], 'it has 0.6 CNY');
  await who.buy(2);
  await receiver.received(1);
  const secrets = await who.secrets();
  const first = assertDelivery(receiver.requests[0]!, secrets);
  assert.match(first.id, /^evt_/);
  assert.equal(receiver.requests[0]?.path, '/v1/hook?token=t');
  assert.match(first.event.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(first.event.type, 'account.balance_low');
  const data = { id: who.account, object: 'account', currency: 'CNY', balance: 0.4, held: 0, low_balance: 0.5 };
  assert.deepEqual(first.event.data, data);

  await gateway.core.ledger.credit(who.account, money('0.4'), 'for a test');
  await who.buy(1);
  await receiver.received(2);
  const second = assertDelivery(receiver.requests[1]!, secrets);
  assert.notEqual(second.id, first.id);
  assert.deepEqual(second.event.data, data);
  assert.deepEqual(
    (await who.ended()).map(({ id, delivered, attempts }) => ({ id, delivered, attempts })),
    [first.id, second.id].map((id) => ({
      id,
      delivered: true,
      attempts: [{ attempt: 1, status: 204, fault: null }],
    })),
  );
  assert.equal(receiver.requests.length, 2);
});

const chat = { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] };
for (const [path, body] of [
  ['/v1/chat/completions', chat],
  ['/v1/messages', { ...chat, max_tokens: 100 }],
] as const) {
  test(`a call of ${path} that costs money crosses the threshold as a task does`, async () => {
    const who = await customer();
    await changeAccount(gateway.by, who.account, { lowBalance: money('1') });
    const answer = await gateway.post(path, body, bearer(who.key));
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    await receiver.received(1);
    const { event } = assertDelivery(receiver.requests[0]!, await who.secrets());
    assert.deepEqual(
      { balance: event.data['balance'], held: event.data['held'] },
      await gateway.money(who.key),
      'as the account stands',
    );
  });
}

test('a receiver that fails gets the same event again until it takes it', async () => {
  const who = await customer();
  receiver.answers({ status: 500, json: { oops: true } }, { ending: 'break-before' }, { status: 200, json: {} });
  await who.buy(3);
  const [event] = await who.ended();
  assert.deepEqual(event?.attempts, [
    { attempt: 1, status: 500, fault: 'the receiver returned 500' },
    { attempt: 2, status: null, fault: 'no answer (UND_ERR_SOCKET)' },
    { attempt: 3, status: 200, fault: null },
  ]);
  assert.equal(event.delivered, true);
  const secrets = await who.secrets();
  const reported = receiver.requests.map((request) => assertDelivery(request, secrets));
  assert.deepEqual(new Set(reported.map(({ id }) => id)), new Set([event.id]));
  assert.equal(new Set(receiver.requests.map(({ body }) => body.toString())).size, 1);
});

test('a receiver that redirects is not followed, one that says Gone is asked no more', async () => {
  const who = await customer();
  const { upstream: inside, close } = await openUpstream();
  try {
    receiver.answers({ status: 307, headers: { location: inside.url } }, { status: 410 });
    await who.buy(3);
    const [event] = await who.ended();
    assert.equal(event?.delivered, false);
    assert.deepEqual(
      event.attempts.map(({ status, fault }) => ({ status, fault })),
      [
        { status: 307, fault: 'the receiver returned a redirect (307); redirects are not followed' },
        { status: 410, fault: 'the receiver returned 410 Gone and wants no more events' },
      ],
    );
    assert.equal(inside.connections.all, 0);
  } finally {
    await close();
  }
});

test('for a day after a rotation deliveries carry the signatures of both secrets', async () => {
  const who = await customer();
  const [before] = await who.secrets();
  const rotated = await rotateWebhookSecret(gateway.by, gateway.core.secrets, who.account);
  await who.buy(3);
  await receiver.received(1);
  assertDelivery(receiver.requests[0]!, [rotated, before!]);
});

test('an address on a private network is given up at once, and nothing is sent there', async () => {
  const guarded = await startTestGateway({ deliveryPace, env: { TOLLGATE_ALLOW_PRIVATE_URLS: 'false' } });
  try {
    const who = await customer(guarded);
    await who.buy(3);
    const [event] = await who.ended();
    assert.equal(event?.delivered, false);
    assert.deepEqual(event.attempts, [
      { attempt: 1, status: null, fault: 'the address is refused: it must be http or https on a public host' },
    ]);
    assert.equal(receiver.connections.all, 0);
  } finally {
    await guarded.stop();
  }
});
