/** Messages and responses over routes that only have chat completions: translated both ways, charged as the chat that they were. */
/* oxlint-disable typescript/no-unsafe-return -- tests look into answers by name */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type ChatGateway,
  type Customer,
  messagesPath,
  responsesPath,
  startChatGateway,
  typesOf,
} from '../support/chat-gateway.ts';
import { SseDecoder } from '../../src/domain/chat/sse.ts';
import {
  chatAnswer,
  chatEvent,
  chatStream,
  deltaEvent,
  doneEvent,
  errorAnswer,
  usageEvent,
} from '../support/upstream.ts';

let chat: ChatGateway;
before(async () => {
  chat = await startChatGateway();
});
after(() => chat.stop());

const message = { model: 'chat-translated', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] };
const response = { model: 'chat-translated', max_output_tokens: 100, input: 'Hello' };
type Body = Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- tests look into answers by name

const eventsOf = (text: string): Body[] =>
  new SseDecoder().push(Buffer.from(text)).map(({ data }) => JSON.parse(data.toString()) as Body);
const charged = async (customer: Customer) => {
  const { entries } = await customer.settled();
  return [typesOf(entries), entries[1]?.['charged'], entries[1]?.['usage_source']];
};
const paid = (amount: number) => [['hold', 'capture', 'release'], amount, 'upstream'];

for (const [path, body, form, saidIn] of [
  [messagesPath, message, 'messages->chat', (answer: Body) => [answer['type'], answer['content'][0].text]],
  [
    responsesPath,
    response,
    'responses->chat',
    (answer: Body) => [answer['object'], answer['output'][0].content[0].text],
  ],
] as const) {
  test(`${form}: an answer comes in the caller's form, says that it was translated, and is charged as the chat`, async () => {
    const customer = await chat.customer();
    chat.first.answers(chatAnswer('Hi there'));
    const answer = await customer.post(body, {}, path);
    assert.deepEqual([answer.status, answer.headers.get('x-tollgate-translated')], [200, form]);
    assert.deepEqual(saidIn(answer.body), [path === messagesPath ? 'message' : 'response', 'Hi there']);
    const seen = chat.first.requests.at(-1);
    assert.equal(seen?.path, '/v1/chat/completions');
    const { model, messages, max_tokens: most } = seen.json() as Body;
    assert.deepEqual([model, messages, most], ['upstream-one', [{ role: 'user', content: 'Hello' }], 100]);
    assert.deepEqual(await charged(customer), paid(0.012));
  });

  test(`${form}: a stream likewise, whether or not it says [DONE]`, async () => {
    for (const isDone of [true, false]) {
      const customer = await chat.customer();
      chat.first.answers(chatStream(['Hi', ' there'], { isDone }));
      const { text, isWhole } = await customer.raw({ ...body, stream: true }, path);
      const events = eventsOf(text);
      assert.ok(isWhole);
      assert.equal(
        events.map(({ delta }) => (typeof delta === 'string' ? delta : (delta?.text ?? ''))).join(''),
        'Hi there',
      );
      assert.equal(events.at(-1)?.['type'], path === messagesPath ? 'message_stop' : 'response.completed');
      const usage = path === messagesPath ? events.at(-2)?.['usage'] : events.at(-1)?.['response'].usage;
      assert.deepEqual([usage.input_tokens, usage.output_tokens], [9, 2]);
      assert.deepEqual((chat.first.requests.at(-1)?.json() as Body)['stream_options'], { include_usage: true });
      assert.deepEqual(await charged(customer), paid(0.011));
    }
  });

  test(`${form}: where the upstream states no usage, the caller gets the count that it is charged by`, async () => {
    const names = ['input_tokens', 'output_tokens'];
    const countsIn = (usage: Body) => names.map((name) => Number(usage[name]));
    for (const stream of [true, false]) {
      const customer = await chat.customer();
      chat.first.answers(stream ? chatStream(['Hi', ' there'], { hasUsage: false }) : chatAnswer('Hi there', null));
      const { text } = await customer.raw({ ...body, stream }, path);
      const whole = stream ? eventsOf(text).findLast((event) => event['usage'] ?? event['response']?.usage) : undefined;
      const answer = whole ? (whole['response'] ?? whole) : (JSON.parse(text) as Body);
      const said = countsIn(answer['usage'] as Body);
      assert.ok(said.every((count) => count > 0));
      const { entries } = await customer.settled();
      const lines = entries[1]?.['lines'] as Body[];
      assert.deepEqual(
        lines.map(({ units }) => units),
        said,
      );
      assert.equal(entries[1]?.['usage_source'], 'estimated');
    }
  });

  test(`${form}: a stream that breaks ends with an error of the caller's form, and nothing is charged`, async () => {
    const customer = await chat.customer();
    chat.first.answers({ pieces: [deltaEvent('Hel')], ending: 'break' });
    const { text, isWhole } = await customer.raw({ ...body, stream: true }, path);
    assert.ok(!isWhole);
    const last = eventsOf(text).at(-1) ?? {};
    assert.equal(last['type'], 'error');
    assert.ok(path === messagesPath ? last['error'].type === 'api_error' : last['code'] === 'upstream_error');
    assert.deepEqual(typesOf((await customer.settled()).entries), ['hold', 'release']);
  });

  test(`${form}: an Idempotency-Key gives the same translated answer`, async () => {
    const customer = await chat.customer();
    chat.first.answers(chatAnswer('once'));
    const first = await customer.post(body, { 'Idempotency-Key': 'a' }, path);
    const again = await customer.post(body, { 'Idempotency-Key': 'a' }, path);
    assert.deepEqual(again.body, first.body);
    assert.deepEqual(await charged(customer), paid(0.012));
  });
}

