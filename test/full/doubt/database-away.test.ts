/** The database is cut off, silent, and back: 503 meanwhile, nothing hangs, and all goes on without a restart. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ChatGateway, hello, startChatGateway, typesOf } from '../../support/chat-gateway.ts';
import { freshDatabase, fromTestRun, type TestDatabase } from '../../support/database.ts';
import { type Line, openLine } from '../../support/line.ts';
import { until } from '../../support/process.ts';
import { chatAnswer, chatStream, deltaEvent } from '../../support/upstream.ts';

const stream = { ...hello, stream: true };
const paths: readonly string[] = [
  '/v1/account',
  '/v1/tasks',
  '/v1/images/generations/img_1',
  '/api/models/health',
  '/v1/models',
];

let made: TestDatabase;
let line: Line;
let chat: ChatGateway;
before(async () => {
  made = await freshDatabase();
  line = await openLine(made.url);
  chat = await startChatGateway({
    servers: { databaseUrl: line.url, temporalAddress: fromTestRun('TEMPORAL_ADDRESS') },
  });
});
after(async () => {
  await line.restore();
  await chat.stop();
  await line.close();
  await made.drop();
});

for (const [what, away] of [
  ['is cut off', () => line.cut()],
  [
    'is silent',
    () => {
      line.silence();
      return Promise.resolve();
    },
  ],
] as const) {
  describe(`a database that ${what}`, () => {
    test('is reported as 503 on every route; a stream under way goes on, and is settled once when it is back', async () => {
      const { gateway, first } = chat;
      const customer = await customerNow();
      const { waits, go } = gate();
      const { pieces = [] } = chatStream(['Hi']);
      first.answers({ pieces: [deltaEvent('Hello'), waits, ...pieces] });
      const open = await customer.open(stream, new AbortController().signal);
      await away();

      const answers = await Promise.all([
        customer.post(hello),
        ...paths.map((path) => gateway.get(path, customer.headers)),
        gateway.post('/v1/images/generations', { model: 'an-image', prompt: 'x' }),
      ]);
      // The key may still be remembered, and a list of models needs nothing else.
      for (const { status, headers, body } of answers.filter((answer) => answer.status !== 200)) {
        assert.equal(status, 503, JSON.stringify(body));
        assert.match(JSON.stringify(body), /"code":"(not_ready|overloaded)"/);
        assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
      }
      assert.ok(answers.filter(({ status }) => status === 503).length >= answers.length - 1);
      assert.equal((await gateway.get('/readyz')).status, 503);
      assert.equal((await gateway.get('/healthz')).status, 200);
      assert.match(String((await gateway.get('/metrics')).body['text']), /tollgate_process_cpu/);
      go();
      assert.match(await open.text(), /\[DONE\]/);

      await line.restore();
      await until('readiness', async () => ((await gateway.get('/readyz')).status === 200 ? true : undefined));
      const { entries } = await customer.settled();
      assert.deepEqual(typesOf(entries).sort(), ['capture', 'hold', 'release']);
      assert.equal(entries.find(({ type }) => type === 'capture')?.['usage_source'], 'upstream');
      first.answers(chatAnswer('Hello!'));
      await customerNow();
      await chat.assertAddsUp();
    });
  });
}

test('a call that fails while the database is away gives its hold back when it is there again', async () => {
  const { first } = chat;
  const customer = await customerNow();
  const { waits, go } = gate();
  first.answers({ pieces: [waits], ending: 'break' });
  const asked = first.requests.length;
  const failing = customer.post(stream);
  await first.received(asked + 1);
  await line.cut();
  go();
  assert.equal((await failing).status, 502);
  await line.restore();
  const { balance, entries } = await customer.settled();
  assert.equal(balance, 100);
  assert.deepEqual(typesOf(entries), ['hold', 'release']);
  await chat.assertAddsUp();
});

test('a keyed answer is delivered, and its key bound when the database is there again', async () => {
  const { first } = chat;
  const customer = await customerNow();
  const key = { 'Idempotency-Key': 'kept' };
  const { waits, go } = gate();
  const json = JSON.stringify(chatAnswer('Hi').json);
  first.answers({ headers: { 'content-type': 'application/json' }, pieces: [waits, json] });
  const asked = first.requests.length;
  const answer = customer.post(hello, key);
  await first.received(asked + 1);
  await line.cut();
  go();
  const { status, body } = await answer;
  assert.equal(status, 200, JSON.stringify(body));
  await line.restore();
  await customer.settled();
  const again = await customer.post(hello, key);
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
  assert.deepEqual(again.body, body);
  assert.equal(first.requests.length, asked + 1);
  await chat.assertAddsUp();
});

/** A customer, once this process takes calls again: without the database for half a minute it does not. */
async function customerNow(): ReturnType<ChatGateway['customer']> {
  const customer = await chat.customer();
  chat.first.answers(chatAnswer('Hello!'));
  await until('a call', async () => ((await customer.post(hello)).status === 200 ? true : undefined));
  return chat.customer();
}

function gate(): { waits: Promise<void>; go: () => void } {
  let go: () => void = () => undefined;
  const waits = new Promise<void>((resolve) => {
    go = resolve;
  });
  return { waits, go };
}
