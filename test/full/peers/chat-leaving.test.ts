/** Callers that go away: the upstream is let go, what was produced is charged, and nothing is left open. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import type pg from 'pg';
import { type ChatGateway, chatPath, type Customer, hello, startChatGateway } from '../../support/chat-gateway.ts';
import { assertError } from '../../support/errors.ts';
import { chatAnswer, deltaEvent, doneEvent, usageEvent } from '../../support/upstream.ts';

let chat: ChatGateway;
before(async () => {
  chat = await startChatGateway();
});
after(() => chat.stop());

const stream = { ...hello, stream: true };
const inputTokens = 3; // "user" and "Hello", in two lines

/** Reads the first chunk and hangs up. */
async function leaveAfterFirstChunk(customer: Customer, body: unknown): Promise<void> {
  const leaving = new AbortController();
  const response = await customer.open(body, leaving.signal);
  await response.body?.getReader().read();
  leaving.abort();
}

/** Half of the time after which a silent upstream is let go anyway. */
const timeout = 30_000;

test(
  'a caller that leaves mid-stream: the upstream is let go, and what was produced is charged',
  { timeout },
  async () => {
    const customer = await chat.customer();
    const before = chat.first.aborted;
    chat.first.answers({ pieces: [deltaEvent('Hello there')], ending: 'stall' });
    await leaveAfterFirstChunk(customer, stream);
    await chat.first.abortions(before + 1);
    const { entries } = await customer.settled();
    assert.equal(entries[1]?.['usage_source'], 'estimated');
    assert.equal(entries[1]['charged'], (inputTokens + 2) / 1000);
  },
);

test('usage that the upstream had sent before the caller left wins', async () => {
  const customer = await chat.customer();
  chat.first.answers({ pieces: [usageEvent(9, 3) + deltaEvent('Hello')], ending: 'stall' });
  await leaveAfterFirstChunk(customer, stream);
  const { entries } = await customer.settled();
  assert.equal(entries[1]?.['usage_source'], 'upstream');
  assert.equal(entries[1]['charged'], 0.012);
});

test('a stream that was left was charged, so its Idempotency-Key gives no second one', async () => {
  const customer = await chat.customer();
  chat.first.answers({ pieces: [deltaEvent('Hello')], ending: 'stall' });
  const keyed = { ...customer.headers, 'Content-Type': 'application/json', 'Idempotency-Key': 'left' };
  const leaving = new AbortController();
  const init = { method: 'POST', headers: keyed, body: JSON.stringify(stream), signal: leaving.signal };
  await (await chat.gateway.fetch(chatPath, init)).body?.getReader().read();
  leaving.abort();
  await customer.settled();
  assertError(await customer.post(stream, { 'Idempotency-Key': 'left' }), 'idempotency_key_used');
});

for (const body of [hello, stream]) {
  test(`a caller that leaves before the answer pays its counted input only${body === stream ? ', streamed' : ''}`, async () => {
    const customer = await chat.customer();
    const [asked, before] = [chat.first.requests.length, chat.first.aborted];
    chat.first.answers({ ending: 'stall-before' });
    const leaving = new AbortController();
    const call = customer.open({ ...body, model: 'chat-two' }, leaving.signal);
    await chat.first.received(asked + 1);
    const other = chat.second.requests.length;
    leaving.abort();
    await assert.rejects(call);
    await chat.first.abortions(before + 1);
    const { entries } = await customer.settled();
    assert.equal(entries[1]?.['charged'], inputTokens / 1000);
    assert.equal(entries[1]['usage_source'], 'estimated');
    assert.equal(chat.second.requests.length, other, 'no other route is asked for it');
  });
}

test('a caller that leaves in the middle of an answer that is not streamed pays its counted input only', async () => {
  const customer = await chat.customer();
  const [asked, before] = [chat.first.requests.length, chat.first.aborted];
  chat.first.answers({ headers: { 'content-type': 'application/json' }, pieces: ['{"id":'], ending: 'stall' });
  const leaving = new AbortController();
  const call = customer.open(hello, leaving.signal);
  await chat.first.received(asked + 1);
  leaving.abort();
  await assert.rejects(call);
  await chat.first.abortions(before + 1);
  assert.equal((await customer.settled()).entries[1]?.['charged'], inputTokens / 1000);
});

test('a caller that leaves while its hold waits for the database is noticed, and the upstream is not asked', async () => {
  const customer = await chat.customer();
  const asked = chat.first.requests.length;
  chat.first.answers({ ending: 'stall-before' });
  const client = await chat.gateway.core.database.pool.connect();
  try {
    await client.query('begin');
    await client.query('select 1 from accounts where id = $1 for update', [customer.account]);
    const leaving = new AbortController();
    const call = customer.open(stream, leaving.signal);
    await blockedBy(client);
    leaving.abort();
    await assert.rejects(call);
    await closedAtGateway();
  } finally {
    await client.query('commit');
    client.release();
  }
  await heldFor(customer);
  const { entries } = await customer.settled();
  assert.equal(entries[1]?.['charged'], inputTokens / 1000);
  assert.equal(chat.first.requests.length, asked);
});

