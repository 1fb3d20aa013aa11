/** Chat completions that go well: what reaches the upstream, what reaches the caller, and what it costs. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { toAmount } from '../../src/domain/money.ts';
import { listWriteOffs } from '../../src/ledger/write-offs.ts';
import { assertError } from '../support/errors.ts';
import { type ChatGateway, chatPath, hello, startChatGateway, typesOf, wireOf } from '../support/chat-gateway.ts';
import { chatAnswer, chatEvent, chatStream, deltaEvent, doneEvent, usageEvent } from '../support/upstream.ts';

let chat: ChatGateway;
before(async () => {
  chat = await startChatGateway();
});
after(() => chat.stop());

const stream = { ...hello, stream: true };

test('an answer passes byte for byte, under the JSON content type', async () => {
  const customer = await chat.customer();
  const odd =
    '{ "usage" : {"prompt_tokens":9,"completion_tokens":3},  "zz":1.0, "model":"upstream-model-2",\n"choices":[] }';
  chat.first.answers({ headers: { 'content-type': 'application/json' }, pieces: [odd] });
  const answer = await customer.raw(hello);
  assert.equal(answer.status, 200);
  assert.equal(answer.text, odd);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  assert.match(answer.headers.get('x-request-id') ?? '', /^[\w.-]{1,128}$/);
});

test('a body reaches the upstream as it came, but for the model', async () => {
  const customer = await chat.customer();
  chat.first.answers(chatAnswer('Hi'));
  const sent = `{"zz":[1.50, {"model":"mine"}],\n "model" : "chat-one","messages":[{"role":"user","content":"\\u4f60 model"}],"seed":9007199254740993}`;
  await chat.gateway.fetch(chatPath, {
    method: 'POST',
    headers: { ...customer.headers, 'Content-Type': 'application/json', 'X-Request-Id': 'mine-1' },
    body: sent,
  });
  const seen = chat.first.requests.at(-1);
  assert.equal(seen?.body.toString(), sent.replace('"chat-one"', '"upstream-one"'));
  assert.equal(seen.path, chatPath);
  assert.equal(seen.headers.authorization, 'Bearer sk-of-the-operator-1');
  assert.equal(seen.headers['x-request-id'], 'mine-1');
});

test('the second deployment serves the same', async () => {
  const customer = await chat.customer();
  chat.first.answers(chatAnswer('Hi'));
  assert.equal((await customer.raw(hello, '/ai/v1/chat/completions')).status, 200);
});

test('a stream asks the upstream for usage, and passes byte for byte but for the usage chunk', async () => {
  const customer = await chat.customer();
  const answer = chatStream(['你好', ', ', 'you']);
  chat.first.answers(answer);
  const { status, headers, text } = await customer.raw(stream);
  assert.equal(status, 200);
  assert.match(headers.get('content-type') ?? '', /^text\/event-stream/);
  assert.match(headers.get('cache-control') ?? '', /no-cache/);
  assert.equal(headers.get('x-accel-buffering'), 'no');
  assert.equal(text, wireOf(answer).replace(usageEvent(9, 3), ''));
  assert.deepEqual(chat.first.requests.at(-1)?.json(), {
    ...stream,
    model: 'upstream-one',
    stream_options: { include_usage: true },
  });
});

test('the usage chunk is for a caller that asked for it', async () => {
  const customer = await chat.customer();
  const answer = chatStream(['Hi']);
  chat.first.answers(answer);
  const { text } = await customer.raw({ ...stream, stream_options: { include_usage: true, other: 1 } });
  assert.equal(text, wireOf(answer));
  const seen = chat.first.requests.at(-1)?.json() as Record<string, unknown>;
  assert.deepEqual(seen['stream_options'], { include_usage: true, other: 1 });
});

test('comments, event names and odd line ends of an upstream are dropped, split wherever they may be', async () => {
  const customer = await chat.customer();
  const [one, two] = [deltaEvent('你'), deltaEvent(null, 'stop')];
  const odd = `: hello\r\n\r\nevent: x\r\nid: 7\r\n${one.trimEnd()}\r\n\r\n:\n\n${two.trimEnd()}\r\r${doneEvent}`;
  chat.first.answers({ pieces: [odd], isByteByByte: true });
  assert.equal((await customer.raw(stream)).text, one + two + doneEvent);
});

test('a compressed stream and a compressed answer arrive plain', async () => {
  const customer = await chat.customer();
  const answer = chatStream(['Hi']);
  chat.first.answers({ ...answer, encoding: 'gzip' });
  const streamed = await customer.raw(stream);
  assert.equal(streamed.text, wireOf(answer).replace(usageEvent(9, 1), ''));
  chat.first.answers({ ...chatAnswer('Hi'), encoding: 'gzip' });
  const { text, headers } = await customer.raw(hello);
  assert.deepEqual(JSON.parse(text), chatAnswer('Hi').json);
  assert.equal(headers.get('content-encoding'), null);
});

test('a chunk reaches the caller before the next one is there', async () => {
  const customer = await chat.customer();
  let go = () => {};
  const rest = new Promise<void>((resolve) => (go = resolve));
  chat.first.answers({ pieces: [deltaEvent('a'), rest, deltaEvent(null, 'stop'), doneEvent] });
  const { body } = await customer.open(stream, new AbortController().signal);
  const reader = body?.getReader();
  const firstRead = await reader?.read();
  assert.equal(Buffer.from(firstRead?.value ?? []).toString(), deltaEvent('a'));
  go();
  let text = '';
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read())
    text += Buffer.from(read.value).toString();
  assert.equal(text, deltaEvent(null, 'stop') + doneEvent);
});

test('an upstream that closes without [DONE] after every finish reason has given a whole answer', async () => {
  const customer = await chat.customer();
  const pieces = [deltaEvent('a'), deltaEvent(null, 'stop', 0), deltaEvent(null, 'length', 1)];
  chat.first.answers({ pieces });
  const { text } = await customer.raw({ ...stream, n: 2 });
  assert.equal(text, pieces.join('') + doneEvent);
  const { entries } = await customer.settled();
  assert.equal(entries[1]?.['usage_source'], 'estimated');
});

test('an event of 10 MB passes', async () => {
  const customer = await chat.customer();
  const large = deltaEvent('x'.repeat(10 * 1024 * 1024));
  chat.first.answers({ pieces: [large, deltaEvent(null, 'stop'), usageEvent(), doneEvent] });
  assert.equal((await customer.raw(stream)).text, large + deltaEvent(null, 'stop') + doneEvent);
});

test('usage is captured to the token, cached input at its own price, and the rest of the hold is released', async () => {
  const customer = await chat.customer();
  const usage = {
    ...{ prompt_tokens: 20, completion_tokens: 7, total_tokens: 27 },
    prompt_tokens_details: { cached_tokens: 5 },
  };
  chat.first.answers(chatAnswer('Hi', usage));
  assert.equal((await customer.post(hello)).status, 200);
  const { balance, entries } = await customer.settled();
  // 15 x 0.001 + 5 x 0.0001 + 7 x 0.001
  assert.equal(balance, 99.9775);
  const input = Math.ceil(JSON.stringify(hello).length / 2);
  const hold = (input + 4096) / 1000;
  assert.deepEqual(
    entries.map(({ type, amount, charged }) => ({ type, amount, charged })),
    [
      { type: 'hold', amount: -hold, charged: 0 },
      { type: 'capture', amount: 0, charged: 0.0225 },
      { type: 'release', amount: Number((hold - 0.0225).toFixed(6)), charged: 0 },
    ],
  );
  const { usage_source, unit_price, units, unit, lines, request_id, model } = entries[1] ?? {};
  assert.deepEqual(
    { usage_source, unit_price, units, unit, model },
    { usage_source: 'upstream', unit_price: null, units: 27, unit: 'token', model: 'chat-one' },
  );
  assert.equal(request_id, entries[0]?.['request_id']);
  assert.deepEqual(lines, [
    { unit: 'input_token', units: 15, unit_price: 0.001, amount: 0.015 },
    { unit: 'cached_input_token', units: 5, unit_price: 0.0001, amount: 0.0005 },
    { unit: 'output_token', units: 7, unit_price: 0.001, amount: 0.007 },
  ]);
});

test('a stream is charged by the usage chunk that its caller did not see', async () => {
  const customer = await chat.customer();
  chat.first.answers(chatStream(['a', 'b', 'c']));
  await customer.raw(stream);
  const { balance, entries } = await customer.settled();
  assert.equal(balance, 99.988);
  assert.equal(entries[1]?.['usage_source'], 'upstream');
});

for (const [what, body] of [
  ['an answer', hello],
  ['a stream', stream],
] as const) {
  test(`${what} without usage is counted here, and the receipt says so`, async () => {
    const customer = await chat.customer();
    chat.first.answers(
      body === stream ? chatStream(['Hello', ' there'], { hasUsage: false }) : chatAnswer('Hello there', null),
    );
    assert.equal((await customer.raw(body)).status, 200);
    const { entries } = await customer.settled();
    const capture = entries[1] ?? {};
    assert.equal(capture['usage_source'], 'estimated');
    assert.equal(capture['lines'][1].units, 2, '"Hello there" has two tokens');
    assert.equal(capture['lines'][0].units, 3, '"user" and "Hello", in two lines');
  });
}

test('an estimate is never above the hold', async () => {
  const customer = await chat.customer();
  chat.first.answers(chatAnswer('far more than a single token, whatever the tokenizer', null));
  await customer.post({ ...hello, max_tokens: 1 });
  const { entries } = await customer.settled();
  const [hold, capture] = entries;
  assert.ok(capture?.['charged'] <= -hold?.['amount']);
  assert.equal(capture?.['usage_source'], 'estimated');
});

test('a price above the hold is taken from what is available, the rest written off, and the account has to pay first', async () => {
  const customer = await chat.customer('0.06');
  chat.first.answers(chatAnswer('Hi', { prompt_tokens: 60, completion_tokens: 20 }));
  assert.equal((await customer.post({ ...hello, max_tokens: 1 })).status, 200);
  const { balance, entries } = await customer.settled();
  assert.equal(balance, 0);
  assert.deepEqual(typesOf(entries), ['hold', 'capture', 'write_off']);
  // What an entry earned: the write-off's part is not charged.
  assert.equal(entries[1]?.['charged'], 0.06);
  const seen = chat.first.requests.length;
  assertError(await customer.post({ ...hello, max_tokens: 1 }), 'insufficient_balance');
  assert.equal(chat.first.requests.length, seen);
  await chat.gateway.core.ledger.credit(customer.account, 1_000_000n as never, 'paid');
  chat.first.answers(chatAnswer('Hi'));
  assert.equal((await customer.post({ ...hello, max_tokens: 1 })).status, 200);
});

test("tokens that an upstream can not have used are charged up to twice the hold; the rest is the operator's and listed", async () => {
  const customer = await chat.customer('1000000');
  chat.first.answers(chatAnswer('Hi', { prompt_tokens: 999_999_999, completion_tokens: 1 }));
  assert.equal((await customer.post({ ...hello, max_tokens: 10 })).status, 200);
  const { balance, entries } = await customer.settled();
  assert.deepEqual(typesOf(entries), ['hold', 'capture', 'write_off']);
  const [hold = {}, capture = {}, writeOff = {}] = entries;
  assert.equal(capture['charged'], -2 * hold['amount']);
  assert.equal(balance, 1_000_000 - capture['charged']);
  assert.equal(writeOff['reason'], 'implausible_usage');
  const { database } = chat.gateway.core;
  const since = new Date(Date.now() - 86_400_000);
  const listed = await listWriteOffs(database, { account: customer.account, since, limit: 10 }, new Date());
  assert.deepEqual(
    listed.map(({ model, amount, charged, reason }) => [model, toAmount(amount), toAmount(charged), reason]),
    [['chat-one', 1_000_000 - capture['charged'], capture['charged'], 'implausible_usage']],
  );
  const other = { account: customer.account, reason: 'owner_lost', since, limit: 10 };
  assert.deepEqual(await listWriteOffs(database, other, new Date()), []);
  const metrics = await (await fetch(`${chat.gateway.url}/metrics`)).text();
  assert.match(metrics, /^tollgate_implausible_usage_total\{model="chat-one"\} 1$/m);
  // It owes nothing.
  chat.first.answers(chatAnswer('Hi'));
  assert.equal((await customer.post({ ...hello, max_tokens: 1 })).status, 200);
  assert.equal((await customer.settled()).entries.at(-1)?.['type'], 'release');
});

const holds: [what: string, body: Record<string, unknown>, tokens: number][] = [
  ['max_tokens', { max_tokens: 10 }, 10],
  ['max_completion_tokens', { max_completion_tokens: 20 }, 20],
  ['the larger one of both', { max_tokens: 10, max_completion_tokens: 20 }, 20],
  ['4,096 with neither', {}, 4096],
  ['each choice', { max_tokens: 10, n: 3 }, 30],
  ["no more than the model's cap", { model: 'chat-capped', max_tokens: 1_000_000, n: 2 }, 200],
  ["the model's cap with neither", { model: 'chat-capped' }, 100],
];
for (const [what, fields, tokens] of holds) {
  test(`a hold counts ${what}`, async () => {
    const customer = await chat.customer();
    chat.first.answers(chatAnswer('Hi'));
    const body = { ...hello, ...fields };
    assert.equal((await customer.post(body)).status, 200);
    const { entries } = await customer.settled();
    assert.equal(entries[0]?.['amount'], -(Math.ceil(JSON.stringify(body).length / 2) + tokens) / 1000);
  });
}

test('an image of a message is held as an image, not by its bytes', async () => {
  const customer = await chat.customer();
  chat.first.answers(chatAnswer('A gate'));
  const url = `data:image/png;base64,${'A'.repeat(1_000_000)}`;
  const content = [{ type: 'image_url', image_url: { url } }];
  const body = { ...hello, max_tokens: 1, messages: [{ role: 'user', content }] };
  assert.equal((await customer.post(body)).status, 200);
  const { entries } = await customer.settled();
  const rest = Math.ceil((JSON.stringify(body).length - url.length) / 2);
  assert.equal(entries[0]?.['amount'], -(rest + 1600 + 1) / 1000);
});

test('tool calls pass both ways', async () => {
  const customer = await chat.customer();
  const call = { id: 'call_1', type: 'function', function: { name: 'gate', arguments: '{"open":true}' } };
  const events = [
    chatEvent({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call }] }, finish_reason: null }] }),
    deltaEvent(null, 'tool_calls'),
  ];
  chat.first.answers({ pieces: [...events, doneEvent] });
  const body = {
    ...stream,
    tools: [{ type: 'function', function: { name: 'gate', parameters: { type: 'object' } } }],
    messages: [
      ...hello.messages,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'open' },
    ],
  };
  assert.equal((await customer.raw(body)).text, events.join('') + doneEvent);
});

test('the ledger adds up', () => chat.assertAddsUp());
