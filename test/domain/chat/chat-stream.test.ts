import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countsOf } from '../../../src/domain/billing/token-counts.ts';
import { ChatStreamMeter, type ChatStreamOptions } from '../../../src/domain/chat/chat-meter.ts';
import { MeteredStream } from '../../../src/domain/chat/metered-stream.ts';
import { countsIn } from '../../support/token-prices.ts';
import { chatEvent, chatStream, deltaEvent, doneEvent, errorEvent, usageEvent } from '../../support/upstream.ts';

const options: ChatStreamOptions = { choices: 1, showsUsage: false };

function run(pieces: readonly (string | Buffer)[], more: Partial<ChatStreamOptions> = {}) {
  const stream = new MeteredStream(new ChatStreamMeter({ ...options, ...more }));
  const out = pieces.map((piece) => stream.push(Buffer.from(piece)));
  out.push(stream.end());
  const sent = out.map((bytes) => bytes?.toString() ?? '').join('');
  return { stream, meter: stream.meter, sent };
}

const role = chatEvent({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] });
const events = [role, deltaEvent('Hello'), deltaEvent(' "wörld"\n'), deltaEvent(null, 'stop')];
const whole = [...events, usageEvent(9, 2), doneEvent];

test('a stream passes as it came, but for the usage and [DONE], and is metered', () => {
  const { stream, meter, sent } = run(whole);
  assert.equal(sent, events.join(''));
  assert.equal(stream.state, 'done');
  assert.deepEqual(countsIn('chat', meter.stated.usage), countsOf({ fresh: 9, cacheRead: 0, output: 2 }));
  assert.deepEqual([meter.isDone, meter.isComplete, meter.errorData], [true, true, undefined]);
  assert.equal(meter.producedText(), 'Hello "wörld"\n');
  assert.equal(meter.producedScale(), 1);
});

test('the usage-only chunk is shown to those who asked for it', () => {
  assert.equal(run(whole, { showsUsage: true }).sent, [...events, usageEvent(9, 2)].join(''));
});

test('a plain read is handed on as itself, without a copy, and one event never waits for the next', () => {
  const stream = new MeteredStream(new ChatStreamMeter(options));
  for (const event of [role, deltaEvent('a') + deltaEvent('b')]) {
    const bytes = Buffer.from(event);
    assert.equal(stream.push(bytes), bytes);
  }
  const cut = Buffer.from(deltaEvent('c') + deltaEvent('d').slice(0, 20));
  assert.equal(stream.push(cut)?.toString(), deltaEvent('c'));
  assert.equal(stream.push(Buffer.from(deltaEvent('d').slice(20)))?.toString(), deltaEvent('d'));
});

test('however it is cut, the caller gets the same bytes and the meter reads the same', () => {
  const bytes = Buffer.from(whole.join(''));
  for (let at = 0; at <= bytes.length; at++) {
    const { sent, meter, stream } = run([bytes.subarray(0, at), bytes.subarray(at)]);
    assert.equal(sent, events.join(''), `cut at ${at}`);
    assert.deepEqual(
      [stream.state, meter.stated.usage?.['completion_tokens'], meter.producedText()],
      ['done', 2, 'Hello "wörld"\n'],
    );
  }
  assert.equal(run([...bytes].map((byte) => Buffer.of(byte))).sent, events.join(''));
});

test('comments, names, ids and other line ends are dropped: data lines and blank lines are left', () => {
  const odd = events.map((event) => `: keep-alive\r\n\r\nid: 7\r\nevent: chunk\r\n${event.replaceAll('\n', '\r\n')}`);
  const { sent, stream } = run([...odd, ': x\n\n', 'data:[DONE]\n\n']);
  assert.equal(sent, events.join(''));
  assert.equal(stream.state, 'done');
});

test('a bare CR ends a line and an event in the middle of what looks plain', () => {
  const chunk = deltaEvent('a').trimEnd();
  const { sent, stream } = run([`${chunk}\r\revent: error\rdata: {"choices":[{}],"message":"boom"}\n\n`]);
  assert.deepEqual([sent, stream.state], [`${chunk}\n\n`, 'failed']);
});

test('white space in the JSON changes nothing', () => {
  const spaced = (event: string) =>
    event === doneEvent
      ? event
      : `data: ${JSON.stringify(JSON.parse(event.slice(6)), null, 1).replaceAll(/\n */g, ' ')}\n\n`;
  const { sent, meter, stream } = run(whole.map(spaced));
  assert.equal(sent, events.map(spaced).join(''));
  assert.deepEqual([stream.state, meter.stated.usage?.['prompt_tokens'], meter.isComplete], ['done', 9, true]);
});

test('JSON over several lines of data comes out as one line', () => {
  const json = JSON.stringify(JSON.parse(deltaEvent('Hi').slice(6)), null, 2);
  const { sent } = run([`data: ${json.replaceAll('\n', '\ndata: ')}\n\n`]);
  assert.equal(sent.split('\n').length, 3);
  assert.deepEqual(JSON.parse(sent.slice(6)), JSON.parse(json));
});

test('what a text says of usage, errors and finish reasons is only text', () => {
  const content = '{"usage":{"prompt_tokens":1},"finish_reason":"stop","error":{}} "usage":{ \\"usage\\":';
  const { sent, meter, stream } = run([deltaEvent(content)]);
  assert.equal(sent, deltaEvent(content));
  assert.deepEqual([stream.state, meter.stated.usage, meter.isComplete], ['open', undefined, false]);
  assert.equal(meter.producedText(), content);
});

