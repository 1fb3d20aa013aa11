/**
 * What may still be carried out when the API has given it up: a server that was frozen, and bookings whose answer was lost.
 * Nothing is done after a caller got the answer that it was not, and nothing is booked twice.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import {
  bookingBytes,
  type Customer,
  type DoubtfulGateway,
  mark,
  startDoubtfulGateway,
  untilAnswered,
} from '../support/doubt.ts';
import { assertError } from '../support/errors.ts';
import { bearer, type TestGateway } from '../support/gateway.ts';
import { type Line, openLine } from '../support/line.ts';
import { type ConsoleClient, signedIn } from '../support/people.ts';
import { Installation, until } from '../support/process.ts';

let doubtful: DoubtfulGateway;
let gateway: TestGateway;
let line: Line;
before(async () => {
  doubtful = await startDoubtfulGateway();
  ({ gateway, line } = doubtful);
});
after(() => doubtful.stop());
afterEach(() => doubtful.restore());

const postImage = ({ key }: Customer, headers: Record<string, string> = {}, prompt = mark) =>
  gateway.post('/v1/images/generations', { model: 'sim-image', prompt }, { ...bearer(key), ...headers });
const recordOf = (id: unknown): string => `/v1/images/generations/${String(id)}`;

describe('a frozen server that goes on when the API has given it up', () => {
  test('carries the admission out that was answered by its id, and its task is done and charged once', async () => {
    const customer = await gateway.newKey({ balance: '100' });
    const held = line.holds(mark);
    const answer = postImage(customer, { Prefer: 'wait=1' });
    await held;
    line.silence();
    const { status, body } = await answer;
    assert.deepEqual([status, body['status']], [202, 'processing'], JSON.stringify(body));
    assert.deepEqual(await doubtful.tasksOf(customer), []);
    await line.release();
    await line.restore();
    const there = await doubtful.tasksOf(customer);
    // It may have held locks: then the server has ended it itself meanwhile, and there is no task.
    if (there.length === 0) {
      assertError(await gateway.get(recordOf(body['id']), bearer(customer.key)), 'task_not_found');
      return;
    }
    assert.deepEqual(there, [body['id']]);
    const record = await gateway.finished(recordOf(body['id']), customer.key);
    assert.equal(record.body['status'], 'succeeded');
    assert.deepEqual(await gateway.money(customer.key), { balance: 99.8, held: 0 });
  });

  test('can no more carry out an admission after the caller got the answer that nothing was made', async () => {
    const customer = await gateway.newKey({ balance: '100' });
    const before = await postImage(customer, {}, 'from here on the rows are known');
    const held = line.holds(mark);
    const answer = postImage(customer);
    await held;
    const refusal = await answer;
    assertError(refusal, 'not_ready');
    assert.match(refusal.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    await line.release();
    assert.deepEqual(await doubtful.tasksOf(customer), [before.body['id']]);
    const again = await postImage(customer, {}, 'as the answer asks');
    assert.equal(again.status, 200, JSON.stringify(again.body));
    assert.deepEqual((await doubtful.tasksOf(customer)).sort(), [before.body['id'], again.body['id']].sort());
    assert.deepEqual(await gateway.money(customer.key), { balance: 99.6, held: 0 });
  });
});

describe('a booking in doubt', () => {
  for (const { kind, amount, becomes } of [
    { kind: 'credits', amount: '5', becomes: 105 },
    { kind: 'adjustments', amount: '-5', becomes: 95 },
  ]) {
    for (const how of ['mute', 'silent'] as const) {
      const was = how === 'mute' ? 'was carried out' : 'was not';
      test(`of the console's ${kind} that ${was} is reported, and the same form books it once`, async () => {
        const { customer, operator } = await bookingCustomer();
        const path = `/operator/accounts/${customer.account}/${kind}`;
        const form = { request: randomUUID(), amount, reason: mark };
        const book = () => operator.call('POST', path, form);
        const answer = book();
        await doubtful.loseCommit(how, answer, customer, bookingBytes);
        const reported = await answer;
        assertError(reported, 'outcome_unknown');
        assert.deepEqual(
          [reported.headers.get('x-should-retry'), reported.headers.get('retry-after')],
          ['false', null],
        );
        assert.match(JSON.stringify(reported.body['error']), new RegExp(`same request id, ${form.request}`));
        await line.restore();
        const again = await untilAnswered(book);
        assert.deepEqual([again.status, again.body['is_new']], [200, how === 'silent'], JSON.stringify(again.body));
        assert.deepEqual(await gateway.money(customer.key), { balance: becomes, held: 0 });
      });
    }
  }

  test('of the command line says where to look, and is not tried again', async () => {
    const { customer } = await bookingCustomer();
    const own = await openLine(doubtful.databaseUrl);
    const home = await Installation.make({
      DATABASE_URL: own.url,
      TOLLGATE_SECRET: 'a secret of the tests with 40 characters',
    });
    try {
      for (const args of [
        ['credit', customer.account, '5'],
        ['adjust', customer.account, '-2'],
      ]) {
        const failed = own.fails('mute', bookingBytes);
        const run = home.run(['accounts', ...args, '--reason', mark]);
        await Promise.race([failed, run.then((early) => assert.fail(JSON.stringify(early)))]);
        await until('the commit', async () =>
          (await doubtful.bookingsOf(customer)) > (args[0] === 'credit' ? 0 : 1) ? true : undefined,
        );
        await own.cut();
        const { code, stdout, stderr } = await run;
        assert.deepEqual({ code, stdout }, { code: 1, stdout: '' }, stderr);
        assert.match(stderr, new RegExp(`may not have been made\\. Check the ledger of ${customer.account} before`));
        await own.restore();
      }
      assert.deepEqual(await gateway.money(customer.key), { balance: 103, held: 0 });
    } finally {
      await home.remove();
      await own.close();
    }
  });

  async function bookingCustomer(): Promise<{ customer: Customer; operator: ConsoleClient }> {
    const customer = await gateway.newKey({ balance: '100' });
    return { customer, operator: await signedIn(gateway, { memberships: [], isOperator: true }) };
  }
});
