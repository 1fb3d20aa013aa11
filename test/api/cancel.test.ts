/** `DELETE` on a task's address, in both deployments. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertError } from '../support/errors.ts';
import { answerOf, bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { mp4, wav } from '../support/media.ts';
import { until } from '../support/process.ts';

const configuration = `
providers:
  simulator: { kind: simulator, latency_ms: 600000 }
  quick: { kind: simulator }
models:
  - { id: image, kind: image, routes: [{ provider: simulator, model: m }], price: { per_image: 0.2 } }
  - { id: quick, kind: image, routes: [{ provider: quick, model: m }], price: { per_image: 0.2 } }
  - { id: video, kind: video, routes: [{ provider: simulator, model: m }], price: { per_second: 0.1 } }
  - { id: talk, kind: avatar-talk, routes: [{ provider: simulator, model: m }], price: { per_second: 0.05 } }
`;
let gateway: TestGateway;
let uploads: { audio: Buffer; video: Buffer };
before(async () => {
  gateway = await startTestGateway({ configuration });
  uploads = { audio: wav({ seconds: 1 }), video: await mp4({ seconds: 1, hasAudio: false }) };
});
after(() => gateway.stop());

const paths = { image: '/images/generations', video: '/video/generations', talk: '/svctalk/generate' };
const roots = ['/v1', '/ai/v1'];
type Model = keyof typeof paths;

/** Creates a task that takes ten minutes; answers its address below a root. */
async function created(model: Model, root = '/v1', key = gateway.key): Promise<string> {
  const form = new FormData();
  form.append('audio', new Blob([uploads.audio]), 'audio');
  form.append('video', new Blob([uploads.video]), 'video');
  const { body } =
    model === 'talk'
      ? await answerOf(await gateway.fetch(`${root}${paths.talk}`, { method: 'POST', key, body: form }))
      : await gateway.post(`${root}${paths[model]}`, bodies[model], { ...bearer(key), Prefer: 'wait=0' });
  assert.equal(typeof body['id'], 'string', JSON.stringify(body));
  return `${paths[model]}/${body['id']}`;
}
const bodies = {
  image: { model: 'image', prompt: 'a gate', size: '1024x1024' },
  video: { model: 'video', prompt: 'a gate', duration: 5 },
};

const cancel = async (path: string, key = gateway.key) =>
  answerOf(await gateway.fetch(path, { method: 'DELETE', key }));
const idOf = (path: string) => path.split('/').at(-1) ?? '';
const error = { message: 'The task was cancelled.', type: 'conflict_error', param: null, code: 'cancelled' };

for (const root of roots) {
  describe(`below ${root}`, () => {
    for (const model of ['image', 'video'] as const) {
      test(`a running ${model} is cancelled: its record says so, its hold is given back, and a second time is a conflict`, async () => {
        const { key } = await gateway.newKey({ balance: '10', level: 'standard' });
        const path = `${root}${await created(model, root, key)}`;
        assert.ok((await gateway.money(key)).held > 0);
        const { status, body } = await cancel(path, key);
        assert.equal(status, 200);
        const { created: at, ...record } = body;
        assert.equal(typeof at, 'number');
        const success = model === 'image' && { success: false };
        assert.deepEqual(record, { id: idOf(path), object: model, model, status: 'failed', ...success, error });
        assert.deepEqual((await gateway.get(path, bearer(key))).body, body);
        assert.deepEqual(await gateway.money(key), { balance: 10, held: 0 });
        assertError(await cancel(path, key), 'task_not_cancellable');
      });
    }

    test('a running avatar-talk task is cancelled, and what was uploaded goes from the disk', async () => {
      const stored = await gateway.blobs();
      const path = `${root}${await created('talk', root)}`;
      assert.equal(await gateway.blobs(), stored + 2);
      const { status, body } = await cancel(path);
      assert.deepEqual([status, body], [200, { id: idOf(path), status: 'error', error }]);
      assert.deepEqual((await gateway.get(path)).body, body);
      assertError(await cancel(path), 'task_not_cancellable');
      await until('the uploads to go', async () => ((await gateway.blobs()) === stored ? true : undefined));
      assert.deepEqual((await gateway.get(path)).body, body);
      await aged(idOf(path));
      assertError(await gateway.get(path), 'task_not_found');
      assertError(await cancel(path), 'task_not_found');
    });
  });
}

