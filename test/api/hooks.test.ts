/** Where providers call when a job ends: who may call, what is read from the call, and that it replaces a lost answer. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { inspect } from 'node:util';
import * as z from 'zod';
import type { TaskId } from '../../src/domain/ids.ts';
import type { Job, Submission, TaskProvider } from '../../src/providers/contract.ts';
import { closeIntent, findIntent, type IntentClosing, openIntent } from '../../src/tasks/provider-calls/intents.ts';
import { listUnknownOutcomes } from '../../src/tasks/provider-calls/intent-reports.ts';
import { findTask, markStarted } from '../../src/tasks/rows/task-rows.ts';
import { assertError } from '../support/errors.ts';
import { answerOf, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { admissionOf, type Customer, failureOf, newCustomer } from '../support/money.ts';
import { ScriptedProvider } from '../support/task-runner.ts';

const configuration = `
providers: { hooked: { kind: simulator }, plain: { kind: simulator } }
models:
  - { id: image, kind: image, routes: [{ provider: hooked, model: m }], price: { per_image: 0.2 } }
`;
const hookBody = z.object({ id: z.string() });

/** Its create is answered when and as the test says; its hook's body is `{ id }`. */
class HookedProvider extends ScriptedProvider implements TaskProvider {
  readonly jobs: Job[] = [];
  readonly polled: string[] = [];
  answer: () => Promise<Submission> = () => Promise.resolve({ outcome: 'unknown', reason: 'reset by peer' });
  constructor() {
    super({ abilities: { webhook: true } });
  }
  override submit(job: Job): Promise<Submission> {
    this.asked.submit += 1;
    this.jobs.push(job);
    return this.answer();
  }
  override poll(jobId: string, job: unknown, signal: AbortSignal) {
    this.polled.push(jobId);
    return super.poll(jobId, job, signal);
  }
  jobIdOf(body: unknown): string | undefined {
    return hookBody.safeParse(body).data?.id;
  }
}

let gateway: TestGateway;
let customer: Customer;
const provider = new HookedProvider();
/** All that was logged, as it was handed to the log. */
const logged: unknown[][] = [];
before(async () => {
  gateway = await startTestGateway({ configuration });
  const { providers, database, ledger, log } = gateway.core;
  (providers as Map<string, TaskProvider>).set('hooked', provider);
  customer = await newCustomer(database, ledger, 1_000_000n);
  log.isLevelEnabled = () => true;
  for (const level of ['info', 'warn', 'error'] as const) log[level] = (...line: unknown[]) => void logged.push(line);
});
after(() => gateway.stop());

const call = async (address: string, body: unknown, init: RequestInit = {}) =>
  answerOf(
    await fetch(address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...init,
    }),
  );
const thanked = async (address: string, body: unknown) => {
  const { status, body: answer } = await call(address, body);
  assert.deepEqual([status, answer], [204, { text: '' }]);
};

/** A task that no workflow works on, sent by an attempt of which nothing was heard; and its hook's address. */
async function sent({ routes = ['hooked'], closing }: { routes?: string[]; closing?: IntentClosing } = {}) {
  const { database, ledger, addresses } = gateway.core;
  const answer = await ledger.admitTask(admissionOf(customer, 1n, { routes }));
  assert.ok(answer.admitted === 'new');
  const id = answer.taskId;
  await markStarted(database, [id]); // or the scan would start it
  await openIntent(database, id, 0, routes[0] ?? '');
  if (closing) await closeIntent(database, id, 0, closing);
  const task = await findTask(database, id);
  assert.ok(task);
  return { id, address: addresses.hook(task, 0) };
}
async function stands(id: TaskId) {
  const intent = await findIntent(gateway.core.database, id, 0);
  return [intent?.outcome, intent?.jobId];
}

