import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CallLimit } from '../../src/domain/accounts/key-rules.ts';
import { parseAmount } from '../../src/domain/money.ts';
import type { TaskId } from '../../src/domain/ids.ts';
import { release } from '../../src/activities/end.ts';
import { assertError } from '../support/errors.ts';
import { type Answer, bearer, sharedTestGateway, type TestGateway } from '../support/gateway.ts';

// Without a worker every task stays accepted, so that what is held and what runs can be counted.
let gateway: TestGateway;
before(async () => {
  gateway = await sharedTestGateway();
});
after(() => gateway.stop());

const atOnce = 50;
const image = { model: 'sim-image', prompt: 'A toll gate', size: '1024x1024' };
const create = (key: string, body: object = image, headers = {}) =>
  gateway.post('/ai/v1/images/generations', body, { ...bearer(key), ...headers });
const createMany = (key: string, count = atOnce) => Promise.all(Array.from({ length: count }, () => create(key)));
const admitted = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 202);
const refused = (answers: readonly Answer[]) => answers.filter(({ status }) => status !== 202);

test('of fifty calls at once, money for ten admits exactly ten', async () => {
  const { key } = await gateway.newKey({ balance: '2.1' });
  const answers = await createMany(key);
  assert.equal(admitted(answers).length, 10);
  for (const answer of refused(answers)) assertError(answer, 'insufficient_balance');
  assert.deepEqual(await gateway.money(key), { balance: 0.1, held: 2 });
});

