/** Upstreams that answer oddly, on both endpoints; and each value's last allowed and first refused one, as the upstream sees them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type ChatGateway,
  chatPath,
  hello,
  responsesPath,
  startChatGateway,
  typesOf,
  wireOf,
} from '../../support/chat-gateway.ts';
import { assertError } from '../../support/errors.ts';
import {
  type Answer,
  chatAnswer,
  chatStream,
  deltaEvent,
  doneEvent,
  errorAnswer,
  responsesEvent,
  responsesStream,
  usageEvent,
} from '../../support/upstream.ts';

let chat: ChatGateway;
before(async () => {
  chat = await startChatGateway();
});
after(() => chat.stop());

const mebibyte = 1024 * 1024;
const ask = { model: 'code-one', input: 'Hello' };
let responses = 0;
const newId = () => `resp_odd_${++responses}`;
const responseAnswer = (): Answer => ({
  json: {
    ...{ id: newId(), object: 'response', status: 'completed', output: [] },
    usage: { input_tokens: 9, output_tokens: 3 },
  },
});

/** What the two endpoints have in common. */
const endpoints = [
  {
    what: 'chat',
    path: chatPath,
    body: hello,
    two: 'chat-two',
    whole: () => chatAnswer('Hi'),
    stream: () => chatStream(['Hi', '你']),
    seen: (answer: Answer) => wireOf(answer).replace(usageEvent(9, 2), ''),
  },
  {
    what: 'responses',
    path: responsesPath,
    body: ask,
    two: 'code-two',
    whole: responseAnswer,
    stream: () => responsesStream(['Hi', '你'], 'completed', newId()),
    seen: wireOf,
  },
];

const faults: [what: string, answer: () => Answer, only?: 'whole' | 'stream'][] = [
  ...[401, 404, 429, 500].map((status): [string, () => Answer] => [`${status}`, () => errorAnswer(status, 'Oh')]),
  ['nothing', () => ({ pieces: [] })],
  ['nothing, and closes before its head', () => ({ ending: 'break-before' })],
  ['nothing, and closes after its head', () => ({ pieces: [], ending: 'break' })],
  ['a page', () => ({ headers: { 'content-type': 'text/html' }, pieces: ['<html>Hello</html>'] })],
  ['JSON that is cut', () => ({ headers: { 'content-type': 'application/json' }, pieces: ['{"id":"x","cho'] })],
  ['JSON that is no object', () => ({ json: ['x'] })],
  ['a stream where none was asked for', () => chatStream(['Hi']), 'whole'],
  ['JSON where a stream was asked for', () => chatAnswer('Hi'), 'stream'],
  ['gzip that is none', () => ({ headers: { 'content-encoding': 'gzip' }, pieces: ['no gzip'] })],
  ['an unknown coding', () => ({ ...chatAnswer('Hi'), headers: { 'content-encoding': 'zz' } })],
];

for (const { what, path, body, two, whole, stream, seen } of endpoints) {
  for (const [how, answer, only] of faults) {
    for (const streamed of [false, true]) {
      if (only === (streamed ? 'whole' : 'stream')) continue;
      const title = `${what}${streamed ? ', streamed' : ''}: ${how}`;
      test(`${title} is the route's fault: the next one is asked, and without one nothing is charged`, async () => {
        const customer = await chat.customer();
        chat.first.answers(answer());
        const good = streamed ? stream() : whole();
        chat.second.answers(good);
        const { status, text } = await customer.raw({ ...body, model: two, stream: streamed }, path);
        assert.deepEqual([status, text], [200, streamed ? seen(good) : JSON.stringify(good.json)]);
        const paid = (await customer.settled()).balance;
        chat.first.answers(answer());
        const refused = await customer.post({ ...body, stream: streamed }, {}, path);
        assertError(refused, how === '429' ? 'upstream_rate_limited' : 'upstream_error');
        const { balance, entries } = await customer.settled();
        assert.equal(balance, paid);
        assert.deepEqual(typesOf(entries).slice(-2), ['hold', 'release']);
      });
    }
  }

  for (const how of [
    { isByteByByte: true },
    { encoding: 'gzip' },
    { encoding: 'br' },
    { encoding: 'deflate' },
  ] as const) {
    test(`${what}: an answer and a stream that come as ${JSON.stringify(how)} arrive whole`, async () => {
      const customer = await chat.customer();
      const answer = { ...whole(), ...how };
      chat.first.answers(answer);
      assert.equal((await customer.raw(body, path)).text, JSON.stringify(answer.json));
      const streaming = { ...stream(), ...how };
      chat.first.answers(streaming);
      assert.equal((await customer.raw({ ...body, stream: true }, path)).text, seen(streaming));
    });
  }

  test(`${what}: a body of just 20 MiB is passed on, one more byte is refused unseen`, async () => {
    const { headers } = await chat.customer('100000');
    chat.first.answers(whole());
    const empty = JSON.stringify({ ...body, max_tokens: 1, max_output_tokens: 1, pad: '' });
    const padded = (bytes: number) => empty.replace('"pad":""', `"pad":"${'x'.repeat(bytes - empty.length)}"`);
    assert.equal((await chat.gateway.post(path, padded(20 * mebibyte), headers)).status, 200);
    assert.equal(chat.first.requests.at(-1)?.body.length, 20 * mebibyte + lengthened(body.model));
    chat.first.requests.length = 0;
    assertError(await chat.gateway.post(path, padded(20 * mebibyte + 1), headers), 'request_too_large');
    assert.equal(chat.first.requests.length, 0);
  });
}