describe('a create whose answer was lost', () => {
  test('is completed by the call that names its job: the task succeeds, sent and charged once', async () => {
    const before = await gateway.money();
    const wish = { model: 'image', prompt: 'A toll gate', size: '1024x1024' };
    const { status, body } = await gateway.post('/v1/images/generations', wish, { Prefer: 'wait=0' });
    assert.equal(status, 202);
    const id = String(body['id']) as TaskId;
    while ((await stands(id))[0] !== 'unknown') await new Promise((resolve) => setTimeout(resolve, 20));
    const address = provider.jobs[0]?.hookUrl ?? '';
    assert.ok(address.startsWith(`${gateway.url}/hooks/${id}/0?k=`), address);
    await thanked(address, { id: 'job-7' });
    const task = await gateway.finished(`/v1/images/generations/${id}`);
    assert.equal(task.body['status'], 'succeeded');
    await thanked(address, { id: 'job-7' }); // providers call more than once
    assert.deepEqual([provider.asked.submit, provider.polled], [1, ['job-7']]);
    const now = await gateway.money();
    assert.deepEqual([Math.round((before.balance - now.balance) * 100), now.held], [20, 0]);
  });

  test('is completed also when the attempt that sent it has died, and when it lives', async () => {
    const dead = await sent();
    await thanked(dead.address, { id: 'of-the-dead' });
    assert.deepEqual(await stands(dead.id), ['accepted', 'of-the-dead']);

    let answerNow: (submission: Submission) => void = () => undefined;
    provider.answer = () => new Promise((resolve) => (answerNow = resolve));
    const jobsBefore = provider.jobs.length;
    const wish = { model: 'image', prompt: 'A toll gate', size: '1024x1024' };
    const { body } = await gateway.post('/v1/images/generations', wish, { Prefer: 'wait=0' });
    while (provider.jobs.length === jobsBefore) await new Promise((resolve) => setTimeout(resolve, 20));
    await thanked(provider.jobs.at(-1)?.hookUrl ?? '', { id: 'of-the-living' });
    answerNow({ outcome: 'accepted', jobId: 'of-the-living', requestId: 'the-call' });
    const id = String(body['id']) as TaskId;
    assert.equal((await gateway.finished(`/v1/images/generations/${id}`)).body['status'], 'succeeded');
    assert.deepEqual(await stands(id), ['accepted', 'of-the-living']);
    const { rows } = await gateway.core.database.pool.query('select * from intents where task_id = $1', [id]);
    assert.equal(rows[0]?.upstream_request_id, 'the-call');
  });

  test('is listed for the operator when the call comes after the task has ended', async () => {
    const { id, address } = await sent({ closing: { outcome: 'unknown', reason: 'lost' } });
    const { database, ledger } = gateway.core;
    await ledger.releaseTask(failureOf(customer, id));
    await thanked(address, { id: 'too-late' });
    assert.deepEqual(await stands(id), ['accepted', 'too-late']);
    const listed = await listUnknownOutcomes(database, { limit: 10 }, new Date());
    assert.deepEqual(
      listed.map(({ task, intent }) => [task.id, intent.jobId, intent.reason]),
      [[id, 'too-late', 'lost']],
    );
    assert.deepEqual(doneOf(id), ['too late']);
  });
});

describe('a call is thanked for, and changes nothing,', () => {
  const refusal = { code: 'upstream_error', message: 'No.', param: null, fallOver: false } as const;
  const known: IntentClosing[] = [
    { outcome: 'accepted', jobId: 'the-first' },
    { outcome: 'finished', blobKeys: ['results/x'] },
    { outcome: 'refused', error: refusal },
  ];
  for (const closing of known) {
    test(`when the create was ${closing.outcome}`, async () => {
      const { id, address } = await sent({ closing });
      const before = await stands(id);
      await thanked(address, { id: 'another' });
      assert.deepEqual(await stands(id), before);
      assert.deepEqual(doneOf(id), ['not needed']);
    });
  }
  for (const [what, body] of [
    ['names no job', { status: 'OK' }],
    ['is no object', []],
    ['names an empty id', { id: '' }],
    ['names an id that no column takes', { id: 'a\0b' }],
    ['names an id beyond all measure', { id: 'x'.repeat(1_001) }],
  ] as const) {
    test(`when it ${what}`, async () => {
      const { id, address } = await sent();
      await thanked(address, body);
      assert.deepEqual(await stands(id), ['open', null]);
      assert.deepEqual(doneOf(id), ['no job named']);
    });
  }
  test('when the provider has no hooks', async () => {
    const { id, address } = await sent({ routes: ['plain'] });
    await thanked(address, { id: 'job' });
    assert.deepEqual(await stands(id), ['open', null]);
  });
  test('when the provider is no longer configured', async () => {
    const { id, address } = await sent({ routes: ['gone'] });
    await thanked(address, { id: 'job' });
    assert.deepEqual(await stands(id), ['open', null]);
  });
});

