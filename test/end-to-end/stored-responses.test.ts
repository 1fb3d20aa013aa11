/** What an upstream keeps of a response, asked for through the gateway: passed on, passed back, and reported by our own errors. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { deleteOldResponses, findResponse, insertResponse, noteContext } from '../../src/chat/response-rows.ts';
import {
  type ChatGateway,
  type Customer,
  responsesPath,
  startChatGateway,
  typesOf,
  wireOf,
} from '../support/chat-gateway.ts';
import { assertError } from '../support/errors.ts';
import { answerOf } from '../support/gateway.ts';
import { until } from '../support/process.ts';
import { type Answer, errorAnswer, responsesEvent, responsesStream } from '../support/upstream.ts';

let chat: ChatGateway;
before(async () => {
  chat = await startChatGateway();
});
after(() => chat.stop());

const ask = { model: 'code-one', input: 'Hello' };
const cleanAnswer = { id: 'resp_x', object: 'response', status: 'completed', error: null, output: [] };
let made = 0;

/** A response of the customer's, noted as one that this provider made. */
async function stored({ account }: Customer, provider = 'first'): Promise<string> {
  const id = `resp_stored_${++made}`;
  await insertResponse(chat.gateway.core.database, {
    id,
    account,
    model: 'code-one',
    provider,
    contextTokens: undefined,
  });
  return id;
}

function request({ headers }: Customer, path: string, method = 'GET', signal?: AbortSignal): Promise<Response> {
  return chat.gateway.fetch(`${responsesPath}/${path}`, { method, headers, ...(signal && { signal }) });
}

test('the query of a GET reaches the upstream as it was written', async () => {
  const customer = await chat.customer();
  const id = await stored(customer);
  chat.first.answers({ json: cleanAnswer });
  const query = '?include[]=message.output_text.logprobs&include%5B%5D=x%20y&odd';
  const answer = await request(customer, `${id}${query}`);
  assert.equal(await answer.text(), JSON.stringify(cleanAnswer));
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  assert.equal(chat.first.requests.at(-1)?.path, `${responsesPath}/${id}${query}`);
  for (const [method, path] of [
    ['DELETE', id],
    ['POST', `${await stored(customer)}/cancel`],
  ] as const) {
    assert.equal((await request(customer, `${path}?a=b`, method)).status, 200);
    assert.equal(chat.first.requests.at(-1)?.path, `${responsesPath}/${path}`);
  }
});

test('a stored response is streamed as its bytes come, each before the next one is there', async () => {
  const customer = await chat.customer();
  const id = await stored(customer);
  let go = () => {};
  const rest = new Promise<void>((resolve) => (go = resolve));
  const [first = '', ...others] = responsesStream(['a', 'b'], 'completed', id).pieces ?? [];
  chat.first.answers({ pieces: [first, rest, ...others] });
  const answer = await request(customer, `${id}?stream=true&starting_after=3`);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/);
  assert.equal(answer.headers.get('x-accel-buffering'), 'no');
  const reader = answer.body?.getReader();
  assert.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), first);
  go();
  let text = '';
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read())
    text += Buffer.from(read.value).toString();
  assert.equal(text, wireOf({ pieces: others }));
});

test('a stored response whose caller reads slowly comes whole', async () => {
  const customer = await chat.customer();
  const id = await stored(customer);
  const events = Array.from({ length: 200 }, (_, at) => responsesEvent('x', at, { delta: 'x'.repeat(50_000) }));
  chat.first.answers({ pieces: events });
  const { body } = await request(customer, `${id}?stream=true`);
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += (piece as Uint8Array).length;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(bytes, events.join('').length);
});

for (const [what, answer] of [
  ['before the answer', { ending: 'stall-before' }],
  ['in the middle of a stream', { pieces: [responsesEvent('x', 0)], ending: 'stall' }],
  ['in the middle of JSON', { headers: { 'content-type': 'application/json' }, pieces: ['{'], ending: 'stall' }],
] as [string, Answer][]) {
  test(`a reader that leaves ${what} lets the upstream go`, async () => {
    const customer = await chat.customer();
    const [id, asked, left] = [await stored(customer), chat.first.requests.length, chat.first.aborted];
    chat.first.answers(answer);
    const leaving = new AbortController();
    const reading = request(customer, id, 'GET', leaving.signal).then((response) => response.text());
    await chat.first.received(asked + 1);
    leaving.abort();
    await assert.rejects(reading);
    await chat.first.abortions(left + 1);
  });
}