test('parallel calls of tools come as blocks one after the other, their arguments as they were streamed', async () => {
  const customer = await chat.customer();
  const calls = (list: object[]) =>
    chatEvent({ choices: [{ index: 0, delta: { tool_calls: list }, finish_reason: null }] });
  chat.first.answers({
    pieces: [
      calls([{ index: 0, id: 'call_a', type: 'function', function: { name: 'read', arguments: '{"path"' } }]),
      calls([{ index: 0, function: { arguments: ':"a"}' } }]),
      calls([{ index: 1, id: 'call_b', type: 'function', function: { name: 'list', arguments: '{}' } }]),
      deltaEvent(null, 'tool_calls'),
      usageEvent(9, 5),
      doneEvent,
    ],
  });
  const tools = ['read', 'list'].map((name) => ({ name, input_schema: { type: 'object' } }));
  const { text } = await customer.raw({ ...message, tools, stream: true }, messagesPath);
  const events = eventsOf(text);
  const started = events.filter(({ type }) => type === 'content_block_start').map(({ content_block: block }) => block);
  assert.deepEqual(started.map(({ id, name }: Body) => [id, name]), [['call_a', 'read'], ['call_b', 'list']]); // oxfmt-ignore
  const args = events.map(({ index, delta }) => (index === 0 ? (delta?.partial_json ?? '') : '')).join('');
  assert.equal(args, '{"path":"a"}');
  assert.equal(events.at(-2)?.['delta'].stop_reason, 'tool_use');
});

test('what has no form in chat is refused by its name, before anything is held', async () => {
  const customer = await chat.customer();
  const asked = chat.first.requests.length;
  const document = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } };
  for (const [path, body, name] of [
    [messagesPath, { ...message, messages: [{ role: 'user', content: [document] }] }, /messages\[0\]\.content\[0\]/],
    [messagesPath, { ...message, top_k: 5 }, /top_k/],
    [responsesPath, { ...response, store: true }, /store/],
  ] as const) {
    const { status, body: answer } = await customer.post(body, {}, path);
    assert.equal(status, 400);
    assert.match((answer as Body)['error'].message, name);
  }
  assert.equal(chat.first.requests.length, asked);
  assert.deepEqual((await customer.settled()).entries, []);
});

test("an upstream's refusal comes in the caller's form", async () => {
  const customer = await chat.customer();
  chat.first.answers(errorAnswer(400, "This model's maximum context length is 8192 tokens."));
  const { status, body } = await customer.post(message, {}, messagesPath);
  const { type, error } = body as Body;
  assert.deepEqual([status, type, error.type], [400, 'error', 'invalid_request_error']);
  assert.match(error.message, /maximum context length/);
});

test('input is counted here, and the ledger adds up', async () => {
  const customer = await chat.customer();
  const body = { model: message.model, messages: message.messages };
  assert.deepEqual((await customer.post(body, {}, `${messagesPath}/count_tokens`)).body, { input_tokens: 3 });
  await chat.assertAddsUp();
});