test('a model set to drain is read to its end, and charged by its usage', async () => {
  const customer = await chat.customer();
  const before = chat.first.aborted;
  let go = () => {};
  const left = new Promise<void>((resolve) => (go = resolve));
  const many = Array.from({ length: 2000 }, (_, index) => deltaEvent(`${index} ${'x'.repeat(500)}`));
  chat.first.answers({
    pieces: [deltaEvent('Hello'), left, ...many, deltaEvent(null, 'stop'), usageEvent(9, 2001), doneEvent],
  });
  await leaveAfterFirstChunk(customer, { ...stream, model: 'chat-drained' });
  await closedAtGateway();
  go();
  const { entries } = await customer.settled();
  assert.equal(entries[1]?.['usage_source'], 'upstream');
  assert.equal(entries[1]['charged'], 2.01);
  assert.equal(chat.first.aborted, before);
});

test('a caller that reads slowly and then leaves a drained stream does not hold it up', async () => {
  const customer = await chat.customer();
  const many = Array.from({ length: 400 }, (_, index) => deltaEvent(`${index} ${'x'.repeat(50_000)}`));
  chat.first.answers({ pieces: [...many, deltaEvent(null, 'stop'), usageEvent(9, 400), doneEvent] });
  await leaveAfterFirstChunk(customer, { ...stream, model: 'chat-drained' });
  const { entries } = await customer.settled();
  assert.equal(entries[1]?.['charged'], 0.409);
});

test('a caller that reads slowly gets everything, and holds the upstream back meanwhile', async () => {
  const customer = await chat.customer();
  let sent = 0;
  const many = Array.from({ length: 600 }, (_, index) => deltaEvent(`${index} ${'x'.repeat(50_000)}`));
  chat.first.answers({ pieces: [...many, deltaEvent(null, 'stop'), doneEvent] });
  const body = JSON.stringify(stream);
  const { hostname, port } = new URL(chat.gateway.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST ${chatPath} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${customer.key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  let tail = '';
  for await (const piece of socket) {
    const bytes = piece as Buffer;
    sent += bytes.length;
    tail = (tail + bytes.toString('latin1')).slice(-200);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(sent > 600 * 50_000);
  assert.match(tail, /data: \[DONE\]\n\n/);
});

test('two hundred callers that leave mid-stream leave nothing behind', async () => {
  const customer = await chat.customer('10000');
  const before = chat.first.aborted;
  chat.first.answers({ pieces: [deltaEvent('Hello')], ending: 'stall' });
  await Promise.all(Array.from({ length: 200 }, () => leaveAfterFirstChunk(customer, stream)));
  await chat.first.abortions(before + 200);
  const { balance } = await customer.settled();
  assert.equal(balance, 10000 - (200 * (inputTokens + 1)) / 1000);
  // One call leaves one connection, which is kept for the next.
  chat.first.answers(chatAnswer('Hi'));
  await customer.post(hello);
  await chat.first.hungUp(2);
});

test('two hundred callers that leave at any moment before their answer leave nothing behind', async () => {
  const customer = await chat.customer('10000');
  chat.first.answers({ ending: 'stall-before' });
  await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const leaving = new AbortController();
      const call = customer.open(stream, leaving.signal);
      setTimeout(() => leaving.abort(), index % 40);
      await assert.rejects(call);
    }),
  );
  await customer.settled();
});

test('the ledger adds up', () => chat.assertAddsUp());

/** Resolves when the gateway has seen its caller's connection close. */
async function closedAtGateway(): Promise<void> {
  // The close travels over loopback; a request of our own on a new connection comes after it.
  await chat.gateway.fetch('/healthz', { headers: { Connection: 'close' } });
  await chat.gateway.fetch('/healthz', { headers: { Connection: 'close' } });
}

/** Resolves when a hold of the customer is in the database, ended or not. */
async function heldFor({ account }: Customer): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    const { rowCount } = await chat.gateway.core.database.pool.query('select 1 from holds where account_id = $1', [
      account,
    ]);
    if (rowCount !== 0) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail('the call was not held');
}

/** Resolves when another connection waits for this one's locks. */
async function blockedBy(client: pg.PoolClient): Promise<void> {
  const text = 'select 1 from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))';
  for (let tries = 0; tries < 500; tries++) {
    if ((await client.query(text)).rowCount !== 0) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail('no statement waits for the lock');
}