describe('a call without our signature', () => {
  const changes: [string, (address: URL) => void][] = [
    ['another signature', ({ searchParams }) => searchParams.set('s', 'A'.repeat(43))],
    ['a shorter signature', ({ searchParams }) => searchParams.set('s', 'A')],
    ['no signature', ({ searchParams }) => searchParams.delete('s')],
    ['two signatures', ({ searchParams }) => searchParams.append('s', 'A')],
    ['an unknown secret', ({ searchParams }) => searchParams.set('k', 'other')],
    ['no query', (address) => (address.search = '')],
    ['another route', (address) => (address.pathname = address.pathname.replace(/0$/, '1'))],
    ['the route written otherwise', (address) => (address.pathname = address.pathname.replace(/0$/, '00'))],
    ['another task', (address) => (address.pathname = `/hooks/img_${'0'.repeat(32)}/0`)],
    ['a root before it', (address) => (address.pathname = `/v1${address.pathname}`)],
  ];
  for (const [what, change] of changes) {
    test(`(${what}) finds nothing, whatever key comes with it`, async () => {
      const { id, address } = await sent();
      const link = new URL(address);
      change(link);
      for (const key of [null, gateway.key]) {
        const headers = { 'Content-Type': 'application/json' };
        const init = { method: 'POST', body: '{"id":"forged"}', headers, key };
        assertError(await answerOf(await gateway.fetch(link.href, init)), 'route_not_found');
      }
      assert.deepEqual(await stands(id), ['open', null]);
    });
  }
});

describe('the body of a call', () => {
  test('is JSON', async () => {
    const { id, address } = await sent();
    assertError(await call(address, 'id=job'), 'invalid_json');
    assertError(await call(address, ''), 'invalid_json');
    assertError(await call(address, '{}', { headers: { 'Content-Type': 'text/plain' } }), 'unsupported_media_type');
    assert.deepEqual(await stands(id), ['open', null]);
  });

  test('has at most 8 MiB', async () => {
    const { id, address } = await sent();
    const bytes = 8 * 1024 * 1024;
    const padded = (length: number) => `{"id":"j"}`.padStart(length);
    assert.equal(padded(bytes).length, bytes);
    assertError(await call(address, padded(bytes + 1)), 'request_too_large');
    assert.deepEqual(await stands(id), ['open', null]);
    await thanked(address, padded(bytes));
    assert.deepEqual(await stands(id), ['accepted', 'j']);
  });

  test('comes by POST', async () => {
    const { address } = await sent();
    const { status, headers } = await fetch(address);
    assert.deepEqual([status, headers.get('allow')], [405, 'POST']);
  });
});

test('the log has one line on what was done, and never the address', async () => {
  const { id, address } = await sent();
  const from = logged.length;
  await thanked(address, { id: 'job', secret: 'of the provider' });
  await call(address, 'nonsense');
  await call(address.replace(/s=.*/, 's=forged'), {});
  const lines = logged.slice(from).filter((line) => inspect(line).includes(id));
  assert.deepEqual(
    lines.map(([facts, text]) => [text, (facts as { done?: string; status?: number }).done ?? 'none']),
    [['a provider called', 'job noted'], ...['request', 'request', 'request'].map((text) => [text, 'none'])],
  );
  const everything = inspect(logged, { depth: 10, maxArrayLength: null, maxStringLength: null });
  const { searchParams } = new URL(address);
  for (const secret of [searchParams.get('s') ?? '', 's=', '?k=', 'of the provider', 'nonsense']) {
    assert.ok(!everything.includes(secret), `the log has ${secret}`);
  }
});

/** What the log says was done for calls of this task. */
function doneOf(id: TaskId): unknown[] {
  return logged
    .filter(([, text]) => text === 'a provider called')
    .map(([facts]) => facts as { taskId?: unknown; done?: unknown })
    .filter(({ taskId }) => taskId === id)
    .map(({ done }) => done);
}
