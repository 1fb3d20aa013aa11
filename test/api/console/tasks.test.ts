/** The tasks of an account in the console: looking through them, at one of them, cancelling, and telling a webhook again. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as z from 'zod';
import { createAccount } from '../../../src/accounts/accounts.ts';
import { listActs } from '../../../src/ledger/audit-log.ts';
import { answerOf, bearer, startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { mp4, wav } from '../../support/media.ts';
import { type ConsoleClient, signedIn } from '../../support/people.ts';
import { until } from '../../support/process.ts';
import { openUpstream, type Upstream } from '../../support/upstream.ts';

const configuration = `
providers:
  slow: { kind: simulator, latency_ms: 600000 }
  quick: { kind: simulator }
models:
  - { id: image, kind: image, routes: [{ provider: quick, model: m }], price: { per_image: 0.2 } }
  - { id: slow, kind: image, routes: [{ provider: slow, model: m }], price: { per_image: 0.2 } }
  - { id: video, kind: video, routes: [{ provider: quick, model: m }], price: { per_second: 0.1 } }
  - { id: talk, kind: avatar-talk, routes: [{ provider: quick, model: m }], price: { per_second: 0.05 } }
`;

let gateway: TestGateway;
let receiver: Upstream;
let closeReceiver: () => Promise<void>;
let owner: ConsoleClient;
let member: ConsoleClient;
let operator: ConsoleClient;
let stranger: ConsoleClient;
let strangersAccount: string;
before(async () => {
  ({ upstream: receiver, close: closeReceiver } = await openUpstream());
  receiver.answers({ status: 204 });
  gateway = await startTestGateway({
    configuration,
    env: { TOLLGATE_TEMPORAL_UI_URL: 'https://temporal.example.com/ui/' },
  });
  const { account, by } = gateway;
  const { id: another } = await createAccount(by, 'another');
  strangersAccount = another;
  owner = await signedIn(gateway);
  member = await signedIn(gateway, { memberships: [{ account, role: 'member' }] });
  operator = await signedIn(gateway, { memberships: [], isOperator: true });
  stranger = await signedIn(gateway, { memberships: [{ account: another, role: 'owner' }] });
});
after(async () => {
  await gateway.stop();
  await closeReceiver();
});

const markup = `<script>alert(1)</script> <img src=x onerror=alert(2)>`;
const at = (path = '', account: string = gateway.account) => `/accounts/${account}/tasks${path}`;
const lines = z.object({
  data: z.array(z.looseObject({ id: z.string(), status: z.string() })),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
});

async function list(query = '', account?: string, who = member) {
  const { status, body } = await who.get(at(`?${query}`, account));
  assert.equal(status, 200, JSON.stringify(body));
  return lines.parse(body);
}
const idsOf = async (query: string, account?: string) => (await list(query, account)).data.map(({ id }) => id);

async function draw(body: Record<string, unknown>, key = gateway.key): Promise<string> {
  const path = body['model'] === 'video' ? '/v1/video/generations' : '/v1/images/generations';
  const answer = await gateway.post(path, { prompt: 'A toll gate', ...body }, bearer(key));
  assert.equal(typeof (answer.body['id'] ?? answer.body['error']), 'string', JSON.stringify(answer.body));
  return String(answer.body['id']);
}

const taskPage = z.looseObject({
  id: z.string(),
  status: z.string(),
  request: z.looseObject({}).nullable(),
  files: z.array(z.looseObject({ url: z.string().nullable(), type: z.string(), bytes: z.number() })),
  uploads: z.array(z.looseObject({ name: z.string(), url: z.string() })).nullable(),
  course: z.array(z.looseObject({ step: z.string(), at: z.string(), provider: z.string().nullable() })),
  entries: z.array(z.looseObject({ type: z.string(), amount: z.number() })),
  webhook: z.looseObject({ delivered: z.boolean().nullable(), attempts: z.array(z.looseObject({})) }).nullable(),
  operator: z
    .object({ workflow_url: z.string().nullable(), intents: z.array(z.looseObject({ provider: z.string() })) })
    .nullable(),
});

async function look(id: string, who = member) {
  const { status, body } = await who.get(at(`/${id}`));
  assert.equal(status, 200, JSON.stringify(body));
  return taskPage.parse(body);
}

describe('one task', () => {
  test('is shown with its request, course, file, money and the record of the public API', async () => {
    const id = await draw({ model: 'image', size: '1024x1024', prompt: markup });
    const task = await look(id);
    assert.deepEqual(task.request, {
      kind: 'image',
      prompt: markup,
      quality: 'medium',
      n: 1,
      size: '1024x1024',
      upscale: null,
      image_urls: [],
      mask: null,
      webhook_url: null,
    });
    assert.deepEqual(
      task.course.map(({ step }) => step),
      ['admitted', 'submitted', 'running', 'succeeded'],
    );
    assert.deepEqual([task['cost'], task['hold'], task.status], [0.2, 0.2, 'succeeded']);
    assert.deepEqual(
      task.entries.map(({ type, amount }) => [type, amount]),
      [
        ['hold', -0.2],
        ['capture', 0],
      ],
    );
    const [file] = task.files;
    assert.match(file?.url ?? '', /^\/files\/img_\w+\/0\?e=\d+&k=\w+&s=[\w-]+$/);
    const bytes = await (await gateway.fetch(file?.url ?? '', { key: null })).arrayBuffer();
    assert.equal(bytes.byteLength, file?.bytes);
    assert.deepEqual(task['record'], (await gateway.get(`/v1/images/generations/${id}`)).body);
    assert.ok(file);
    const [line] = (await list(`id=${id}`)).data;
    assert.equal(line?.['excerpt'], markup);
    assert.deepEqual(line['preview'], { url: file.url, type: file.type });
  });

  test('shows its provider, its job and where its workflow is to operators only', async () => {
    const id = await draw({ model: 'image', size: '1024x1024' });
    const seen = await look(id, operator);
    assert.equal(seen.operator?.workflow_url, `https://temporal.example.com/ui/namespaces/default/workflows/${id}`);
    assert.deepEqual(
      seen.operator.intents.map(({ provider, outcome, route }) => ({ provider, outcome, route })),
      [{ provider: 'quick', outcome: 'accepted', route: 1 }],
    );
    assert.equal(seen.course.find(({ step }) => step === 'submitted')?.provider, 'quick');
    const { operator: hidden, course } = await look(id, owner);
    assert.equal(hidden, null);
    assert.ok(course.every(({ provider }) => provider === null));
  });

  test('of avatar-talk is looked at without being fetched, and says afterwards that it was', async () => {
    const form = new FormData();
    form.append('audio', new Blob([wav({ seconds: 1.25 })]), 'voice.wav');
    form.append('video', new Blob([await mp4({ seconds: 1, hasAudio: false })]), 'footage.mp4');
    const made = await answerOf(await gateway.fetch('/v1/svctalk/generate', { method: 'POST', body: form }));
    const id = String(made.body['id']);
    await until('the task', async () => (await look(id)).status === 'succeeded' || undefined);
    const task = await look(id);
    assert.deepEqual(
      task.uploads?.map((file) => [file.name, file['duration']]),
      [
        ['audio', 1.25],
        ['video', 1],
      ],
    );
    for (const { url } of [...task.uploads, ...task.files]) {
      const file = await gateway.fetch(url ?? '', { key: null });
      assert.equal(file.status, 200);
      await file.arrayBuffer();
    }
    assert.ok(Date.parse(String(task['fetchable_until'])) > Date.now());
    await (await gateway.fetchedVideo(`/v1/svctalk/generate/${id}`)).arrayBuffer();
    await gateway.get('/v1/models'); // on the same connection: it proves that the video arrived
    await until('the task', async () => (await look(id)).status === 'removed' || undefined);
    const gone = await look(id);
    assert.equal((gone['removed'] as { why: string }).why, 'fetched');
    assert.deepEqual([gone.request, gone.uploads, gone.files[0]?.url], [null, null, null]);
    assert.equal(gone.course.at(-1)?.step, 'fetched');
  });

  test('of another account, of no account, or by nonsense is no task', async () => {
    const id = await draw({ model: 'image', size: '1024x1024' });
    for (const path of [`/${id}`, `/${id}/cancel`, `/${id}/webhook/replay`]) {
      const method = path === `/${id}` ? 'GET' : 'POST';
      const answer = await stranger.call(method, at(path, strangersAccount));
      assert.deepEqual([answer.status, codeOf(answer)], [404, 'task_not_found'], path);
    }
    for (const nonsense of [
      'img_0123456789abcdef0123456789abcdef',
      'x'.repeat(65),
      '%00',
      '..%2f..%2fsession',
      '%F0%9F',
    ]) {
      const answer = await member.get(at(`/${nonsense}`));
      assert.ok([400, 404].includes(answer.status), `${nonsense}: ${answer.status}`);
      if (answer.status === 404) assert.equal(codeOf(answer), 'task_not_found');
    }
  });
});

const codeOf = ({ body }: { body: Record<string, unknown> }) => (body['error'] as { code?: string } | undefined)?.code;

describe('a queue', () => {
  test('shows each task its position, and the next one starts when a running one was cancelled', async () => {
    const { key, keyId, account } = await gateway.newKey({ balance: '1', maxRunningTasks: 1, queue: true });
    const who = await signedIn(gateway, { memberships: [{ account, role: 'owner' }] });
    const asked = { ...bearer(key), Prefer: 'wait=0' };
    const slow = { model: 'slow', prompt: 'slow', size: '1024x1024' };
    const drawn = async () => String((await gateway.post('/v1/images/generations', slow, asked)).body['id']);
    const ids = [await drawn(), await drawn(), await drawn()];
    const queued = async () => {
      const { data } = await list(`key=${keyId}`, account, who);
      return ids.map((id) => data.find((line) => line.id === id)?.['queued']);
    };
    const page = async (id: string | undefined) => taskPage.parse((await who.get(at(`/${id}`, account))).body);
    const cancel = (id: string | undefined) => who.call('POST', at(`/${id}/cancel`, account));
    assert.deepEqual(await queued(), [null, { position: 1 }, { position: 2 }]);
    const last = await page(ids[2]);
    assert.deepEqual([last.status, last['queued']], ['processing', { position: 2 }]);
    const shown = z.object({ data: z.array(z.looseObject({ running_tasks: z.int(), queued_tasks: z.int() })) });
    const [shownKey] = shown.parse((await who.get(`/accounts/${account}/keys`)).body).data;
    assert.deepEqual([shownKey?.running_tasks, shownKey?.queued_tasks], [1, 2]);
    await cancel(ids[1]);
    assert.deepEqual(await queued(), [null, null, { position: 1 }]);
    await cancel(ids[0]);
    const steps = await until('the start of the last one', async () => {
      const { course } = await page(ids[2]);
      return course.some(({ step }) => step === 'submitted') ? course.map(({ step }) => step) : undefined;
    });
    assert.deepEqual(steps.slice(0, 3), ['admitted', 'dequeued', 'submitted']);
    await cancel(ids[2]);
  });
});

describe('cancelling', () => {
  test('ends the task and gives its hold back, in the name of who did it; a second time is a conflict', async () => {
    const { account, key } = await gateway.newKey({ balance: '1' });
    const who = await signedIn(gateway, { memberships: [{ account, role: 'owner' }] });
    const asked = { ...bearer(key), Prefer: 'wait=0' };
    const { body } = await gateway.post(
      '/v1/images/generations',
      { model: 'slow', prompt: 'slow', size: '1024x1024' },
      asked,
    );
    const id = String(body['id']);
    assert.equal((await gateway.money(key)).held, 0.2);
    // Its provider may take a create that is under way after the end, and that would be the last step.
    await until('the provider to run it', async () => {
      const { course } = taskPage.parse((await who.get(at(`/${id}`, account))).body);
      return course.some(({ step }) => step === 'running') || undefined;
    });
    const answer = await who.call('POST', at(`/${id}/cancel`, account));
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const task = taskPage.parse(answer.body);
    assert.equal(task.status, 'cancelled');
    assert.equal(task.course.at(-1)?.step, 'cancelled');
    assert.deepEqual(
      task.entries.map(({ type, amount }) => [type, amount]),
      [
        ['hold', -0.2],
        ['release', 0.2],
      ],
    );
    assert.deepEqual(await gateway.money(key), { balance: 1, held: 0 });
    const again = await who.call('POST', at(`/${id}/cancel`, account));
    assert.deepEqual([again.status, codeOf(again)], [409, 'task_not_cancellable']);
    const [act] = await listActs(gateway.core.database, { account, limit: 1 });
    assert.deepEqual(
      [act?.action, act?.actor, act?.details],
      ['task.cancelled', `person:${who.person.id}`, { task_id: id }],
    );
  });
});

describe('a webhook', () => {
  test('is shown with its attempts, and sent once more when asked to', async () => {
    const id = await draw({ model: 'image', size: '1024x1024', webhook_url: `${receiver.url}/secret-path` });
    await until('the task', async () => (await look(id)).webhook?.delivered === true || undefined);
    const { webhook, course } = await look(id);
    assert.equal(webhook?.['host'], new URL(receiver.url).host);
    assert.deepEqual(
      webhook.attempts.map(({ attempt, status, fault }) => ({ attempt, status, fault })),
      [{ attempt: 1, status: 204, fault: null }],
    );
    assert.equal(course.at(-1)?.step, 'webhook');
    const replayed = await owner.call('POST', at(`/${id}/webhook/replay`));
    assert.equal(replayed.status, 200);
    await until('the task', async () => (await look(id)).webhook?.attempts.length === 2 || undefined);
  });
});

describe('the list', () => {
  let account: TestGateway['account'];
  let made: Record<'drawn' | 'failed' | 'video' | 'slow' | 'other', string>;
  let keys: { first: string; second: string };
  before(async () => {
    const { key, keyId, account: its } = await gateway.newKey({ balance: '10' });
    account = its;
    const second = await gateway.newKeyOf(account);
    keys = { first: keyId, second: second.keyId };
    member = await signedIn(gateway, {
      memberships: [
        { account, role: 'member' },
        { account: gateway.account, role: 'member' },
      ],
    });
    made = {
      drawn: await draw({ model: 'image', size: '1024x1024' }, key),
      failed: await draw({ model: 'image', size: '1024x1024', prompt: '[sim:fail=no luck]' }, key),
      video: await draw({ model: 'video', duration: 5 }, key),
      other: await draw({ model: 'image', size: '1024x1024' }, second.key),
      slow: '',
    };
    const asked = { ...bearer(key), Prefer: 'wait=0' };
    const { body } = await gateway.post(
      '/v1/images/generations',
      { model: 'slow', prompt: 'slow', size: '1024x1024' },
      asked,
    );
    made.slow = String(body['id']);
  });

  test('is newest first, and filtered by each filter and by several', async () => {
    const { drawn, failed, video, other, slow } = made;
    assert.deepEqual(await idsOf('', account), [slow, other, video, failed, drawn]);
    assert.deepEqual(await idsOf('kind=video', account), [video]);
    assert.deepEqual(await idsOf('status=processing', account), [slow]);
    assert.deepEqual(await idsOf('status=succeeded', account), [other, video, drawn]);
    assert.deepEqual(await idsOf('status=failed', account), [failed]);
    assert.deepEqual(await idsOf('status=cancelled', account), []);
    assert.deepEqual(await idsOf('status=removed', account), []);
    assert.deepEqual(await idsOf('model=image', account), [other, failed, drawn]);
    assert.deepEqual(await idsOf(`key=${keys.second}`, account), [other]);
    assert.deepEqual(await idsOf(`key=${keys.first}&kind=image&status=succeeded`, account), [drawn]);
    assert.deepEqual(await idsOf(`key=${keys.first}`), [], 'the key of another account');
    assert.deepEqual(await idsOf(`id=${video}`, account), [video]);
    assert.deepEqual(await idsOf(`id=${video}`), [], 'the task of another account');
    assert.deepEqual(await idsOf('to=2020-01-01', account), []);
    assert.equal((await idsOf('from=2020-01-01', account)).length, 5);
  });

  test('goes on by cursor, and says who and what it can be filtered by', async () => {
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: z.output<typeof lines> = await list(`limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`, account);
      found.push(...page.data.map(({ id }) => id));
      assert.equal(page.has_more, page.next_cursor !== null);
      cursor = page.next_cursor;
    }
    assert.deepEqual(found, await idsOf('', account));
    const { body } = await member.get(`/accounts/${account}/task-filters`);
    assert.deepEqual(body['models'], ['image', 'slow', 'video']);
    assert.deepEqual(
      (body['keys'] as { id: string }[]).map(({ id }) => id),
      [keys.first, keys.second],
    );
  });

  for (const [query, param] of [
    ['kind=chat', 'kind'],
    ['status=completed', 'status'],
    ['key=%00', 'key'],
    ['id=', 'id'],
    ['cursor=x', 'cursor'],
    ['from=2026-01-02&to=2026-01-01', 'to'],
    ['account=x', 'account'],
  ] as const) {
    test(`with ${query} is refused`, async () => {
      const answer = await member.get(at(`?${query}`));
      assert.equal(answer.status, 400);
      assert.equal((answer.body['error'] as { param?: string }).param, param);
    });
  }
});
