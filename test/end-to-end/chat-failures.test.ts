/** Upstreams that fail: which route is tried next, which error the caller gets, and that nothing stays held or charged. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertError } from '../support/errors.ts';
import { type ChatGateway, hello, startChatGateway, typesOf, wireOf } from '../support/chat-gateway.ts';
import {
  type Answer,
  chatAnswer,
  chatStream,
  deltaEvent,
  doneEvent,
  errorAnswer,
  errorEvent,
  usageEvent,
} from '../support/upstream.ts';

let chat: ChatGateway;
before(async () => {
  chat = await startChatGateway();
});
after(() => chat.stop());

const stream = { ...hello, stream: true };
const two = { ...hello, model: 'chat-two' };
const page: Answer = { headers: { 'content-type': 'text/html' }, pieces: ['<html>Welcome</html>'] };

const faultsOfRoute: [what: string, answer: Answer][] = [
  ...[401, 402, 403, 404, 408, 409, 429, 500, 502, 503].map((status): [string, Answer] => [
    `answers ${status}`,
    errorAnswer(status, 'Incorrect API key provided: sk-of-the-operator-1'),
  ]),
  ['closes the connection before its head', { ending: 'break-before' }],
  ['closes the connection after its head', { pieces: [], ending: 'break' }],
  ['answers with nothing', { pieces: [] }],
  ['answers with a page', page],
  ['redirects', { status: 302, headers: { location: 'http://127.0.0.1:9/' }, pieces: [] }],
];
for (const [what, answer] of faultsOfRoute) {
  for (const streamed of [false, true]) {
    test(`a route that ${what} falls over to the next one${streamed ? ', streamed' : ''}`, async () => {
      const customer = await chat.customer();
      chat.first.answers(answer);
      const good = streamed ? chatStream(['Hi']) : chatAnswer('Hi');
      chat.second.answers(good);
      const { status, text } = await customer.raw({ ...two, stream: streamed });
      assert.equal(status, 200);
      assert.match(text, /Hi/);
      assert.equal((chat.second.requests.at(-1)?.json() as { model: string }).model, 'upstream-two');
      const { entries } = await customer.settled();
      assert.deepEqual(typesOf(entries), ['hold', 'capture', 'release']);
    });
    test(`a model whose only route ${what} is an error, and nothing is charged${streamed ? ', streamed' : ''}`, async () => {
      const customer = await chat.customer();
      chat.first.answers(answer);
      const refused = await customer.post({ ...hello, stream: streamed });
      const code =
        answer.status === 429 ? 'upstream_rate_limited' : answer.status === 408 ? 'upstream_timeout' : 'upstream_error';
      assertError(refused, code);
      assert.ok(!JSON.stringify(refused.body).includes('sk-of'), 'no credentials');
      const { balance, entries } = await customer.settled();
      assert.equal(balance, 100);
      assert.deepEqual(typesOf(entries), ['hold', 'release']);
    });
  }
}

test('a route that refuses connections falls over to the next one', async () => {
  const customer = await chat.customer();
  chat.second.answers(chatAnswer('Hi'));
  assert.equal((await customer.post({ ...hello, model: 'chat-dead-first' })).status, 200);
});

test('an error event before anything else falls over to the next route', async () => {
  const customer = await chat.customer();
  chat.first.answers({ pieces: [': wait\n\n', errorEvent('Out of memory')] });
  const answer = chatStream(['Hi']);
  chat.second.answers(answer);
  const { text } = await customer.raw({ ...two, stream: true });
  assert.equal(text, wireOf(answer).replace(usageEvent(9, 1), ''));
});

test('an answer of 200 that is an error falls over to the next route', async () => {
  const customer = await chat.customer();
  chat.first.answers(errorAnswer(200, 'Provider returned error'));
  chat.second.answers(chatAnswer('Hi'));
  assert.match(JSON.stringify((await customer.post(two)).body), /Hi/);
});

test('an answer that is no JSON falls over to the next route', async () => {
  const customer = await chat.customer();
  chat.first.answers({ headers: { 'content-type': 'application/json' }, pieces: ['{"choices":['] });
  chat.second.answers(chatAnswer('Hi'));
  assert.equal((await customer.post(two)).status, 200);
});

for (const status of [400, 413, 422]) {
  test(`a ${status} of the upstream goes to the caller, cleaned, and no other route is asked`, async () => {
    const customer = await chat.customer();
    const before = chat.second.requests.length;
    chat.first.answers(
      errorAnswer(status, 'Too long for http://10.0.0.7:8000/v1 with key sk-of-the-operator-1', {
        param: 'messages',
        code: 'context_length_exceeded',
        type: 'odd',
      }),
    );
    const answer = await customer.post(two);
    assert.equal(answer.status, status);
    const { message, ...rest } = answer.body['error'];
    assert.deepEqual(rest, { type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' });
    assert.match(message, /^Too long for /);
    assert.ok(!/10\.0\.0\.7|sk-of-the-operator/.test(message), message);
    assert.equal(chat.second.requests.length, before);
    assert.equal((await customer.settled()).balance, 100);
  });
}

test('when every route is limited the caller is, with the shortest wait', async () => {
  const customer = await chat.customer();
  chat.first.answers({ ...errorAnswer(429, 'Slow down'), headers: { 'retry-after': '7' } });
  chat.second.answers({ ...errorAnswer(429, 'Slow down'), headers: { 'retry-after-ms': '2500' } });
  const answer = await customer.post(two);
  assertError(answer, 'upstream_rate_limited');
  assert.equal(answer.headers.get('retry-after'), '3');
});

for (const wait of [{ 'retry-after': '99999999999' }, { 'retry-after': '90' }]) {
  test(`a limited route that asks to wait ${wait['retry-after']} s puts no client to sleep, and never for more than an hour`, async () => {
    const customer = await chat.customer();
    chat.first.answers({ ...errorAnswer(429, 'Slow down'), headers: wait });
    const answer = await customer.post(hello);
    assertError(answer, 'upstream_rate_limited');
    const reported = ['retry-after', 'x-ratelimit-reset', 'x-should-retry'].map((name) => answer.headers.get(name));
    const seconds = String(Math.min(3600, Number(wait['retry-after'])));
    assert.deepEqual(reported, [null, seconds, 'false']);
  });
}

for (const [what, answers, message, retryAfter] of [
  ['says that it is busy', [{ ...errorAnswer(503, 'Busy'), headers: { 'retry-after': '1' } }], /is overloaded/, '1'],
  ['fails', [errorAnswer(500, 'Oh')], /failed at its provider/, null],
  ['refuses our key', [errorAnswer(401, 'Who?')], /operator/, null],
  ['closes the connection', [{ ending: 'break-before' }], /returned an unusable response/, null],
  ['answers nonsense', [{ json: [] }], /returned an unusable response/, null],
] as [string, Answer[], RegExp, string | null][]) {
  test(`the caller gets an error when the only upstream ${what}`, async () => {
    const customer = await chat.customer();
    chat.first.answers(...answers);
    const answer = await customer.post(hello);
    assertError(answer, 'upstream_error');
    assert.match(String(answer.body['error'].message), message);
    assert.equal(answer.headers.get('retry-after'), retryAfter);
  });
}

test('when every upstream fails in its own way, the caller gets one general error', async () => {
  const customer = await chat.customer();
  chat.first.answers({ ...errorAnswer(503, 'Busy'), headers: { 'retry-after': '1' } });
  chat.second.answers(errorAnswer(500, 'Oh'));
  const answer = await customer.post(two);
  assertError(answer, 'upstream_error');
  assert.match(String(answer.body['error'].message), /on all of its routes/);
  assert.equal(answer.headers.get('retry-after'), null);
});

test('when one route is limited and the other broken, that is an upstream error', async () => {
  const customer = await chat.customer();
  chat.first.answers(errorAnswer(429, 'Slow down'));
  chat.second.answers(errorAnswer(500, 'Oh'));
  assertError(await customer.post(two), 'upstream_error');
});

for (const body of [hello, stream]) {
  test(`an upstream that does not answer in time is a timeout${body === stream ? ', streamed' : ''}`, async () => {
    const customer = await chat.customer();
    chat.first.answers({ ending: 'stall-before' });
    assertError(await customer.post({ ...body, model: 'chat-hasty' }), 'upstream_timeout');
    assert.equal((await customer.settled()).balance, 100);
  });
}

test('an answer that stalls in the middle is a timeout', async () => {
  const customer = await chat.customer();
  chat.first.answers({ headers: { 'content-type': 'application/json' }, pieces: ['{"id":'], ending: 'stall' });
  assertError(await customer.post({ ...hello, model: 'chat-hasty' }), 'upstream_timeout');
  assert.equal((await customer.settled()).balance, 100);
});

const breaks: [what: string, answer: Answer, code: string, message: RegExp][] = [
  ['closes early', { pieces: [deltaEvent('a')] }, 'upstream_error', /was interrupted/],
  ['breaks its connection', { pieces: [deltaEvent('a')], ending: 'break' }, 'upstream_error', /was interrupted/],
  ['stalls', { pieces: [deltaEvent('a')], ending: 'stall' }, 'upstream_timeout', /stopped sending/],
  [
    'sends an error event',
    { pieces: [deltaEvent('a'), errorEvent('No room on http://10.0.0.7:8000/v1'), deltaEvent('b'), doneEvent] },
    'upstream_error',
    /^No room on (?!.*10\.0\.0\.7)/,
  ],
  [
    'sends what is no JSON',
    { pieces: [deltaEvent('a'), 'data: {"choices":[\n\n', doneEvent] },
    'upstream_error',
    /.{10}/,
  ],
  ['closes within an event', { pieces: [deltaEvent('a'), 'data: {"choi'] }, 'upstream_error', /was interrupted/],
  [
    'has a choice without its finish reason',
    { pieces: [deltaEvent('a'), deltaEvent(null, 'stop', 1)] },
    'upstream_error',
    /./,
  ],
];
for (const [what, answer, code, message] of breaks) {
  test(`a stream that ${what} ends with an error, no [DONE] and a connection that is cut, costs nothing, and no other route is asked`, async () => {
    const customer = await chat.customer();
    const before = chat.second.requests.length;
    chat.first.answers(answer);
    const model = code === 'upstream_timeout' ? 'chat-hasty' : 'chat-two';
    const { status, text, isWhole } = await customer.raw({ ...stream, model, n: 2 });
    assert.deepEqual([status, isWhole], [200, false]);
    const events = text.split('\n\n');
    assert.equal(`${events[0]}\n\n`, deltaEvent('a'));
    assert.equal(events.at(-1), '');
    const { error } = JSON.parse((events.at(-2) ?? '').replace(/^data: /, '')) as { error: Record<string, string> };
    assert.match(String(error['message']), message);
    assert.deepEqual(error, { message: error['message'], type: 'upstream_error', param: null, code });
    assert.ok(!text.includes('[DONE]'));
    const { balance, entries } = await customer.settled();
    assert.equal(balance, 100);
    assert.deepEqual(typesOf(entries), ['hold', 'release']);
    assert.equal(chat.second.requests.length, before);
  });
}

test('a stream that breaks after it reported its usage is charged by that usage', async () => {
  const customer = await chat.customer();
  chat.first.answers({ pieces: [deltaEvent('a'), usageEvent(9, 3)], ending: 'break' });
  const { text } = await customer.raw(stream);
  assert.match(text, /"error"/);
  const { balance, entries } = await customer.settled();
  assert.equal(balance, 99.988);
  assert.equal(entries[1]?.['usage_source'], 'upstream');
});

test('what an upstream sends after [DONE] is thrown away', async () => {
  const customer = await chat.customer();
  chat.first.answers({ pieces: [deltaEvent('a', 'stop'), doneEvent, deltaEvent('b'), errorEvent('late')] });
  const { text, isWhole } = await customer.raw(stream);
  assert.deepEqual([text, isWhole], [deltaEvent('a', 'stop') + doneEvent, true]);
});

test('the ledger adds up', () => chat.assertAddsUp());