test('of fifty calls at once, a call limit of seven admits exactly seven', async () => {
  const { key } = await gateway.newKey({ balance: '100', callLimits: [{ calls: 7, per: 'day' }] });
  const answers = await createMany(key);
  assert.equal(admitted(answers).length, 7);
  for (const answer of refused(answers)) {
    assertError(answer, 'call_limit_exceeded');
    assert.equal(answer.headers.get('x-ratelimit-remaining'), '0');
  }
  const left = admitted(answers).map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
  assert.deepEqual(left.sort(), [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(await gateway.money(key), { balance: 98.6, held: 1.4 });
});

test('X-RateLimit-Remaining of a read right after creations is exact', async () => {
  const { key } = await gateway.newKey({ balance: '100', callLimits: [{ calls: 7, per: 'day' }] });
  const left = async () => (await gateway.get('/v1/models', bearer(key))).headers.get('x-ratelimit-remaining');
  assert.equal(await left(), '7');
  assert.equal((await create(key)).headers.get('x-ratelimit-remaining'), '6');
  assert.equal(await left(), '6');
  await createMany(key, 3);
  assert.equal(await left(), '3');
});

test('of fifty calls at once, at most three run where three may', async () => {
  const { key } = await gateway.newKey({ balance: '100', maxRunningTasks: 3 });
  const answers = await createMany(key);
  assert.equal(admitted(answers).length, 3);
  for (const answer of refused(answers)) {
    assertError(answer, 'concurrency_limit_exceeded');
    assert.equal(answer.headers.get('retry-after'), '5');
  }
});

test('of fifty calls at once, a key with a queue has all accepted and held, and three may start', async () => {
  const { key, keyId } = await gateway.newKey({ balance: '100', maxRunningTasks: 3, queue: true });
  const answers = await createMany(key);
  assert.equal(admitted(answers).length, 50);
  assert.ok(answers.every(({ body }) => body['status'] === 'processing'));
  assert.deepEqual(await gateway.money(key), { balance: 90, held: 10 });
  const { rows } = await gateway.core.database.pool.query(
    'select queued, count(*)::integer from tasks where key_id = $1 group by queued order by queued',
    [keyId],
  );
  assert.deepEqual(rows, [
    { queued: false, count: 3 },
    { queued: true, count: 47 },
  ]);
});

test('a queued task answers its Idempotency-Key, and gives its hold back when it is cancelled', async () => {
  const { key } = await gateway.newKey({ balance: '0.5', maxRunningTasks: 1, queue: true });
  await create(key);
  const queued = await create(key, image, { 'Idempotency-Key': 'queued' });
  assert.equal((await create(key, image, { 'Idempotency-Key': 'queued' })).body['id'], queued.body['id']);
  assertError(await create(key), 'insufficient_balance');
  const at = `/v1/images/generations/${String(queued.body['id'])}`;
  const cancelled = await gateway.fetch(at, { method: 'DELETE', headers: bearer(key) });
  assert.equal(cancelled.status, 200);
  assert.deepEqual(await gateway.money(key), { balance: 0.3, held: 0.2 });
});

test('a task that ended makes room for another', async () => {
  const { key } = await gateway.newKey({ balance: '100', maxRunningTasks: 1 });
  const first = await create(key);
  assertError(await create(key), 'concurrency_limit_exceeded');
  await release(gateway.core, { taskId: first.body['id'] as TaskId, error: 'broken' });
  assert.equal((await create(key)).status, 202);
});

test('of fifty calls at once, a spend limit of one CNY admits five of 0.2', async () => {
  const { key } = await gateway.newKey({ balance: '100', spendLimit: { amount: money('1'), per: 'day' } });
  const answers = await createMany(key);
  assert.equal(admitted(answers).length, 5);
  for (const answer of refused(answers)) {
    assertError(answer, 'spend_limit_exceeded');
    assertSecondsOf('day', waitOf(answer));
  }
});

test('what a task gives back counts no longer as spent', async () => {
  const { key } = await gateway.newKey({ balance: '100', spendLimit: { amount: money('0.2'), per: 'month' } });
  const first = await create(key);
  assertError(await create(key), 'spend_limit_exceeded');
  await release(gateway.core, { taskId: first.body['id'] as TaskId, error: 'broken' });
  assert.equal((await create(key)).status, 202);
});

test('a limit for all time says no time to try again', async () => {
  const calls = await gateway.newKey({ callLimits: [{ calls: 1, per: 'total' }] });
  const first = await create(calls.key);
  assert.deepEqual(rateOf(first), { limit: '1', remaining: '0', reset: '0' });
  const second = await create(calls.key);
  assertError(second, 'call_limit_exceeded');
  assert.deepEqual([second.headers.get('retry-after'), second.headers.get('x-should-retry')], [null, 'false']);
  const spend = await gateway.newKey({ spendLimit: { amount: money('0.1'), per: 'total' } });
  const third = await create(spend.key);
  assertError(third, 'spend_limit_exceeded');
  assert.equal(third.headers.get('retry-after'), null);
});

test('Codex gets a used-up limit in the form whose words it shows, others do not', async () => {
  const { key } = await gateway.newKey({ spendLimit: { amount: money('0.1'), per: 'month' } });
  const plain = await create(key);
  assertError(plain, 'spend_limit_exceeded');
  assert.equal(plain.headers.get('x-codex-promo-message'), null);
  const { status, headers, body } = await create(key, image, { originator: 'codex_exec' });
  const { message, type, code, resets_at: resetsAt } = body['error'] as Record<string, unknown>;
  assert.deepEqual([status, type, code], [429, 'usage_limit_reached', 'spend_limit_exceeded']);
  assert.equal(`${headers.get('x-codex-promo-message')}.`, message);
  assert.match(String(message), /will reset at \d{4}-\d\d-01T00:00:00Z\.$/);
  assert.ok(Number(resetsAt) * 1000 > Date.now());
});

for (const per of ['minute', 'hour', 'day', 'month'] as const) {
  test(`a call limit a ${per} says when the ${per} ends`, async () => {
    const { key } = await gateway.newKey({ callLimits: [{ calls: 1, per }] });
    const first = await create(key);
    assert.equal(first.headers.get('x-ratelimit-limit'), '1');
    assertSecondsOf(per, first.headers.get('x-ratelimit-reset'));
    const second = await create(key);
    // A minute or an hour that ended between the two calls admits the second.
    if (second.status === 202) return;
    assertError(second, 'call_limit_exceeded');
    assertSecondsOf(per, waitOf(second));
  });
}

test('the headers are those of the limit that leaves the least', async () => {
  const callLimits: CallLimit[] = [
    { calls: 100, per: 'minute' },
    { calls: 3, per: 'total' },
  ];
  const { key } = await gateway.newKey({ callLimits });
  assert.deepEqual(rateOf(await gateway.get('/v1/models', bearer(key))), { limit: '3', remaining: '3', reset: '0' });
  assert.deepEqual(rateOf(await create(key)), { limit: '3', remaining: '2', reset: '0' });
});

test('a key without a call limit shows none, and an error shows it too', async () => {
  const free = await gateway.newKey();
  assert.deepEqual(rateOf(await create(free.key)), { limit: null, remaining: null, reset: null });
  const { key } = await gateway.newKey({ callLimits: [{ calls: 4, per: 'total' }] });
  const answer = await create(key, { ...image, prompt: '' });
  assertError(answer, 'invalid_parameter', 'prompt');
  assert.deepEqual(rateOf(answer), { limit: '4', remaining: '4', reset: '0' });
});

test('reads and refused calls count nowhere', async () => {
  const { key } = await gateway.newKey({
    balance: '1',
    callLimits: [{ calls: 2, per: 'total' }],
    spendLimit: { amount: money('0.4'), per: 'total' },
    maxRunningTasks: 2,
  });
  const { body } = await create(key);
  assertError(await create(key, { ...image, n: 6 }), 'spend_limit_exceeded');
  assertError(await create(key, { ...image, model: 'unknown' }), 'model_not_found', 'model');
  assertError(await create(key, { ...image, prompt: 5 }), 'invalid_parameter', 'prompt');
  for (let read = 0; read < 5; read++) {
    assert.equal((await gateway.get(`/v1/images/generations/${String(body['id'])}`, bearer(key))).status, 200);
  }
  const last = await create(key);
  assert.equal(last.status, 202);
  assert.deepEqual(rateOf(last), { limit: '2', remaining: '0', reset: '0' });
  assert.deepEqual(await gateway.money(key), { balance: 0.6, held: 0.4 });
});

test('two keys of one account have their limits each and share the money', async () => {
  const one = await gateway.newKey({ balance: '0.4', callLimits: [{ calls: 1, per: 'total' }] });
  const two = await gateway.newKeyOf(one.account, { callLimits: [{ calls: 5, per: 'total' }] });
  assert.equal((await create(one.key)).status, 202);
  assertError(await create(one.key), 'call_limit_exceeded');
  assert.equal((await create(two.key)).status, 202);
  assertError(await create(two.key), 'insufficient_balance');
});

test('videos and avatar videos hold their longest length', async () => {
  const { key } = await gateway.newKey({ balance: '100' });
  const send = (body: object) => gateway.post('/v1/video/generations', body, { ...bearer(key), Prefer: 'wait=0' });
  assert.equal((await send({ model: 'sim-video-fast', prompt: 'A gate', duration: 8 })).status, 202);
  assert.deepEqual(await gateway.money(key), { balance: 99.2, held: 0.8 });
  const flat = { audioUrl: `${gateway.url}/a.wav`, videoUrl: `${gateway.url}/v.mp4` };
  assert.equal((await send({ model: 'sim-avatar-video', ...flat })).status, 202);
  assert.deepEqual(await gateway.money(key), { balance: 96.2, held: 3.8 });
});

test('the ledger of an account lists its holds, newest first, page by page', async () => {
  const { key, keyId } = await gateway.newKey({ balance: '1' });
  const ids: unknown[] = [];
  for (let call = 0; call < 3; call++) ids.unshift((await create(key)).body['id']);
  const first = (await gateway.get('/v1/account/ledger?limit=2', bearer(key))).body;
  assert.deepEqual([first['object'], first['has_more'], first['data'].length], ['list', true, 2]);
  const second = (await gateway.get(`/v1/account/ledger?limit=2&cursor=${String(first['next_cursor'])}`, bearer(key)))
    .body;
  assert.deepEqual([second['has_more'], second['next_cursor']], [false, null]);
  const entries = [...first['data'], ...second['data']] as Record<string, unknown>[];
  assert.deepEqual(
    entries.map(({ task_id }) => task_id),
    [...ids, null],
  );
  assert.deepEqual(
    entries.map(({ type, amount, balance }) => [type, amount, balance]),
    [
      ['hold', -0.2, 0.4],
      ['hold', -0.2, 0.6],
      ['hold', -0.2, 0.8],
      ['credit', 1, 1],
    ],
  );
  assert.deepEqual(entries[0], {
    ...entries[0],
    object: 'ledger_entry',
    charged: 0,
    key_id: keyId,
    model: 'sim-image',
    units: 1,
    unit: 'image',
    unit_price: 0.2,
  });
});

const money = (text: string) => parseAmount(text) ?? assert.fail(text);

const rateOf = ({ headers }: Answer) => ({
  limit: headers.get('x-ratelimit-limit'),
  remaining: headers.get('x-ratelimit-remaining'),
  reset: headers.get('x-ratelimit-reset'),
});

/** The seconds until the window ends, give or take those that the test itself took. */
/** `Retry-After` gives a wait of up to a minute; only the other header gives a longer one, through which agents would sleep. */
function waitOf({ headers }: Answer): string | null {
  const retryAfter = headers.get('retry-after');
  if (retryAfter === null) assert.equal(headers.get('x-should-retry'), 'false');
  else assert.ok(Number(retryAfter) <= 60, retryAfter);
  const wait = retryAfter ?? headers.get('x-ratelimit-reset');
  assert.ok(retryAfter !== null || Number(wait) > 60, String(wait));
  return wait;
}

function assertSecondsOf(per: 'minute' | 'hour' | 'day' | 'month', header: string | null): void {
  assert.match(header ?? '', /^\d+$/);
  const now = new Date();
  const [year, month, day, hour] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), now.getUTCHours()];
  const end = {
    minute: Date.UTC(year, month, day, hour, now.getUTCMinutes() + 1),
    hour: Date.UTC(year, month, day, hour + 1),
    day: Date.UTC(year, month, day + 1),
    month: Date.UTC(year, month + 1, 1),
  }[per];
  const seconds = { minute: 60, hour: 3_600, day: 86_400, month: 31 * 86_400 }[per];
  const left = (end - now.getTime()) / 1_000;
  assert.ok(Number(header) >= 1 && Number(header) <= seconds, `${String(header)} s are no part of a ${per}`);
  // Another window may have begun between the answer and this line.
  if (seconds - left > 5) assert.ok(Math.abs(Number(header) - left) <= 5, `${String(header)} s, not ${left}`);
}