for (const [type, body] of [
  ['text/html', '<script>alert(document.domain)</script>'],
  ['image/svg+xml', '<svg/>'],
  ['text/html; profile="json"', '<script></script>'],
] as const) {
  test(`a stored response of the type ${type} is not handed on`, async () => {
    const customer = await chat.customer();
    const id = await stored(customer);
    chat.first.answers({ headers: { 'content-type': type }, pieces: [body] });
    assertError(await answerOf(await request(customer, id)), 'upstream_error');
  });
}

for (const [how, answer] of [
  ['streamed', responsesStream(['a', 'b'], 'completed', 'resp_long_streamed')],
  ['whole', { json: { ...cleanAnswer, id: 'resp_long_whole', usage: { input_tokens: 9, output_tokens: 2 } } }],
] as [string, Answer][]) {
  test(`what goes on from a response that was ${how} holds all that was said before, and is charged for it`, async () => {
    const customer = await chat.customer('1000');
    const id = `resp_long_${how}`;
    chat.first.answers(answer);
    assert.equal((await customer.raw({ ...ask, stream: how === 'streamed' }, responsesPath)).status, 200);
    const [first] = (await customer.settled()).entries;
    const { database } = chat.gateway.core;
    const length = await until(
      'its length',
      async () => (await findResponse(database, id, customer.account))?.contextTokens,
    );
    assert.equal(length, 11, 'all tokens so far');
    // As long as a conversation gets, without sending it: the bound of what may be charged goes by the hold.
    await noteContext(database, { id, account: customer.account, contextTokens: 100_000 });
    const usage = { input_tokens: 90_000, output_tokens: 1 };
    chat.first.answers({ json: { ...cleanAnswer, id: `${id}_2`, usage } });
    const next = { ...ask, previous_response_id: id };
    assert.equal((await customer.post(next, {}, responsesPath)).status, 200);
    const { entries } = await customer.settled();
    const [hold, capture] = entries.slice(-3);
    assert.deepEqual(typesOf(entries.slice(-3)), ['hold', 'capture', 'release']);
    const extra = hold?.['lines'][0].units - first?.['lines'][0].units;
    assert.ok(extra >= 100_000 && extra < 100_100, `${extra} more are held`);
    assert.equal(capture?.['lines'][0].units, 90_000);
  });
}

test('what goes on from a response of unknown length, or has a file read, is charged in full', async () => {
  const customer = await chat.customer('1000');
  const usage = { input_tokens: 90_000, output_tokens: 1 };
  const file = { type: 'input_file', file_url: 'https://files.example/long.pdf' };
  for (const [at, body] of [
    { ...ask, max_output_tokens: 1, previous_response_id: await stored(customer) },
    { ...ask, max_output_tokens: 1, input: [{ role: 'user', content: [file] }] },
  ].entries()) {
    chat.first.answers({ json: { ...cleanAnswer, id: `resp_unbounded_${++made}`, usage } });
    assert.equal((await customer.post(body, {}, responsesPath)).status, 200);
    const entries = (await customer.settled()).entries.slice(2 * at);
    assert.deepEqual(typesOf(entries), ['hold', 'capture'], 'nothing is written off');
    assert.equal(entries[1]?.['lines'][0].units, 90_000);
  }
});

