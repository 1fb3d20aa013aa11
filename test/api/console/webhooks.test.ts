/** The webhook of an account in the console: its settings, a test that arrives signed, and sending events again. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { createAccount } from '../../../src/accounts/accounts.ts';
import type { AccountId } from '../../../src/domain/ids.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { type ConsoleAnswer, type ConsoleClient, signedIn } from '../../support/people.ts';
import { until } from '../../support/process.ts';
import { openUpstream, type Upstream } from '../../support/upstream.ts';
import { assertDelivery } from '../../support/webhooks.ts';

/** One attempt, and it is given up. */
const deliveryPace = { firstMs: 100, factor: 0, mostMs: 100, forMs: 0 };

let gateway: TestGateway;
let receiver: Upstream;
let closeReceiver: () => Promise<void>;
let account: AccountId;
let owner: ConsoleClient;
before(async () => {
  gateway = await startTestGateway({ deliveryPace });
});
after(() => gateway.stop());
beforeEach(async () => {
  ({ upstream: receiver, close: closeReceiver } = await openUpstream());
  receiver.answers({ status: 204 });
  ({ id: account } = await createAccount(gateway.by, 'hooked'));
  owner = await signedIn(gateway, { memberships: [{ account, role: 'owner' }] });
});
afterEach(() => closeReceiver());

