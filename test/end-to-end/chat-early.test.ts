/**
 * Calls whose upstream is asked while their hold is still being committed. The commit is made to wait by a lock, so that
 * what happens before it can be seen.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  chatPath,
  type ChatGateway,
  type Customer,
  hello,
  startChatGateway,
  typesOf,
} from '../support/chat-gateway.ts';
import { chatAnswer, chatStream } from '../support/upstream.ts';

let chat: ChatGateway;
before(async () => {
  chat = await startChatGateway({ trustedMs: 60_000 });
});
after(async () => {
  await chat.assertAddsUp();
  await chat.stop();
});

/** A call just made, so that its process knows the rows and is sure of the next one. */
async function known(customer: Customer): Promise<void> {
  chat.first.answers(chatAnswer('Hi'));
  assert.equal((await customer.post(hello)).status, 200);
  await chat.gateway.get('/v1/account', customer.headers); // books the call
}

/** Holds the account's row for as long as `use` takes, and lets go of it with the change that it names. */
async function locked(customer: Customer, use: () => Promise<void>, change?: string): Promise<void> {
  const client = await chat.gateway.core.database.pool.connect();
  try {
    await client.query('begin');
    await client.query('select 1 from accounts where id = $1 for no key update', [customer.account]);
    await use();
    if (change !== undefined) await client.query(change, [customer.account]);
  } finally {
    await client.query('commit');
    client.release();
  }
}

for (const [what, body, answer] of [
  ['an answer', hello, chatAnswer('Hello there')],
  ['a stream', { ...hello, stream: true }, chatStream(['Hello', ' there'])],
] as const) {
  test(`${what} of an upstream that was asked early is delivered after the hold's commit only`, async () => {
    const customer = await chat.customer();
    await known(customer);
    const asked = chat.first.requests.length;
    chat.first.answers(answer);
    let isAnswered = false;
    let call: Promise<Response> | undefined;
    await locked(customer, async () => {
      call = customer.open(body, new AbortController().signal).then((response) => {
        isAnswered = true;
        return response;
      });
      await chat.first.received(asked + 1);
      // The upstream's whole answer is on its way; other calls go through meanwhile.
      await chat.gateway.get('/v1/models', customer.headers);
      assert.equal(isAnswered, false);
    });
    const response = await call;
    assert.equal(response?.status, 200);
    assert.match(await response.text(), /Hello/);
    assert.equal(chat.first.requests.length, asked + 1);
    const { entries } = await customer.settled();
    assert.deepEqual(typesOf(entries), ['hold', 'capture', 'release', 'hold', 'capture', 'release']);
  });
}

test('a call that is refused after all is ended at the upstream, and nothing of its answer is delivered', async () => {
  const customer = await chat.customer();
  await known(customer);
  const [asked, aborted] = [chat.first.requests.length, chat.first.aborted];
  chat.first.answers({ headers: { 'content-type': 'application/json' }, pieces: ['{"id":'], ending: 'stall' });
  let call: ReturnType<Customer['post']> | undefined;
  await locked(
    customer,
    async () => {
      call = customer.post(hello);
      await chat.first.received(asked + 1);
    },
    `update accounts set status = 'suspended' where id = $1`,
  );
  const answer = await call;
  assert.deepEqual([answer?.status, answer?.body['error'].code], [403, 'account_suspended']);
  await chat.first.abortions(aborted + 1);
  await chat.gateway.core.database.pool.query(`update accounts set status = 'active' where id = $1`, [
    customer.account,
  ]);
  assert.deepEqual(typesOf((await customer.settled()).entries), ['hold', 'capture', 'release']);
});

test('a route that failed early falls over to the next one once the hold is there', async () => {
  const customer = await chat.customer();
  await known(customer);
  const asked = chat.first.requests.length;
  chat.first.answers({ status: 500, json: { error: { message: 'no' } } });
  chat.second.answers(chatAnswer('From the second'));
  let call: ReturnType<Customer['post']> | undefined;
  await locked(customer, async () => {
    call = customer.post({ ...hello, model: 'chat-two' });
    await chat.first.received(asked + 1);
  });
  const answer = await call;
  assert.equal(answer?.status, 200);
  assert.equal(answer.body['choices'][0].message.content, 'From the second');
});

for (const [what, prepare] of [
  ['whose process has not seen its account', () => chat.customer()],
  [
    'near its balance',
    async () => {
      const customer = await chat.customer('20');
      await known(customer);
      return customer;
    },
  ],
  [
    'near a call limit',
    async () => {
      const customer = await chat.customer('100', { callLimits: [{ calls: 50, per: 'day' }] });
      await known(customer);
      return customer;
    },
  ],
] as const) {
  test(`a call ${what} waits for its hold before the upstream is asked`, async () => {
    const customer = await prepare();
    const asked = chat.first.requests.length;
    chat.first.answers(chatAnswer('Hi'));
    let call: ReturnType<Customer['post']> | undefined;
    await locked(customer, async () => {
      call = customer.post(hello);
      await waitingForLock();
      assert.equal(chat.first.requests.length, asked);
    });
    assert.equal((await call)?.status, 200);
  });
}

test('a call under an Idempotency-Key waits for its hold', async () => {
  const customer = await chat.customer();
  await known(customer);
  const asked = chat.first.requests.length;
  let call: ReturnType<Customer['post']> | undefined;
  await locked(customer, async () => {
    call = customer.post(hello, { 'Idempotency-Key': 'early' }, chatPath);
    await waitingForLock();
    assert.equal(chat.first.requests.length, asked);
  });
  assert.equal((await call)?.status, 200);
});

async function waitingForLock(): Promise<void> {
  for (;;) {
    const { rowCount } = await chat.gateway.core.database.pool.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rowCount !== 0) return;
  }
}
