/**
 * The commit of an admission is not answered, and the database is away for longer than it is tried again: one request is
 * one task and one charge at the most, and no answer asks for what may have been done to be sent again.
 */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { freshDatabase, fromTestRun, type TestDatabase } from '../../support/database.ts';
import { assertError } from '../../support/errors.ts';
import { type Answer, answerOf, bearer, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { type Line, openLine } from '../../support/line.ts';
import { mp4, wav } from '../../support/media.ts';
import { assertLedgerAddsUp } from '../../support/money.ts';
import { until } from '../../support/process.ts';

let made: TestDatabase;
let line: Line;
let gateway: TestGateway;
let video: Buffer;
before(async () => {
  made = await freshDatabase();
  line = await openLine(made.url);
  const servers = { databaseUrl: line.url, temporalAddress: fromTestRun('TEMPORAL_ADDRESS') };
  gateway = await startTestGateway({ servers });
  video = await mp4({ seconds: 1, hasAudio: false });
});
after(async () => {
  await line.restore();
  await gateway.stop();
  await line.close();
  await made.drop();
});
afterEach(async () => {
  await line.restore();
  await assertLedgerAddsUp(made.database, gateway.core.secrets.first.ledger);
});

type Customer = Awaited<ReturnType<TestGateway['newKey']>>;

/** A text of the request by which the bytes of its commit are known. */
const mark = 'the commit with this prompt';

const postImage = ({ key }: Customer, headers: Record<string, string> = {}) =>
  gateway.post('/v1/images/generations', { model: 'sim-image', prompt: mark }, { ...bearer(key), ...headers });
const postVideo = ({ key }: Customer) =>
  gateway.post('/v1/video/generations', { model: 'sim-video-fast', prompt: mark }, bearer(key));
const postTalk = async ({ key }: Customer) => {
  const form = new FormData();
  form.append('template_name', mark);
  form.append('audio', new Blob([wav({ seconds: 1 })]), 'voice.wav');
  form.append('video', new Blob([video]), 'scene.mp4');
  return answerOf(await gateway.fetch('/v1/svctalk/generate', { method: 'POST', headers: bearer(key), body: form }));
};

for (const { name, post, status } of [
  { name: 'an image', post: postImage, status: 'succeeded' },
  { name: 'a video', post: postVideo, status: 'succeeded' },
  { name: 'an avatar-talk', post: postTalk, status: 'processing' },
]) {
  describe(`the admission of ${name}`, () => {
    test('that was not committed is refused, and nothing is left of it', async () => {
      const customer = await gateway.newKey({ balance: '100' });
      const blobs = await gateway.blobs();
      const { answer } = await inDoubt('silent', post, customer);
      await line.restore();
      const refusal = await answer;
      assertError(refusal, 'not_ready');
      assert.match(refusal.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      assert.deepEqual(await tasksOf(customer), []);
      assert.deepEqual(await gateway.money(customer.key), { balance: 100, held: 0 });
      if (post === postTalk) assert.equal(await gateway.blobs(), blobs);
    });

    test('that was committed is answered with its one task, once the database is back', async () => {
      const customer = await gateway.newKey({ balance: '100' });
      const { answer } = await inDoubt('mute', post, customer);
      await line.restore();
      const { status: reported, body } = await answer;
      assert.deepEqual([reported, body['status']], [200, status], JSON.stringify(body));
      assert.deepEqual(await tasksOf(customer), [body['id']]);
      assert.equal(await holdsOf(customer), 1);
      if (post === postTalk) await untilVideo(customer, String(body['id']));
    });
  });
}

test('a creation whose wait ends in doubt is answered by its id, and the task is done when the database is back', async () => {
  const customer = await gateway.newKey({ balance: '100' });
  const { status, headers, body } = await (
    await inDoubt('mute', (who) => postImage(who, { Prefer: 'wait=1' }), customer)
  ).answer;
  assert.deepEqual([status, body['status'], headers.get('retry-after')], [202, 'processing', null]);
  await line.restore();
  const record = await gateway.finished(`/v1/images/generations/${String(body['id'])}`, customer.key);
  assert.equal(record.body['status'], 'succeeded');
  assert.deepEqual(await tasksOf(customer), [body['id']]);
  assert.deepEqual(await gateway.money(customer.key), { balance: 99.8, held: 0 });
});

test('an Idempotency-Key names the same task while it is in doubt and afterwards', async () => {
  const customer = await gateway.newKey({ balance: '100' });
  const keyed = (who: Customer) => postImage(who, { 'Idempotency-Key': 'a key', Prefer: 'wait=1' });
  const first = await (await inDoubt('mute', keyed, customer)).answer;
  assert.equal(first.status, 202);
  await line.restore();
  const again = await until('the answer', async () => {
    const answer = await postImage(customer, { 'Idempotency-Key': 'a key' });
    return answer.status === 503 ? undefined : answer;
  });
  assert.deepEqual([again.status, again.body['id']], [200, first.body['id']]);
  assert.deepEqual(await tasksOf(customer), [first.body['id']]);
});

test('many in doubt at once learn what became of each', async () => {
  const customers = await Promise.all(Array.from({ length: 12 }, () => gateway.newKey({ balance: '0.2' })));
  const answers: Promise<Answer>[] = [];
  const [first] = customers;
  assert.ok(first);
  const postAll = () => {
    answers.push(...customers.flatMap((who) => [postImage(who), postImage(who)]));
    return Promise.race(answers);
  };
  await inDoubt('mute', postAll, first, customers);
  await line.restore();
  for (const { status, body } of await Promise.all(answers)) {
    assert.ok([200, 402, 503].includes(status), `${status} ${JSON.stringify(body)}`);
  }
  const reported = (await Promise.all(answers)).flatMap(({ status, body }) =>
    status === 200 ? [String(body['id'])] : [],
  );
  const there = (await Promise.all(customers.map(tasksOf))).flat();
  assert.deepEqual(reported.sort(), there.sort());
});

test('a process that stops answers what is in doubt by its id, and keeps its uploads', async () => {
  const customer = await gateway.newKey({ balance: '100' });
  const earlier = new Set(await blobFiles());
  const { answer } = await inDoubt('mute', postTalk, customer);
  const drained = gateway.drain({ noticeMs: 0, graceMs: 30_000 });
  const { status, body } = await answer;
  assert.deepEqual([status, body['status']], [200, 'processing']);
  assert.deepEqual(await tasksOf(customer), [body['id']]);
  // By their names: what earlier tests left may be deleted meanwhile.
  const uploads = (await blobFiles()).filter((path) => !earlier.has(path));
  assert.equal(uploads.length, 2, uploads.join(' '));
  await line.restore();
  await drained;
});

async function blobFiles(): Promise<string[]> {
  const entries = await readdir(join(gateway.dataDir, 'blobs'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

interface Asked {
  answer: Promise<Answer>;
}

/** Sends a request whose commit is not answered, cuts the database off, and waits until it is in doubt. */
async function inDoubt(
  how: 'mute' | 'silent',
  post: (who: Customer) => Promise<Answer>,
  customer: Customer,
  /** All that `post` posts for: any of them may be in the group whose commit is not answered. */
  customers: readonly Customer[] = [customer],
): Promise<Asked> {
  const failed = line.fails(how, mark);
  const answer = post(customer);
  await Promise.race([failed, answer.then((early) => assert.fail(JSON.stringify(early)))]);
  if (how === 'mute') {
    await until('the commit', async () => (await Promise.all(customers.map(tasksOf))).flat().length > 0 || undefined);
  }
  await line.cut();
  await Promise.race([answer, until('doubt', isInDoubt)]);
  return { answer };
}

async function isInDoubt(): Promise<true | undefined> {
  const { body } = await gateway.get('/metrics');
  return /^tollgate_ledger_moves_in_doubt [1-9]/m.test(String(body['text'])) ? true : undefined;
}

/** Until then its result comes to what is stored. */
async function untilVideo({ key }: Customer, id: string): Promise<void> {
  await until('the video', async () => {
    const head = await gateway.fetch(`/v1/svctalk/generate/${id}`, { method: 'HEAD', headers: bearer(key) });
    return head.headers.get('content-type') === 'video/mp4' ? true : undefined;
  });
}

async function tasksOf({ account }: Customer): Promise<string[]> {
  const { rows } = await made.database.pool.query<{ id: string }>('select id from tasks where account_id = $1', [
    account,
  ]);
  return rows.map(({ id }) => id);
}

async function holdsOf({ account }: Customer): Promise<number> {
  const text = `select 1 from entries where account_id = $1 and type = 'hold'`;
  return (await made.database.pool.query(text, [account])).rowCount ?? 0;
}
