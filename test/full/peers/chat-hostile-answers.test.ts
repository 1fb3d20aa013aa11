/** Answers of upstreams that are made to hurt: none is parsed beyond its bounds, and whatever answers are held at once has a bound, too. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type ChatGateway, hello, responsesPath, startChatGateway, typesOf } from '../../support/chat-gateway.ts';
import { assertError } from '../../support/errors.ts';
import { type Answer, chatAnswer, chatEvent, chatStream, deltaEvent } from '../../support/upstream.ts';

const KiB = 1024;
const answerBytes = 10 * 1024 * KiB;

let chat: ChatGateway;
before(async () => {
  chat = await startChatGateway({ bounds: { answerBytes } });
});
after(() => chat.stop());
beforeEach(() => {
  chat.first.answers(chatAnswer('Hi'));
  chat.second.answers(chatAnswer('Hi from the second'));
});

const streamed = { ...hello, stream: true };
const json = { 'content-type': 'application/json' };
const usage = '"usage":{"prompt_tokens":9,"completion_tokens":3}';
const choices = '"choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]';
/** More than an event may have. */
const manyValues = `[${'[],'.repeat(260_000)}[]]`;
const manyEvent = chatEvent({ choices: [] }).replace('"choices":[]', `"choices":[{"x":${manyValues}}]`);

const answerOf = (text: string): Answer => ({ headers: json, pieces: [text] });
/** 60 MB of empty lists: 60 kB in gzip, less in brotli. */
const bomb = Buffer.from(`{${choices},"x":[${'[],'.repeat(20_000_000)}[]]}`);
const bombs = new Map([
  ['gzip', gzipSync(bomb)],
  ['br', brotliCompressSync(bomb)],
]);

test('a large answer that reports its usage passes as it is, whatever else is in it', async () => {
  const customer = await chat.customer();
  const text = `{${choices},"x":${manyValues},${usage}}`;
  chat.first.answers(answerOf(text));
  assert.equal((await customer.raw(hello)).text, text);
  const { entries } = await customer.settled();
  assert.deepEqual([typesOf(entries).includes('capture'), entries.at(-2)?.['usage_source']], [true, 'upstream']);
  assert.equal(chat.gateway.core.concurrencyLimits.answerBytes.taken, 0);
});

for (const [what, answer] of [
  ['with too many values to be counted', answerOf(`{"choices":[${'[],'.repeat(600_000)}[]]}`)],
  [
    'packed far too tightly in gzip',
    { headers: { ...json, 'content-encoding': 'gzip' }, pieces: [bombs.get('gzip') ?? ''] },
  ],
  [
    'packed far too tightly in brotli',
    { headers: { ...json, 'content-encoding': 'br' }, pieces: [bombs.get('br') ?? ''] },
  ],
] as const) {
  test(`an answer ${what} is the route's fault`, async () => {
    const customer = await chat.customer();
    chat.first.answers(answer);
    assertError(await customer.post(hello), 'upstream_error');
    const { balance, entries } = await customer.settled();
    assert.deepEqual([balance, typesOf(entries)], [100, ['hold', 'release']]);
    const { body } = await customer.post({ ...hello, model: 'chat-two' });
    assert.match(JSON.stringify(body), /Hi from the second/);
    assert.equal(chat.gateway.core.concurrencyLimits.answerBytes.taken, 0);
  });
}

test("an event with too many values is the route's fault, and after others ends the stream", async () => {
  const customer = await chat.customer();
  chat.first.answers({ pieces: [manyEvent] });
  assertError(await customer.post(streamed), 'upstream_error');
  chat.first.answers({ pieces: [deltaEvent('Hello'), new Promise((resolve) => setImmediate(resolve)), manyEvent] });
  const { text, isWhole } = await customer.raw(streamed);
  assert.match(text, /Hello.*"code":"upstream_error"/s);
  assert.deepEqual([isWhole, text.includes('[DONE]'), text.includes('[],[]')], [false, false, false]);
  const { balance, entries } = await customer.settled();
  assert.deepEqual([balance, typesOf(entries)], [100, ['hold', 'release', 'hold', 'release']]);
});

test('the last event of a response may have many values: only its usage is read', async () => {
  const customer = await chat.customer();
  const response = `{"id":"resp_many","output":${manyValues},"usage":{"input_tokens":9,"output_tokens":3}}`;
  const text = `event: response.completed\ndata: {"type":"response.completed","response":${response}}\n\n`;
  chat.first.answers({ pieces: [text] });
  const ask = { model: 'code-one', input: 'Hello', stream: true };
  assert.equal((await customer.raw(ask, responsesPath)).text, text);
  const { entries } = await customer.settled();
  assert.equal(entries.at(-2)?.['usage_source'], 'upstream');
});

test('what answers hold has a bound: over it a large one is refused, small ones pass, and all is given back', async () => {
  const { concurrencyLimits } = chat.gateway.core;
  const customer = await chat.customer();
  let goOn: () => void = () => undefined;
  const rest = new Promise<void>((resolve) => (goOn = resolve));
  const large = 'x'.repeat(6_000 * KiB);
  const first = `{${usage},"choices":[{"message":{"content":"${large}`;
  chat.first.answers({ headers: json, pieces: [first, rest, '"}}]}'] });
  const held = customer.raw(hello);
  while (concurrencyLimits.answerBytes.taken < first.length - 16 * KiB)
    await new Promise((resolve) => setTimeout(resolve, 5));

  chat.first.answers(chatAnswer(large));
  assertError(await customer.post(hello), 'overloaded');
  chat.first.answers({ pieces: [`data: {"choices":[{"delta":{"content":"${large}`] });
  assertError(await customer.post(streamed), 'overloaded');
  chat.first.answers(chatAnswer('Hi'), chatStream(['Hi']));
  assert.equal((await customer.post(hello)).status, 200);
  assert.match((await customer.raw(streamed)).text, /\[DONE\]/);

  goOn();
  assert.equal((await held).text, `${first}"}}]}`);
  while (concurrencyLimits.answerBytes.taken > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const { entries } = await customer.settled();
  assert.deepEqual(typesOf(entries).filter((type) => type === 'capture').length, 3);
});

test('the ledger adds up', () => chat.assertAddsUp());