const at = (path: string) => `/accounts/${account}${path}`;
const good = ({ status, body }: ConsoleAnswer) => {
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
const refused = ({ status, body }: ConsoleAnswer): unknown[] => {
  const { code, param } = body['error'] as { code: string; param: string | null };
  return [status, code, param];
};
const listen = async () =>
  good(await owner.call('PATCH', at('/webhook'), { webhook_url: `${receiver.url}/hook?token=t` }));
const sendTest = async () => String(good(await owner.call('POST', at('/webhook/test')))['event']);
type Shown = Record<string, unknown> & { id: string; delivered: boolean | null };
const listed = async (query = '') => good(await owner.get(at(`/events${query}`)))['data'] as Shown[];
const ended = (id: string) =>
  until('the end of the event', async () => {
    const event = good(await owner.get(at(`/events/${id}`))) as Shown;
    return event.delivered === null ? undefined : event;
  });

test('owners set address and threshold; a bad address is refused with its field', async () => {
  assert.deepEqual(good(await owner.get(at('/webhook'))), { webhook_url: null, low_balance: null });
  const url = `${receiver.url}/hook`;
  const body = { webhook_url: url, low_balance: 2.5 };
  assert.deepEqual(good(await owner.call('PATCH', at('/webhook'), body)), body);
  assert.deepEqual(good(await owner.call('PATCH', at('/webhook'), { low_balance: null })), {
    webhook_url: url,
    low_balance: null,
  });
  assert.deepEqual(refused(await owner.call('PATCH', at('/webhook'), { webhook_url: 'no address' })), [
    400,
    'invalid_parameter',
    'webhook_url',
  ]);
});

test('a test event arrives, signed with the secret that owners are shown, and its course is there', async () => {
  assert.deepEqual(refused(await owner.call('POST', at('/webhook/test'))), [400, 'invalid_parameter', 'webhook_url']);
  await listen();
  const id = await sendTest();
  await receiver.received(1);
  const { secret } = good(await owner.get(at('/webhook/secret')));
  const delivery = assertDelivery(receiver.requests[0]!, [String(secret)]);
  assert.equal(delivery.id, id);
  const data = { id: account, object: 'account' };
  assert.deepEqual([delivery.event.type, delivery.event.data], ['webhook.test', { ...data, currency: 'CNY' }]);
  const { course, ...event } = await ended(id);
  const attempts = course as Record<string, unknown>[];
  assert.deepEqual([event.delivered, event['type'], event['data']], [true, 'webhook.test', data]);
  assert.deepEqual(
    attempts.map(({ attempt, status, fault }) => ({ attempt, status, fault })),
    [{ attempt: 1, status: 204, fault: null }],
  );
  const { answer, ...last } = attempts[0] ?? {};
  assert.equal(answer, null);
  assert.deepEqual(
    (await listed()).map(({ id: one, delivered, last: shown }) => ({ id: one, delivered, last: shown })),
    [{ id, delivered: true, last }],
  );
});

test('owners and operators see how the answer of the receiver began, members do not, and lists have none', async () => {
  await listen();
  receiver.answers({ status: 500, pieces: ['no such table\n', '\u001b[31mpoints ', 'x'.repeat(2000)] });
  const id = await sendTest();
  const { course } = await ended(id);
  const answer = `no such table\n[31mpoints ${'x'.repeat(1024)}`.slice(0, 1023); // without what was removed
  const answersOf = (attempts: unknown) => (attempts as { answer: string | null }[]).map((attempt) => attempt.answer);
  assert.deepEqual(answersOf(course), [answer]);
  const operator = await signedIn(gateway, { memberships: [], isOperator: true });
  assert.deepEqual(answersOf(good(await operator.get(at(`/events/${id}`)))['course']), [answer]);
  const member = await signedIn(gateway, { memberships: [{ account, role: 'member' }] });
  assert.deepEqual(answersOf(good(await member.get(at(`/events/${id}`)))['course']), [null]);
  assert.ok(!JSON.stringify(await listed()).includes('no such table'));
});

test('after a rotation both secrets sign', async () => {
  await listen();
  const { secret: first } = good(await owner.get(at('/webhook/secret')));
  const { secret: second } = good(await owner.call('POST', at('/webhook/secret/rotate')));
  assert.notEqual(second, first);
  await sendTest();
  await receiver.received(1);
  assertDelivery(receiver.requests[0]!, [String(second), String(first)]);
});

test('events that were given up are listed apart and sent again, one or all', async () => {
  await listen();
  receiver.answers({ status: 500 });
  const ids: string[] = [];
  for (let sent = 0; sent < 3; sent++) {
    ids.unshift(await sendTest());
    await ended(ids[0]!);
  }
  assert.deepEqual(
    (await listed('?status=failed')).map(({ id }) => id),
    ids,
  );
  const { data, next_cursor: cursor } = good(await owner.get(at('/events?limit=2')));
  assert.deepEqual(
    (data as Shown[]).map(({ id }) => id),
    ids.slice(0, 2),
  );
  assert.deepEqual(
    (await listed(`?limit=2&cursor=${String(cursor)}`)).map(({ id }) => id),
    ids.slice(2),
  );
  receiver.answers({ status: 204 });
  good(await owner.call('POST', at(`/events/${ids[0]!}/replay`)));
  assert.equal((await ended(ids[0]!)).delivered, true);
  assert.deepEqual(good(await owner.call('POST', at('/events/replay'))), { replayed: 2 });
  for (const id of ids) assert.equal((await ended(id)).delivered, true);
  assert.deepEqual(await listed('?status=failed'), []);
});

test('members see events and neither address nor secret; operators see no secret; other accounts see nothing', async () => {
  await listen();
  const id = await sendTest();
  await ended(id);
  const member = await signedIn(gateway, { memberships: [{ account, role: 'member' }] });
  assert.equal((await member.get(at(`/events/${id}`))).status, 200);
  for (const path of ['/webhook', '/webhook/secret'])
    assert.deepEqual(refused(await member.get(at(path))), [403, 'permission_denied', null]);
  assert.equal((await member.call('POST', at(`/events/${id}/replay`))).status, 403);
  const operator = await signedIn(gateway, { memberships: [], isOperator: true });
  assert.equal((await operator.get(at('/webhook'))).status, 200);
  assert.equal((await operator.get(at('/webhook/secret'))).status, 403);
  assert.equal((await operator.call('POST', at('/webhook/secret/rotate'))).status, 403);
  const other = await signedIn(gateway);
  assert.equal((await other.get(`/accounts/${gateway.account}/events/${id}`)).status, 404);
});
