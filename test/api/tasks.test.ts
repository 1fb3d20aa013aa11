/** `GET /tasks`: the records of all kinds without fetching anything, filters, pages, and what is refused. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { taskIdPrefixes } from '../../src/domain/ids.ts';
import { assertError } from '../support/errors.ts';
import { answerOf, bearer, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { mp4, wav } from '../support/media.ts';

let gateway: TestGateway;
before(async () => {
  gateway = await startTestGateway();
});
after(() => gateway.stop());

type Record_ = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- tests look into answers by name

const image = { model: 'sim-image', prompt: 'A toll gate', size: '1024x1024' };
const list = async (key: string, query = '', root = '/v1') =>
  (await gateway.get(`${root}/tasks?${query}`, bearer(key))).body;
const idsOf = async (key: string, query: string) =>
  ((await list(key, query))['data'] as Record_[]).map(({ id }) => String(id));
const sql = (text: string, values: unknown[]) => gateway.core.database.pool.query(text, values);

async function talk(key: string, seconds: number): Promise<string> {
  const form = new FormData();
  form.append('audio', new Blob([wav({ seconds })]), 'voice.wav');
  form.append('video', new Blob([await mp4({ seconds: 1, hasAudio: false })]), 'footage.mp4');
  const answer = await answerOf(
    await gateway.fetch('/v1/svctalk/generate', { method: 'POST', headers: bearer(key), body: form }),
  );
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return String(answer.body['id']);
}

/** Resolves with the task's record in the list once it is no longer `processing`. */
async function ended(key: string, id: string): Promise<Record_> {
  for (let tries = 0; tries < 600; tries++) {
    const found = ((await list(key))['data'] as Record_[]).find((record) => record['id'] === id);
    if (found && found['status'] !== 'processing') return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${id} is still processing`);
}

test('each kind is listed as its own record, newest first, and listing fetches nothing', async () => {
  const { key } = await gateway.newKey({ balance: '10' });
  const drawn = await gateway.post('/v1/images/generations', image, bearer(key));
  const refused = await gateway.post('/v1/images/generations', { ...image, prompt: '[sim:fail=no luck]' }, bearer(key));
  const video = await gateway.post(
    '/v1/video/generations',
    { model: 'sim-video-fast', prompt: 'Cars', duration: 5 },
    bearer(key),
  );
  const talkId = await talk(key, 1.25);
  const spoken = await ended(key, talkId);
  assert.deepEqual(spoken, {
    id: talkId,
    object: 'avatar_talk',
    model: 'sim-avatar-talk',
    status: 'completed',
    created: spoken['created'],
    duration: 1.25,
    tokens: 1250,
    cost: 0.0625,
    error: null,
  });
  assert.ok(Math.abs(Number(spoken['created']) - Date.now() / 1000) < 60);
  for (const root of ['/v1', '/ai/v1']) {
    const { data, has_more, next_cursor } = await list(key, '', root);
    // Links end at a full hour, so that they are equal unless one has just begun.
    const withoutLinks = (record: Record_) =>
      JSON.parse(JSON.stringify(record).replaceAll(/[?]e=[^"]*/g, '')) as Record_;
    assert.deepEqual(
      (data as Record_[]).map(withoutLinks),
      [spoken, video.body, refused.body, drawn.body].map(withoutLinks),
    );
    assert.deepEqual([has_more, next_cursor], [false, null]);
  }
  const fetched = await gateway.fetch(`/v1/svctalk/generate/${talkId}`, { headers: bearer(key) });
  assert.equal(fetched.headers.get('content-type'), 'video/mp4');
  await fetched.arrayBuffer();
  await gateway.get('/v1/models', bearer(key)); // on the same connection: it proves that the video arrived
  for (let tries = 0; (await ended(key, talkId))['status'] !== 'removed'; tries++) {
    assert.ok(tries < 100, 'a fetched result is removed');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.deepEqual(await ended(key, talkId), { ...spoken, status: 'removed' });
});

/** Task rows of every kind and state, a second apart, the first the oldest. */
async function customerWithTasks() {
  const { account } = await gateway.newKey({ balance: '100' });
  const made: string[] = [];
  const states = [
    ['image', 'running'],
    ['image', 'succeeded'],
    ['image', 'failed'],
    ['video', 'accepted'],
    ['video', 'cancelled'],
    ['avatar_talk', 'running'],
    ['avatar_talk', 'succeeded'],
    ['avatar_talk', 'failed'],
    ['avatar_talk', 'expired'],
    ['avatar_talk', 'fetched'],
  ] as const;
  const other = await gateway.newKeyOf(account, { level: 'read' });
  for (const [index, [kind, what]] of states.entries()) {
    const state = what === 'expired' || what === 'fetched' ? 'succeeded' : what;
    const isFinal = state !== 'running' && state !== 'accepted';
    const id = `${taskIdPrefixes[kind]}${account.slice(-20)}${String(index).padStart(12, '0')}`;
    const transfer = crypto.randomUUID();
    await sql(
      `insert into holds (transfer_id, account_id, key_id, subject, amount, state, created_at) values ($1, $2, $3, $4, 0, 'released', now())`,
      [transfer, account, other.keyId, id],
    );
    await sql(
      `insert into tasks (id, kind, account_id, key_id, request_id, model, state, terms, transfer_id, hold_amount, created_at, started_at,
         finished_at, files, duration_ms, cost, balance_after, error_code, error_message, removed_at,
         request_digest, seal)
       values ($1, $2, $3, $4, 'req', $5, $6, '{}', $7, 0, timestamptz '2026-01-01T00:00:00Z' + make_interval(secs => $8),
         now(), case when $9 then now() - make_interval(secs => $10) end, case when $6 = 'succeeded' then '[]'::jsonb end,
         case when $6 = 'succeeded' then 12400 end, case when $6 = 'succeeded' then 620000 end, 0,
         case $6 when 'failed' then 'upstream_error' when 'cancelled' then 'cancelled' end, 'No.', case when $11 then now() end, '', '')`,
      [
        id,
        kind,
        account,
        other.keyId,
        `model-${index % 2}`,
        state,
        transfer,
        index,
        isFinal,
        what === 'expired' ? 601 : 0,
        what === 'fetched',
      ],
    );
    made.unshift(id);
  }
  return { key: other.key, account, made, at: (index: number) => made[states.length - 1 - index] ?? '' };
}

test('filters by kind, status, model and time, each alone and together', async () => {
  const { key, made, at } = await customerWithTasks();
  const expected = (...indexes: number[]) => indexes.map(at);
  assert.deepEqual(await idsOf(key, ''), made);
  assert.deepEqual(await idsOf(key, 'kind=image'), expected(2, 1, 0));
  assert.deepEqual(await idsOf(key, 'kind=avatar_talk'), expected(9, 8, 7, 6, 5));
  assert.deepEqual(await idsOf(key, 'status=processing'), expected(5, 3, 0));
  assert.deepEqual(await idsOf(key, 'status=succeeded'), expected(9, 8, 6, 1));
  assert.deepEqual(await idsOf(key, 'status=failed'), expected(7, 4, 2));
  assert.deepEqual(await idsOf(key, 'status=completed'), expected(6));
  assert.deepEqual(await idsOf(key, 'status=removed'), expected(9, 8));
  assert.deepEqual(await idsOf(key, 'status=error&kind=avatar_talk'), expected(7));
  assert.deepEqual(await idsOf(key, 'status=failed&kind=video'), expected(4));
  assert.deepEqual(await idsOf(key, 'model=model-1&kind=avatar_talk'), expected(9, 7, 5));
  assert.deepEqual(await idsOf(key, 'from=2026-01-01T00:00:03Z&to=2026-01-01T00:00:05Z'), expected(4, 3));
  assert.deepEqual(await idsOf(key, 'model=unknown'), []);
});

test('every status of an avatar-talk record can be filtered by', async () => {
  const { key } = await customerWithTasks();
  for (const status of ['processing', 'completed', 'error', 'removed']) {
    const { data } = await list(key, `kind=avatar_talk&status=${status}`);
    assert.ok(data.length > 0);
    for (const record of data as Record_[]) assert.equal(record['status'], status);
  }
  const [failed] = (await list(key, 'status=error'))['data'] as Record_[];
  assert.deepEqual(failed?.['error'], { message: 'No.', type: 'upstream_error', param: null, code: 'upstream_error' });
  assert.deepEqual([failed['duration'], failed['tokens'], failed['cost']], [null, null, null]);
});

test('pages lead through everything once, tasks of one moment too, while others arrive', async () => {
  const { key, made, account } = await customerWithTasks();
  await sql(`update tasks set created_at = '2026-01-01T00:00:01Z' where account_id = $1`, [account]);
  const whole = await idsOf(key, '');
  assert.deepEqual([...whole].sort(), [...made].sort());
  const standard = await gateway.newKeyOf(account);
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await list(key, `limit=3${cursor === null ? '' : `&cursor=${cursor}`}`);
    found.push(...(page['data'] as Record_[]).map(({ id }) => String(id)));
    assert.equal(page['has_more'], page['next_cursor'] !== null);
    cursor = page['next_cursor'] as string | null;
    await gateway.post('/ai/v1/images/generations', image, bearer(standard.key));
  } while (cursor !== null);
  assert.deepEqual(found, whole);
});

test('an account sees its own tasks only', async () => {
  await customerWithTasks();
  const { key } = await gateway.newKey({ balance: '1', level: 'read' });
  assert.deepEqual(await list(key), { object: 'list', data: [], has_more: false, next_cursor: null });
});

for (const [query, param] of [
  ['kind=chat', 'kind'],
  ['status=done', 'status'],
  ['status=completed&kind=image', 'status'],
  ['status=removed&kind=video', 'status'],
  ['model=', 'model'],
  ['model=%00', 'model'],
  [`model=${'m'.repeat(257)}`, 'model'],
  ['limit=1.5', 'limit'],
  ['cursor=x', 'cursor'],
  ['cursor=1790000000000.img_x', 'cursor'],
  ['cursor=999999999999999.img_0123456789abcdef0123456789abcdef', 'cursor'],
  ['from=now', 'from'],
  ['from=2026-01-02&to=2026-01-01', 'to'],
  ['kind=image&kind=video', 'kind'],
  ['state=failed', 'state'],
] as const) {
  test(`tasks with ${query.slice(0, 60)} are refused`, async () => {
    assertError(await gateway.get(`/v1/tasks?${query}`), 'invalid_parameter', param);
  });
}

test('a refusal says what is allowed', async () => {
  const message = async (query: string) => String((await gateway.get(`/v1/tasks?${query}`)).body['error'].message);
  assert.match(
    await message('status=done'),
    /processing, succeeded or failed, or for avatar-talk completed, error or removed/,
  );
  assert.match(await message('status=removed&kind=video'), /processing, succeeded or failed/);
  assert.match(await message('state=failed'), /limit, cursor, kind, status, model, from or to/);
});
