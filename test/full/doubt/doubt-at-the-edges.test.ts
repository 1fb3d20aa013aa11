/** An admission in doubt whose caller leaves, or comes by the console's playground, or names an Idempotency-Key: one task or none. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { after, afterEach, before, describe, test } from 'node:test';
import pino from 'pino';
import { type Customer, type DoubtfulGateway, mark, startDoubtfulGateway, untilAnswered } from '../../support/doubt.ts';
import { assertError } from '../../support/errors.ts';
import { bearer, type TestGateway } from '../../support/gateway.ts';
import type { Line } from '../../support/line.ts';
import { signedIn } from '../../support/people.ts';
import { until } from '../../support/process.ts';

let doubtful: DoubtfulGateway;
let gateway: TestGateway;
let line: Line;
const logged: { level: number; requestId?: string; msg: string }[] = [];
before(async () => {
  const written = new Writable({
    write: (text: Buffer, _encoding, done) => {
      logged.push(JSON.parse(text.toString()) as (typeof logged)[number]);
      done();
    },
  });
  doubtful = await startDoubtfulGateway({ log: pino({ level: 'info' }, written) });
  ({ gateway, line } = doubtful);
});
after(() => doubtful.stop());
afterEach(() => doubtful.restore());

/** Lines above it are of faults, and of what an operator should know. */
const infoLevel = 30;
const image = { model: 'sim-image', prompt: mark };

const postImage = ({ key }: Customer, headers: Record<string, string> = {}, prompt = mark) =>
  gateway.post('/v1/images/generations', { model: 'sim-image', prompt }, { ...bearer(key), ...headers });
const recordOf = (id: unknown): string => `/v1/images/generations/${String(id)}`;

describe('a caller that disconnects while its admission is in doubt', () => {
  for (const { how, becomes } of [
    { how: 'mute', becomes: 'has the task, which is done and charged once' },
    { how: 'silent', becomes: 'has no task, and nothing is held' },
  ] as const) {
    const wasCommitted = how === 'mute';
    test(`whose commit was ${wasCommitted ? '' : 'not '}carried out ${becomes}, and the log says once that they left`, async () => {
      const customer = await gateway.newKey({ balance: '100' });
      const requestId = randomUUID();
      const leaving = new AbortController();
      const answer = gateway.fetch('/v1/images/generations', {
        method: 'POST',
        headers: { ...bearer(customer.key), 'Content-Type': 'application/json', 'X-Request-Id': requestId },
        body: JSON.stringify(image),
        signal: leaving.signal,
      });
      const left = assert.rejects(answer, { name: 'AbortError' });
      await doubtful.loseCommit(how, answer, customer);
      leaving.abort();
      await left;
      await line.restore();
      await until('certainty', async () => ((await doubtful.isInDoubt()) ? undefined : true));
      const tasks = await doubtful.tasksOf(customer);
      assert.equal(tasks.length, wasCommitted ? 1 : 0);
      for (const id of tasks) {
        const record = await gateway.finished(`/v1/images/generations/${id}`, customer.key);
        assert.equal(record.body['status'], 'succeeded');
      }
      assert.deepEqual(await gateway.money(customer.key), { balance: wasCommitted ? 99.8 : 100, held: 0 });
      const lines = logged.filter((one) => one.requestId === requestId);
      const said = lines.filter(({ level }) => level > infoLevel).map(({ msg }) => msg);
      assert.deepEqual(said, ['a caller left while it is in doubt whether its task is there']);
    });
  }
});

describe('the playground of the console', () => {
  test('answers with the one task, once the database is back', async () => {
    const { customer, run } = await owner();
    const answer = run(image);
    await doubtful.loseCommit('mute', answer, customer);
    await line.restore();
    const { status, body } = await answer;
    assert.deepEqual([status, body['status']], [200, 'succeeded'], JSON.stringify(body));
    assert.deepEqual(await doubtful.tasksOf(customer), [body['id']]);
    assert.deepEqual(await gateway.money(customer.key), { balance: 99.8, held: 0 });
  });

  test('answers with the id where the wait ends in doubt, and 503 where there is certainly nothing', async () => {
    const { customer, run } = await owner();
    const answer = run(image, { Prefer: 'wait=1' });
    await doubtful.loseCommit('mute', answer, customer);
    const { status, body } = await answer;
    assert.deepEqual([status, body['status']], [202, 'processing'], JSON.stringify(body));
    await line.restore();
    assert.deepEqual(await doubtful.tasksOf(customer), [body['id']]);
    const record = await gateway.finished(`/v1/images/generations/${String(body['id'])}`, customer.key);
    assert.equal(record.body['status'], 'succeeded');

    const other = run(image);
    await doubtful.loseCommit('silent', other, customer);
    await line.restore();
    const refusal = await other;
    assertError(refusal, 'not_ready');
    assert.deepEqual(await doubtful.tasksOf(customer), [body['id']]);
  });

  /** An owner of an account of its own, who runs images in its playground. */
  async function owner() {
    const customer = await gateway.newKey({ balance: '100' });
    const person = await signedIn(gateway, { memberships: [{ account: customer.account, role: 'owner' }] });
    const path = `/accounts/${customer.account}/v1/images/generations`;
    const run = (body: typeof image, headers: Record<string, string> = {}) => person.call('POST', path, body, headers);
    return { customer, run };
  }
});

describe('an Idempotency-Key', () => {
  test('of an admission that was answered in doubt and never made makes the task, once', async () => {
    const customer = await gateway.newKey({ balance: '100' });
    const keyed = { 'Idempotency-Key': 'a key', Prefer: 'wait=1' };
    const first = postImage(customer, keyed);
    await doubtful.loseCommit('silent', first, customer);
    const { status, body } = await first;
    assert.equal(status, 202);
    await line.restore();
    assertError(await untilAnswered(() => gateway.get(recordOf(body['id']), bearer(customer.key))), 'task_not_found');
    const again = await untilAnswered(() => postImage(customer, { 'Idempotency-Key': 'a key' }));
    assert.deepEqual([again.status, again.body['status']], [200, 'succeeded'], JSON.stringify(again.body));
    assert.deepEqual(await doubtful.tasksOf(customer), [again.body['id']]);
    assert.deepEqual(await gateway.money(customer.key), { balance: 99.8, held: 0 });
  });
});
