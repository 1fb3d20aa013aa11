/** The responses endpoint: events as they come, usage from the last one, and stored responses for those who made them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertError } from '../support/errors.ts';
import { type ChatGateway, hello, responsesPath, startChatGateway, wireOf } from '../support/chat-gateway.ts';
import { errorAnswer, responsesEvent, responsesStream } from '../support/upstream.ts';

let chat: ChatGateway;
before(async () => {
  chat = await startChatGateway();
});
after(() => chat.stop());

const ask = { model: 'code-one', input: 'Hello' };
const stream = { ...ask, stream: true };
const answerOf = (id: string, usage: unknown = { input_tokens: 9, output_tokens: 3 }) => ({
  json: {
    ...{ id, object: 'response', status: 'completed', model: 'upstream-code' },
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello there' }] }],
    ...(usage === null ? {} : { usage }),
  },
});

test('an answer passes as it came, and is charged by its usage', async () => {
  const customer = await chat.customer();
  chat.first.answers(answerOf('resp_plain'));
  const { status, text } = await customer.raw(ask, responsesPath);
  assert.deepEqual([status, text], [200, JSON.stringify(answerOf('resp_plain').json)]);
  const seen = chat.first.requests.at(-1);
  assert.deepEqual([seen?.path, seen?.json()], ['/v1/responses', { ...ask, model: 'upstream-code' }]);
  assert.equal((await customer.settled()).balance, 99.988);
});

test('an answer without usage is counted here', async () => {
  const customer = await chat.customer();
  chat.first.answers(answerOf('resp_uncounted', null));
  await customer.raw(ask, responsesPath);
  const { entries } = await customer.settled();
  assert.equal(entries[1]?.['usage_source'], 'estimated');
  assert.equal(entries[1]['lines'][1].units, 2);
});

for (const end of ['completed', 'incomplete', 'failed'] as const) {
  test(`a stream that ends ${end} passes event by event, and is charged by its last one`, async () => {
    const customer = await chat.customer();
    const answer = responsesStream(['你', 'b', 'c'], end, `resp_${end}`);
    chat.first.answers(answer);
    const { status, headers, text } = await customer.raw(stream, responsesPath);
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^text\/event-stream/);
    assert.equal(text, wireOf(answer));
    assert.deepEqual(chat.first.requests.at(-1)?.json(), { ...stream, model: 'upstream-code' });
    const { balance, entries } = await customer.settled();
    assert.equal(balance, 99.988);
    assert.equal(entries[1]?.['usage_source'], 'upstream');
  });
}

test('an event reaches the caller before the next one is there', async () => {
  const customer = await chat.customer();
  let go = () => {};
  const rest = new Promise<void>((resolve) => (go = resolve));
  const [created, ...others] = responsesStream(['a'], 'completed', 'resp_slow').pieces ?? [];
  chat.first.answers({ pieces: [created ?? '', rest, ...others] });
  const { body } = await customer.open(stream, new AbortController().signal, responsesPath);
  const reader = body?.getReader();
  assert.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), created);
  go();
  while ((await reader?.read())?.done === false);
});

const created = responsesEvent('response.created', 0, { response: { id: 'resp_broken', status: 'in_progress' } });
const delta = responsesEvent('response.output_text.delta', 1, { delta: 'a' });
const failing = responsesEvent('error', 2, {
  code: 'server_error',
  message: 'No room on http://10.0.0.7:8000/',
  param: null,
});
const breaks = [
  ['closes early', { pieces: [created, delta] }, 'upstream_error', 'code-two'],
  ['breaks its connection', { pieces: [created, delta], ending: 'break' }, 'upstream_error', 'code-two'],
  ['stalls', { pieces: [created, delta], ending: 'stall' }, 'upstream_timeout', 'code-hasty'],
  ['sends an error event', { pieces: [created, delta, failing] }, 'upstream_error', 'code-two'],
] as const;
for (const [what, answer, code, model] of breaks) {
  test(`a stream that ${what} ends with a numbered error event and a connection that is cut, and costs nothing`, async () => {
    const customer = await chat.customer();
    const before = chat.second.requests.length;
    chat.first.answers(answer);
    const { text, isWhole } = await customer.raw({ ...stream, model }, responsesPath);
    assert.ok(text.startsWith(created + delta), text);
    assert.equal(isWhole, false);
    const [name, data] = text
      .slice((created + delta).length)
      .trimEnd()
      .split('\n');
    assert.equal(name, 'event: error');
    const error = JSON.parse((data ?? '').replace(/^data: /, '')) as Record<string, string>;
    assert.deepEqual(error, { type: 'error', code, message: error['message'], param: null, sequence_number: 2 });
    assert.ok(!String(error['message']).includes('10.0.0.7'));
    assert.equal((await customer.settled()).balance, 100);
    assert.equal(chat.second.requests.length, before);
  });
}

test('a route that fails falls over to the next one', async () => {
  const customer = await chat.customer();
  chat.first.answers(errorAnswer(500, 'Oh'));
  const answer = responsesStream(['a'], 'completed', 'resp_second');
  chat.second.answers(answer);
  const { text } = await customer.raw({ ...stream, model: 'code-two' }, responsesPath);
  assert.equal(text, wireOf(answer));
});

for (const streamed of [false, true]) {
  test(`a response is gone on from where it was made${streamed ? ', once its stream has ended' : ''}`, async () => {
    const customer = await chat.customer();
    const id = streamed ? 'resp_chain_s' : 'resp_chain';
    chat.first.answers(errorAnswer(500, 'Oh'));
    chat.second.answers(streamed ? responsesStream(['a'], 'completed', id) : answerOf(id));
    assert.equal((await customer.raw({ ...ask, model: 'code-two', stream: streamed }, responsesPath)).status, 200);
    const next = { ...ask, model: 'code-two', previous_response_id: id };
    const asked = chat.first.requests.length;
    chat.first.answers(answerOf('resp_wrong'));
    chat.second.answers(answerOf(`${id}_2`));
    const { status, body } = await customer.post(next, {}, responsesPath);
    assert.deepEqual([status, body['id']], [200, `${id}_2`]);
    assert.equal(chat.first.requests.length, asked, 'its own route, not the first');
    assert.deepEqual(chat.second.requests.at(-1)?.json(), { ...next, model: 'upstream-code-2' });
  });
}

test('a response is known as soon as its caller has the last event', async () => {
  const customer = await chat.customer();
  let go = () => {};
  const never = new Promise<void>((resolve) => (go = resolve));
  const pieces = responsesStream(['a'], 'completed', 'resp_prompt').pieces ?? [];
  chat.first.answers({ pieces: [...pieces, never] });
  const { body } = await customer.open(stream, new AbortController().signal, responsesPath);
  let text = '';
  for await (const piece of body ?? []) {
    text += Buffer.from(piece as Uint8Array).toString();
    if (text.includes('event: response.completed')) break;
  }
  chat.first.answers(answerOf('resp_next'));
  const next = await customer.post({ ...ask, previous_response_id: 'resp_prompt' }, {}, responsesPath);
  assert.equal(next.status, 200);
  go();
});

test('another account neither goes on from a response, nor reads, cancels or deletes it', async () => {
  const [owner, other] = [await chat.customer(), await chat.customer()];
  chat.first.answers(answerOf('resp_mine'));
  await owner.raw(ask, responsesPath);
  const asked = chat.first.requests.length;
  const next = { ...ask, previous_response_id: 'resp_mine' };
  assertError(await other.post(next, {}, responsesPath), 'response_not_found', 'previous_response_id');
  assertError(
    await owner.post({ ...ask, previous_response_id: 'resp_nobody' }, {}, responsesPath),
    'response_not_found',
    'previous_response_id',
  );
  assertError(
    await owner.post({ ...ask, previous_response_id: 'resp_\0' }, {}, responsesPath),
    'response_not_found',
    'previous_response_id',
  );
  for (const [method, path] of [
    ['GET', 'resp_mine'],
    ['DELETE', 'resp_mine'],
    ['POST', 'resp_mine/cancel'],
    ['GET', 'resp_nobody'],
  ] as const) {
    const answer = await chat.gateway.fetch(`${responsesPath}/${path}`, { method, headers: other.headers });
    const body = (await answer.json()) as Record<string, unknown>;
    assertError({ status: answer.status, headers: answer.headers, body }, 'response_not_found');
  }
  assert.equal(chat.first.requests.length, asked);
  assert.equal((await other.settled()).balance, 100);
});

test('a stored response is read, cancelled and deleted where it was made', async () => {
  const customer = await chat.customer();
  chat.first.answers(errorAnswer(503, 'Oh'));
  chat.second.answers(answerOf('resp_stored'));
  await customer.raw({ ...ask, model: 'code-two' }, responsesPath);
  const asked = chat.first.requests.length;
  for (const [method, path] of [
    ['GET', 'resp_stored'],
    ['POST', 'resp_stored/cancel'],
    ['DELETE', 'resp_stored'],
  ] as const) {
    chat.second.answers({ json: { id: 'resp_stored', did: method } });
    const answer = await chat.gateway.fetch(`${responsesPath}/${path}`, { method, headers: customer.headers });
    assert.deepEqual([answer.status, await answer.json()], [200, { id: 'resp_stored', did: method }]);
    const seen = chat.second.requests.at(-1);
    assert.deepEqual([seen?.method, seen?.path], [method, `/v1/responses/${path}`]);
  }
  chat.second.answers(errorAnswer(404, 'Gone'));
  assertError(await chat.gateway.get(`${responsesPath}/resp_stored`, customer.headers), 'response_not_found');
  assert.equal(chat.first.requests.length, asked);
});

const refused: [what: string, body: Record<string, unknown>, code: string, param: string][] = [
  ['a conversation', { ...ask, conversation: 'conv_1' }, 'invalid_parameter', 'conversation'],
  ['background', { ...ask, background: true }, 'invalid_parameter', 'background'],
  ['no input', { model: 'code-one' }, 'missing_parameter', 'input'],
  ['an image model', { ...ask, model: 'an-image' }, 'invalid_parameter', 'model'],
];
for (const [what, body, code, param] of refused) {
  test(`${what} is refused before the upstream sees it`, async () => {
    const customer = await chat.customer();
    const asked = chat.first.requests.length;
    assertError(await customer.post(body, {}, responsesPath), code, param);
    assert.equal(chat.first.requests.length, asked);
  });
}

test('background that is false or null passes', async () => {
  const customer = await chat.customer();
  for (const background of [false, null]) {
    chat.first.answers(answerOf('resp_front'));
    assert.equal((await customer.post({ ...ask, background }, {}, responsesPath)).status, 200);
  }
});

test('models of kind code answer on chat, and models of kind chat answer here', async () => {
  const customer = await chat.customer();
  chat.first.answers(answerOf('resp_kind'));
  assert.equal((await customer.post({ ...hello, model: 'code-one' })).status, 200);
  assert.equal((await customer.post({ ...ask, model: 'chat-one' }, {}, responsesPath)).status, 200);
});

test('a read key reads stored responses and makes none', async () => {
  const owner = await chat.customer();
  chat.first.answers(answerOf('resp_level'));
  await owner.raw(ask, responsesPath);
  const account = owner.account;
  const { key } = await chat.gateway.newKeyOf(account, { level: 'read' });
  const headers = { Authorization: `Bearer ${key}` };
  assertError(await chat.gateway.post(responsesPath, ask, headers), 'permission_denied');
  assert.equal((await chat.gateway.get(`${responsesPath}/resp_level`, headers)).status, 200);
});

test('a hold counts max_output_tokens', async () => {
  const customer = await chat.customer();
  chat.first.answers(answerOf('resp_hold'));
  const body = { ...ask, max_output_tokens: 10 };
  await customer.post(body, {}, responsesPath);
  const { entries } = await customer.settled();
  assert.equal(entries[0]?.['amount'], -(Math.ceil(JSON.stringify(body).length / 2) + 10) / 1000);
});

test('a caller that leaves mid-stream pays what was produced', async () => {
  const customer = await chat.customer();
  const before = chat.first.aborted;
  chat.first.answers({
    pieces: [created, responsesEvent('response.output_text.delta', 1, { delta: 'Hello there' })],
    ending: 'stall',
  });
  const leaving = new AbortController();
  const { body } = await customer.open(stream, leaving.signal, responsesPath);
  let text = '';
  for await (const piece of body ?? []) {
    text += Buffer.from(piece as Uint8Array).toString();
    if (text.includes('Hello there')) break; // which hangs up
  }
  await chat.first.abortions(before + 1);
  const { entries } = await customer.settled();
  assert.equal(entries[1]?.['usage_source'], 'estimated');
  assert.equal(entries[1]['lines'][1].units, 2);
});

test('the ledger adds up', () => chat.assertAddsUp());