test('usage on a chunk with choices is read, and the chunk is shown; the last usage that makes sense counts', () => {
  const usage = (completion: unknown) => ({ prompt_tokens: 5, completion_tokens: completion });
  const choices = [{ index: 0, delta: { content: 'x' }, finish_reason: null }];
  const chunks = [1, 2, 'nonsense'].map((count) => chatEvent({ choices, usage: usage(count) }));
  const { sent, meter } = run([...chunks, doneEvent]);
  assert.equal(sent, chunks.join(''));
  assert.deepEqual(countsIn('chat', meter.stated.usage), countsOf({ fresh: 5, cacheRead: 0, output: 2 }));
});

test('usage: null on every chunk is none', () => {
  const chunk = chatEvent({ choices: [{ index: 0, delta: { content: 'x' }, finish_reason: null }], usage: null });
  const bytes = Buffer.from(chunk);
  const stream = new MeteredStream(new ChatStreamMeter(options));
  assert.equal(stream.push(bytes), bytes, 'and costs nothing');
  assert.equal(stream.meter.stated.usage, undefined);
});

test('a chunk without choices that has no usage is shown', () => {
  const filter = chatEvent({ choices: [], prompt_filter_results: [{}] });
  assert.equal(run([filter]).sent, filter);
});

test('without [DONE] a stream is complete once every choice had its finish reason', () => {
  const first = run([deltaEvent('a', null, 0), deltaEvent(null, 'stop', 0)], { choices: 2 });
  assert.deepEqual([first.meter.isComplete, first.stream.state], [false, 'open']);
  const both = run([deltaEvent(null, 'stop', 0) + deltaEvent(null, 'length', 1)], { choices: 2 });
  assert.deepEqual([both.meter.isComplete, both.meter.isDone], [true, false]);
  assert.equal(run([deltaEvent(null, 'stop', 0), deltaEvent(null, 'stop', 0)], { choices: 2 }).meter.isComplete, false);
});

test('a last event without its blank line counts, one that is cut off is dropped', () => {
  assert.equal(run([...events, 'data: [DONE]']).stream.state, 'done');
  assert.equal(run([role, deltaEvent('a').trimEnd()]).sent, role + deltaEvent('a'));
  const cut = run([role, deltaEvent('a').slice(0, 60)]);
  assert.deepEqual([cut.sent, cut.stream.state], [role, 'open']);
});

for (const [what, event] of [
  ['an error object', errorEvent('boom')],
  ['an event named error', 'event: error\ndata: {"message":"boom"}\n\n'],
  ['an error beside choices', chatEvent({ choices: [{ index: 0, delta: {} }], error: { message: 'boom' } })],
  ['an error that is a text', 'data: {"error": "boom"}\n\n'],
  ['an object that is an error', 'data: {"object":"error","message":"boom","code":400}\n\n'],
  ['an event named error that is no JSON', 'event: error\ndata: boom\n\n'],
  ['what is no JSON', 'data: boom\n\n'],
] as const) {
  test(`${what} ends the stream, unseen by the caller, and nothing comes after it`, () => {
    const { stream, meter, sent } = run([role + event + deltaEvent('late'), deltaEvent('later'), doneEvent]);
    assert.equal(sent, role);
    assert.equal(stream.state, 'failed');
    assert.match(meter.errorData?.toString() ?? '', /boom/);
    assert.equal(meter.isDone, false);
  });
}

test('after [DONE] nothing is passed on or read', () => {
  const { stream, meter, sent } = run([doneEvent + deltaEvent('late'), usageEvent(), errorEvent('x')]);
  assert.deepEqual([stream.state, sent, meter.stated.usage, meter.errorData], ['done', '', undefined, undefined]);
});

test('the produced text has contents, refusals, reasoning and tool calls of all choices', () => {
  const delta = (fields: object, index = 0) => chatEvent({ choices: [{ index, delta: fields, finish_reason: null }] });
  const call = (fields: object) => delta({ tool_calls: [{ index: 0, function: fields }] });
  const { meter } = run([
    delta({ reasoning_content: 'think ' }),
    delta({ content: 'say ' }),
    delta({ refusal: 'no ' }, 1),
    call({ name: 'weather', arguments: '' }),
    call({ arguments: '{"city":' }),
    delta({ content: null }),
  ]);
  assert.equal(meter.producedText(), 'think say no weather{"city":');
});

test('of a stream of many megabytes a part is kept, and the scale says how much it stands for', () => {
  const stream = new MeteredStream(new ChatStreamMeter(options));
  const event = Buffer.from(deltaEvent('x'.repeat(10_000)));
  for (let at = 0; at < 1000; at++) stream.push(event);
  const characters = stream.meter.producedText().length * stream.meter.producedScale();
  assert.ok(stream.meter.producedText().length < 4 * 1024 * 1024);
  assert.ok(Math.abs(characters - 10_000_000) < 10, String(characters));
});

test('whole streams of the stand-in upstream are understood', () => {
  const { pieces = [] } = chatStream(['a', 'b', 'c']);
  const { meter, stream } = run(pieces.filter((piece) => typeof piece === 'string'));
  assert.deepEqual([stream.state, meter.producedText(), meter.stated.usage?.['completion_tokens']], ['done', 'abc', 3]);
});
