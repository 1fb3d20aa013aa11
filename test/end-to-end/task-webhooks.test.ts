/** A task's webhook is notified of its end: signed, with the record that GET gives, once for each end, and never at a private address. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { GatewayError } from '../../src/domain/errors.ts';
import type { TaskId } from '../../src/domain/ids.ts';
import { changeAccount } from '../../src/accounts/accounts.ts';
import { findEvent, replayEvent } from '../../src/webhooks/event-log.ts';
import { removeMedia } from '../../src/tasks/rows/fetch-claims.ts';
import { findTask } from '../../src/tasks/rows/task-rows.ts';
import { assertError } from '../support/errors.ts';
import { answerOf, bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { mp4, wav } from '../support/media.ts';
import { until } from '../support/process.ts';
import { openUpstream, type Upstream } from '../support/upstream.ts';
import { assertDelivery, eventsOf } from '../support/webhooks.ts';

const deliveryPace = { firstMs: 100, factor: 0, mostMs: 100, forMs: 60_000 };
const images = '/v1/images/generations';
const videos = '/v1/video/generations';
const talks = '/v1/svctalk/generate';
const image = { model: 'sim-image', prompt: 'A gate' };
const video = { model: 'sim-video-fast', prompt: 'A gate', duration: 5 };

let gateway: TestGateway;
let guarded: TestGateway;
let footage: Buffer;
let receiver: Upstream;
let closeReceiver: () => Promise<void>;
before(async () => {
  footage = await mp4({ seconds: 1, hasAudio: false });
  gateway = await startTestGateway({ deliveryPace });
  guarded = await startTestGateway({ deliveryPace, env: { TOLLGATE_ALLOW_PRIVATE_URLS: 'false' } });
});
after(async () => {
  await gateway.stop();
  await guarded.stop();
});
beforeEach(async () => {
  ({ upstream: receiver, close: closeReceiver } = await openUpstream());
  receiver.answers({ status: 204 });
});
afterEach(() => closeReceiver());

type Customer = Awaited<ReturnType<typeof customer>>;
async function customer(of = gateway) {
  const who = await of.newKey({ balance: '10', level: 'admin' });
  const headers = bearer(who.key);
  const events = async () => eventsOf(of.core.database, who.account, 'tasks');
  return {
    ...who,
    create: (path: string, body: Record<string, unknown>, wait = '') =>
      of.post(path, body, { ...headers, ...(wait !== '' && { Prefer: wait }) }),
    talk: async (fields: Record<string, string>) => {
      const form = new FormData();
      for (const [name, value] of Object.entries({ template_name: 'none', ...fields })) form.append(name, value);
      form.append('audio', new Blob([wav({ seconds: 1 })]), 'voice.wav');
      form.append('video', new Blob([footage]), 'scene.mp4');
      return answerOf(await of.fetch(talks, { method: 'POST', headers, body: form }));
    },
    get: (path: string) => of.get(path, headers),
    setWebhook: async (url: string | null) => {
      const body = JSON.stringify({ webhook_url: url });
      const changed = { method: 'PATCH', headers: { ...headers, 'Content-Type': 'application/json' }, body };
      assert.equal((await answerOf(await of.fetch('/v1/account', changed))).status, 200);
    },
    secret: async () => String((await of.get('/v1/account/webhook-secret', headers)).body['secret']),
    events,
    /** Its events once all have ended. */
    ended: () =>
      until('the end of all events', async () => {
        const all = await events();
        return all.every(({ delivered }) => delivered !== null) ? all : undefined;
      }),
  };
}

/** What came as the numbered request, from 0, checked as its receiver would. */
async function delivery(who: Customer, at = 0) {
  await receiver.received(at + 1);
  return assertDelivery(receiver.requests[at] ?? assert.fail(), [await who.secret()]);
}

/** Cancels a task that is under way, without its workflow. */
async function cancelled(task: string): Promise<void> {
  const { database, ledger } = gateway.core;
  const row = await until('the submit', async () => {
    const found = await findTask(database, task);
    return found?.state === 'running' ? found : undefined;
  });
  await ledger.releaseTask({
    ...{ account: row.accountId, key: row.keyId, task: row.id, model: row.model, requestId: row.requestId },
    state: 'cancelled',
    error: new GatewayError('cancelled', 'The task was cancelled.'),
  });
}