test('a large body is parsed once, and reaches the upstream byte for byte but for the model', async (context) => {
  const customer = await chat.customer();
  chat.first.answers(chatAnswer('A gate'));
  const url = `data:image/png;base64,${'A'.repeat(5_000_000)}`;
  const content = [{ type: 'image_url', image_url: { url } }];
  const body = JSON.stringify({ ...hello, messages: [{ role: 'user', content }] });
  const parse = context.mock.method(JSON, 'parse');
  assert.equal((await chat.gateway.post(chatPath, body, customer.headers)).status, 200);
  const large = parse.mock.calls.filter(({ arguments: [text] }) => text.length > 1_000_000);
  assert.equal(large.length, 1);
  assert.equal(chat.first.requests.at(-1)?.body.toString(), body.replace('chat-one', 'upstream-one'));
});

test('an event of 10 MB passes on responses, too', async () => {
  const customer = await chat.customer();
  const id = newId();
  const delta = responsesEvent('response.output_text.delta', 1, { delta: 'x'.repeat(10 * mebibyte) });
  const [created = '', , last = ''] = responsesStream(['a'], 'completed', id).pieces ?? [];
  const answer = { pieces: [created, delta, last] };
  chat.first.answers(answer);
  assert.equal((await customer.raw({ ...ask, stream: true }, responsesPath)).text, wireOf(answer));
});

test('an event without an end is given up when it is too large, and its upstream is let go', async () => {
  const customer = await chat.customer();
  const before = chat.first.aborted;
  const endless = Array.from({ length: 40 }, () => 'x'.repeat(mebibyte));
  chat.first.answers({ pieces: [deltaEvent('a'), 'data: {"x":"', ...endless], ending: 'stall' });
  const { text } = await customer.raw({ ...hello, stream: true });
  assert.match(text, /^data: .*\n\ndata: \{"error":\{"message":"[^"]*too large[^"]*"/);
  assert.ok(!text.includes(doneEvent));
  await chat.first.abortions(before + 1);
  assert.equal((await customer.settled()).balance, 100);
});

const texts = (count: number) => Array.from({ length: count }, (_, at) => `stop ${at}`);
const limits: [field: string, allowed: readonly unknown[], refused: readonly unknown[]][] = [
  ['temperature', [0, 2], [-0.01, 2.01, '1']],
  ['top_p', [0, 1], [-0.01, 1.01]],
  ['frequency_penalty', [-2, 2], [-2.01, 2.01]],
  ['presence_penalty', [-2, 2], [-2.01, 2.01]],
  ['n', [1, 128], [0, 129, 1.5]],
  ['max_tokens', [1, 0, -1], [-2, 1.5]],
  ['stop', ['x', [], texts(1), texts(4)], [texts(5), 7]],
  ['stream', [false, null], ['yes', 1]],
];
for (const [field, allowed, refused] of limits) {
  test(`${field}: ${JSON.stringify(allowed)} reaches the upstream, ${JSON.stringify(refused)} does not`, async () => {
    const customer = await chat.customer('10000');
    chat.first.answers(chatAnswer('Hi'));
    for (const value of allowed) {
      const body = { ...hello, [field]: value };
      assert.equal((await customer.post(body)).status, 200);
      assert.deepEqual(chat.first.requests.at(-1)?.json(), { ...body, model: 'upstream-one' });
    }
    const before = chat.first.requests.length;
    for (const value of refused)
      assertError(await customer.post({ ...hello, [field]: value }), 'invalid_parameter', field);
    assert.equal(chat.first.requests.length, before);
  });
}

test('the ledger adds up', () => chat.assertAddsUp());

/** How many bytes longer the upstream's name of a model is. */
const lengthened = (model: string): number =>
  (model === 'chat-one' ? 'upstream-one' : 'upstream-code').length - model.length;