test('what was deleted is gone for every later call, and the upstream is asked no more', async () => {
  const customer = await chat.customer();
  const id = await stored(customer);
  chat.first.answers({ json: { id, object: 'response', deleted: true } });
  assert.deepEqual(await (await request(customer, id, 'DELETE')).json(), { id, object: 'response', deleted: true });
  const asked = chat.first.requests.length;
  for (const [method, path] of [
    ['GET', id],
    ['DELETE', id],
    ['POST', `${id}/cancel`],
  ] as const)
    assertError(await answerOf(await request(customer, path, method)), 'response_not_found');
  const next = await customer.post({ ...ask, previous_response_id: id }, {}, responsesPath);
  assertError(next, 'response_not_found', 'previous_response_id');
  assert.equal(chat.first.requests.length, asked);
});

test('a response that could not be deleted stays; one that the upstream no longer has is forgotten', async () => {
  const customer = await chat.customer();
  const id = await stored(customer);
  chat.first.answers(errorAnswer(500, 'Oh'));
  assertError(await answerOf(await request(customer, id, 'DELETE')), 'upstream_error');
  chat.first.answers({ json: cleanAnswer });
  assert.equal((await request(customer, id)).status, 200);
  chat.first.answers(errorAnswer(404, 'Gone'));
  assertError(await answerOf(await request(customer, id)), 'response_not_found');
  assertError(await answerOf(await request(customer, id, 'DELETE')), 'response_not_found');
  const asked = chat.first.requests.length;
  assertError(await answerOf(await request(customer, id, 'DELETE')), 'response_not_found');
  assert.equal(chat.first.requests.length, asked);
});

const refusals: [what: string, answer: Answer, code: string, retryAfter: string | null][] = [
  ['401', errorAnswer(401, 'Incorrect API key provided: sk-of-the-operator-1'), 'upstream_error', null],
  ['403', errorAnswer(403, 'No'), 'upstream_error', null],
  ['408', errorAnswer(408, 'Slow'), 'upstream_timeout', null],
  ['429', { ...errorAnswer(429, 'Wait'), headers: { 'retry-after': '7' } }, 'upstream_rate_limited', '7'],
  ['429 without a time', errorAnswer(429, 'Wait'), 'upstream_rate_limited', '5'],
  ['500', errorAnswer(500, 'Oh'), 'upstream_error', null],
  ['nothing and closes', { ending: 'break-before' }, 'upstream_error', null],
  [
    'JSON that breaks off',
    { headers: { 'content-type': 'application/json' }, pieces: ['{'], ending: 'break' },
    'upstream_error',
    null,
  ],
  ['a stream that breaks before its first byte', { pieces: [], ending: 'break' }, 'upstream_error', null],
];
for (const [what, answer, code, retryAfter] of refusals) {
  test(`an upstream that answers ${what} is ${code}`, async () => {
    const customer = await chat.customer();
    chat.first.answers(answer);
    const reported = await answerOf(await request(customer, await stored(customer)));
    assertError(reported, code);
    assert.equal(reported.headers.get('retry-after'), retryAfter);
    assert.ok(!JSON.stringify(reported.body).includes('sk-of'));
  });
}

test('an upstream that does not answer in time is a timeout', async () => {
  const customer = await chat.customer();
  chat.first.answers({ ending: 'stall-before' });
  assertError(await answerOf(await request(customer, await stored(customer, 'hasty'))), 'upstream_timeout');
});

for (const status of [400, 413, 422]) {
  test(`a ${status} goes to the caller with its status, param and code, cleaned`, async () => {
    const customer = await chat.customer();
    chat.first.answers(
      errorAnswer(status, 'Bad for http://10.0.0.7:8000/v1', { param: 'starting_after', code: 'odd_value' }),
    );
    const { status: reported, body } = await answerOf(await request(customer, await stored(customer)));
    assert.deepEqual(
      [reported, body],
      [
        status,
        {
          error: {
            message: 'Bad for [removed]',
            type: 'invalid_request_error',
            param: 'starting_after',
            code: 'odd_value',
          },
        },
      ],
    );
  });
}

test('a stream that breaks after its first byte is cut off, so that its reader knows', async () => {
  const customer = await chat.customer();
  chat.first.answers({ pieces: [responsesEvent('x', 0)], ending: 'break' });
  const answer = await request(customer, `${await stored(customer)}?stream=true`);
  assert.equal(answer.status, 200);
  await assert.rejects(answer.text());
});