test('a caller that waits for a cancelled task gets its answer at once', async () => {
  const key = { 'Idempotency-Key': 'cancelled while it waits' };
  const first = gateway.post('/v1/images/generations', bodies.image, key);
  const id = await until('the task', async () => {
    const { body } = await gateway.get('/v1/tasks?status=processing&kind=image&limit=1');
    return (body['data'] as { id: string }[])[0]?.id;
  });
  const path = `/v1/images/generations/${id}`;
  const second = gateway.post('/v1/images/generations', bodies.image, key);
  const { body } = await cancel(path);
  for (const answer of await Promise.all([first, second])) {
    assert.deepEqual([answer.status, answer.body], [409, body]);
    assert.equal(answer.headers.get('x-should-retry'), 'false');
  }
});

test('of two that cancel at once one does, and the other gets a conflict', async () => {
  for (let times = 0; times < 5; times++) {
    const path = `/v1${await created('image')}`;
    const answers = await Promise.all([cancel(path), cancel(`/ai${path}`)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  }
  assert.equal((await gateway.money()).held, 0);
});

test('a task that succeeded is not cancelled, and stays as it is', async () => {
  const { body: task } = await gateway.post('/v1/images/generations', { ...bodies.image, model: 'quick' });
  const path = `/v1/images/generations/${task['id']}`;
  assertError(await cancel(path), 'task_not_cancellable');
  assert.equal((await gateway.get(path)).body['status'], 'succeeded');
});

test('unknown tasks, those of other accounts and of other kinds are not found, and go on', async () => {
  const { key } = await gateway.newKey({ balance: '1' });
  const path = await created('image');
  for (const [address, as] of [
    ['/v1/images/generations/img_none', gateway.key],
    ['/v1/svctalk/generate/..%2f', gateway.key],
    [`/v1${path}`, key],
    [`/v1${paths.video}/${idOf(path)}`, gateway.key],
    [`/v1${paths.talk}/${idOf(path)}`, gateway.key],
  ] as const) {
    assertError(await cancel(address, as), 'task_not_found');
  }
  assert.equal((await gateway.get(`/v1${path}`)).body['status'], 'processing');
  assert.equal((await cancel(`/v1${path}`)).status, 200);
});

test('keys below level standard cancel nothing', async () => {
  const path = `/v1${await created('image')}`;
  for (const level of ['read', 'chat'] as const) {
    const { key } = await gateway.newKey({ level });
    assertError(await cancel(path, key), 'permission_denied');
  }
  assertError(await answerOf(await gateway.fetch(path, { method: 'DELETE', key: null })), 'missing_api_key');
  assert.equal((await cancel(path)).status, 200);
});

test('the workflow of a cancelled task is notified of it', async () => {
  const path = `/v1${await created('video')}`;
  await cancel(path);
  await until('the workflow to hear', async () => {
    const { rowCount } = await gateway.core.database.pool.query(
      'select 1 from tasks where id = $1 and not cancel_pending',
      [idOf(path)],
    );
    return rowCount === 1 ? true : undefined;
  });
});

/** As if a task had ended eleven minutes ago; past the triggers, as only a hand can. */
async function aged(id: string): Promise<void> {
  const hand = await gateway.core.database.pool.connect();
  try {
    await hand.query('set session_replication_role = replica');
    await hand.query(`update tasks set finished_at = finished_at - interval '11 minutes' where id = $1`, [id]);
  } finally {
    hand.release(true);
  }
}