/** Links of one hour are equal; these may be of two. */
const unsigned = (record: unknown): unknown =>
  JSON.parse(JSON.stringify(record).replaceAll(/(\/files\/\w+\/\d+)\?[^"]*/g, '$1'));

describe('a task notifies its webhook', () => {
  test('of an image the record that GET gives, with links that can be fetched without a key', async () => {
    const who = await customer();
    const { status, body } = await who.create(images, { ...image, n: 2, webhook_url: `${receiver.url}/hook?token=t` });
    assert.equal(status, 200, JSON.stringify(body));
    const { id, event } = await delivery(who);
    assert.match(id, /^evt_[0-9a-f]{32}$/);
    assert.equal(receiver.requests[0]?.path, '/v1/hook?token=t');
    assert.equal(event.type, 'image.succeeded');
    assert.match(event.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const record = await who.get(`${images}/${String(body['id'])}`);
    assert.deepEqual(unsigned(event.data), unsigned(record.body));
    const links = event.data['data'] as { url: string }[];
    assert.equal(links.length, 2);
    for (const { url } of links) {
      assert.equal((await fetch(url)).headers.get('content-type'), 'image/png');
      const goodForSeconds = Number(new URL(url).searchParams.get('e')) - Date.now() / 1000;
      assert.ok(goodForSeconds > 24 * 3600, `${goodForSeconds} s`);
    }
  });

  test('of a video the record that GET gives', async () => {
    const who = await customer();
    const { body } = await who.create(videos, { ...video, webhook_url: receiver.url });
    const { event } = await delivery(who);
    assert.equal(event.type, 'video.succeeded');
    assert.deepEqual(unsigned(event.data), unsigned((await who.get(`${videos}/${String(body['id'])}`)).body));
  });

  test('of avatar-talk that it can be fetched, and fetches nothing', async () => {
    const who = await customer();
    const { body } = await who.talk({ webhook_url: receiver.url });
    const { event } = await delivery(who);
    assert.equal(event.type, 'avatar_talk.succeeded');
    const facts = { duration: 1, tokens: 1000, cost: 0.05, error: null };
    assert.deepEqual(event.data, { id: body['id'], object: 'avatar_talk', status: 'completed', ...facts });
    await (await gateway.fetchedVideo(`${talks}/${String(body['id'])}`, who.key)).arrayBuffer();
  });

  test('that it failed, with the error', async () => {
    const who = await customer();
    const prompt = 'A gate [sim:fail=The kiln broke.]';
    const fails = { prompt, webhook_url: receiver.url };
    const { body: failedImage } = await who.create(images, { ...image, ...fails });
    const { body: failedVideo } = await who.create(videos, { ...video, ...fails });
    const { body: talk } = await who.talk({ template_name: prompt, webhook_url: receiver.url });
    const events = [await delivery(who, 0), await delivery(who, 1), await delivery(who, 2)].map(({ event }) => event);
    const of = (type: string) => events.find((event) => event.type === type)?.data ?? assert.fail(`no ${type}`);
    assert.deepEqual(of('image.failed'), (await who.get(`${images}/${String(failedImage['id'])}`)).body);
    assert.deepEqual(of('video.failed'), (await who.get(`${videos}/${String(failedVideo['id'])}`)).body);
    const { error } = (await who.get(`${talks}/${String(talk['id'])}`)).body;
    const none = { duration: null, tokens: null, cost: null };
    assert.deepEqual(of('avatar_talk.failed'), {
      ...{ id: talk['id'], object: 'avatar_talk', status: 'error', ...none, error },
    });
    assert.match((error as { message: string }).message, /The kiln broke/);
  });

  test('that it was cancelled', async () => {
    const who = await customer();
    const endless = { ...image, prompt: 'A gate [sim:delay=60s]', webhook_url: receiver.url };
    const { body } = await who.create(images, endless, 'wait=0');
    const task = String(body['id']);
    await cancelled(task);
    const { event } = await delivery(who);
    assert.equal(event.type, 'image.failed');
    assert.equal((event.data['error'] as { code: string }).code, 'cancelled');
    assert.deepEqual(event.data, (await who.get(`${images}/${task}`)).body);
  });
});

test('a task without a webhook of its own notifies the one that its account has when the task ends', async () => {
  const who = await customer();
  await who.setWebhook(`${receiver.url}/first`);
  const running = await who.create(images, { ...image, prompt: 'A gate [sim:delay=60s]' }, 'wait=0');
  await who.create(images, { ...image, webhook_url: `${receiver.url}/own` });
  await who.setWebhook(`${receiver.url}/second`);
  await delivery(who);
  await cancelled(String(running.body['id']));
  const reported = await delivery(who, 1);
  assert.deepEqual(
    receiver.requests.map(({ path }) => path),
    ['/v1/own', '/v1/second'],
  );
  assert.equal(reported.event.data['id'], running.body['id']);
  await who.setWebhook(null);
  await who.create(images, image);
  assert.equal((await who.ended()).length, 2);
});

test('a creation that is repeated under its Idempotency-Key notifies the webhook once', async () => {
  const who = await customer();
  const body = { ...image, webhook_url: receiver.url };
  const headers = { ...bearer(who.key), 'Idempotency-Key': 'again' };
  const answers = await Promise.all([1, 2, 3].map(() => gateway.post(images, body, headers)));
  assert.equal(new Set(answers.map((answer) => String(answer.body['id']))).size, 1);
  const events = await who.ended();
  assert.deepEqual(
    events.map(({ taskId, attempts }) => [taskId, attempts.length]),
    [[answers[0]?.body['id'], 1]],
  );
});

test('a receiver that fails gets the same event again, each attempt signed by itself with both secrets after a rotation', async () => {
  const who = await customer();
  const before = await who.secret();
  const rotated = await gateway.post('/v1/account/webhook-secret/rotate', '', bearer(who.key));
  receiver.answers({ status: 500 }, { status: 307, headers: { location: receiver.url } }, { status: 200 });
  await who.create(images, { ...image, webhook_url: receiver.url });
  const [event = assert.fail('no event')] = await who.ended();
  assert.deepEqual(
    event.attempts.map(({ status }) => status),
    [500, 307, 200],
  );
  const secrets = [String(rotated.body['secret']), before];
  const reported = receiver.requests.map((request) => assertDelivery(request, secrets));
  assert.deepEqual(
    reported.map(({ id }) => id),
    [event.id, event.id, event.id],
  );
  assert.equal(new Set(reported.map(({ event: body }) => JSON.stringify(unsigned(body)))).size, 1);
});

test('an event that is resent after its results were deleted has what is left of them, as the list of tasks does', async () => {
  const who = await customer();
  const { body } = await who.create(images, { ...image, webhook_url: receiver.url });
  const first = await delivery(who);
  const [event] = await who.ended();
  const task = String(body['id']) as TaskId;
  const { database, blobs } = gateway.core;
  await removeMedia(database, blobs, task);
  assert.equal(await replayEvent(gateway.by, event?.id ?? ''), true);
  const second = await delivery(who, 1);
  assert.equal(second.id, first.id);
  assert.deepEqual([second.event.type, second.event.timestamp], [first.event.type, first.event.timestamp]);
  const { body: list } = await who.get('/v1/tasks');
  assert.deepEqual([second.event.data], list['data']);
  const { status, _local } = second.event.data;
  assert.deepEqual({ status, _local }, { status: first.event.data['status'], _local: first.event.data['_local'] });
  assert.doesNotMatch(JSON.stringify(second.event), /\/files\//);
});

describe('where private addresses are refused', () => {
  for (const url of ['http://127.0.0.1:9/hook', 'https://localhost/', 'http://[::1]/', 'http://169.254.169.254/'])
    test(`a creation that names ${url} is refused, and nothing is held`, async () => {
      const who = await customer(guarded);
      assertError(await who.create(images, { ...image, webhook_url: url }), 'invalid_parameter', 'webhook_url');
      assertError(await who.create(videos, { ...video, webhook_url: url }), 'invalid_parameter', 'webhook_url');
      assertError(await who.talk({ webhook_url: url }), 'invalid_parameter', 'webhook_url');
      assert.deepEqual(await guarded.money(who.key), { balance: 10, held: 0 });
    });

  test('an address that was let in and leads inwards when the task ends is given up, and nothing connects', async () => {
    const who = await customer(guarded);
    // As if its name had led to a public address until now.
    await changeAccount(guarded.by, who.account, { webhookUrl: receiver.url.replace('127.0.0.1', 'localhost') });
    const { body } = await who.create(images, image);
    assert.equal(body['status'], 'succeeded', 'the task has nothing to do with that');
    const [event] = await who.ended();
    assert.equal(event?.delivered, false);
    const fault = 'the address is refused: it must be http or https on a public host';
    assert.deepEqual(event.attempts, [{ attempt: 1, status: null, fault }]);
    assert.equal(receiver.connections.all, 0);
    assert.equal((await findEvent(guarded.core.database, String(body['id'])))?.id, event.id);
  });
});