test('the error of a response that failed is cleaned, and all else of it stays as it came', async () => {
  const customer = await chat.customer();
  const text = (message: string) =>
    `{"id":"resp_f", "status":"failed",\n"error":{"code":"server_error","message":"${message}"},"big":9007199254740993}`;
  for (const [message, cleaned] of [
    ['No room on http://10.0.0.7:8000/v1 \\"x\\"', 'No room on [removed] \\"x\\"'],
    ['With key sk-of-the-operator-1', 'With key [removed]'],
    ['The model ran out of room.', 'The model ran out of room.'],
  ] as const) {
    chat.first.answers({ headers: { 'content-type': 'application/json' }, pieces: [text(message)] });
    assert.equal(await (await request(customer, await stored(customer))).text(), text(cleaned));
  }
});

test('going on from a response that none of the routes leads to is refused, and nothing is held', async () => {
  const customer = await chat.customer();
  const id = await stored(customer, 'second');
  const asked = chat.second.requests.length;
  const next = { ...ask, previous_response_id: id };
  for (const stream of [false, true])
    assertError(
      await customer.post({ ...next, stream }, {}, responsesPath),
      'invalid_parameter',
      'previous_response_id',
    );
  assert.equal(chat.second.requests.length, asked);
  assert.deepEqual(typesOf((await customer.settled()).entries), []);
});

test('a response of a provider that is configured no more is an upstream error', async () => {
  const customer = await chat.customer();
  assertError(await answerOf(await request(customer, await stored(customer, 'gone'))), 'upstream_error');
});

test('an id that an upstream gives to a second account is given to neither from then on', async () => {
  const [first, second] = [await chat.customer(), await chat.customer()];
  chat.first.answers({ json: { ...cleanAnswer, id: 'rs2', output: ['of the first'] } });
  assert.equal((await first.post(ask, {}, responsesPath)).status, 200);
  assert.equal((await request(first, 'rs2')).status, 200);
  chat.first.answers({ json: { ...cleanAnswer, id: 'rs2', output: ['a secret of the second'] } });
  assert.equal((await second.post(ask, {}, responsesPath)).status, 200);
  const asked = chat.first.requests.length;
  for (const customer of [first, second]) {
    for (const [method, path] of [
      ['GET', 'rs2'],
      ['DELETE', 'rs2'],
      ['POST', 'rs2/cancel'],
    ] as const)
      assertError(await answerOf(await request(customer, path, method)), 'response_not_found');
    const next = await customer.post({ ...ask, previous_response_id: 'rs2' }, {}, responsesPath);
    assertError(next, 'response_not_found', 'previous_response_id');
  }
  assert.equal(chat.first.requests.length, asked);
});

test('an id that one account is given twice stays its own, at the route of the newest', async () => {
  const customer = await chat.customer();
  const two = { ...ask, model: 'code-two' };
  chat.first.answers({ json: { ...cleanAnswer, id: 'rs3' } });
  assert.equal((await customer.post(two, {}, responsesPath)).status, 200);
  chat.first.answers(errorAnswer(500, 'Oh'));
  chat.second.answers({ json: { ...cleanAnswer, id: 'rs3' } });
  assert.equal((await customer.post(two, {}, responsesPath)).status, 200);
  const asked = chat.second.requests.length;
  assert.equal((await request(customer, 'rs3')).status, 200);
  assert.equal(chat.second.requests.length, asked + 1);
});

test('responses are forgotten after 30 days, and none before', async () => {
  const customer = await chat.customer();
  const { database } = chat.gateway.core;
  const [young, old] = [await stored(customer), await stored(customer)];
  const age = 'update responses set created_at = created_at - $2::interval where id = $1';
  await database.pool.query(age, [young, '29 days 23 hours']);
  await database.pool.query(age, [old, '30 days 1 minute']);
  assert.equal(await deleteOldResponses({ database }), 1);
  chat.first.answers({ json: cleanAnswer });
  assert.equal((await request(customer, young)).status, 200);
  assertError(await answerOf(await request(customer, old)), 'response_not_found');
});
