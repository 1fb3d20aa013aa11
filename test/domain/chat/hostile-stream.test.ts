/** Streams that an upstream breaks or makes up: metering says the same however they are cut, and throws nothing else than that they are too large. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChatStreamMeter } from '../../../src/domain/chat/chat-meter.ts';
import { MessagesStreamMeter } from '../../../src/domain/chat/messages-meter.ts';
import { MeteredStream, type StreamMeter } from '../../../src/domain/chat/metered-stream.ts';
import { ResponsesStreamMeter } from '../../../src/domain/chat/responses-meter.ts';
import { SseTooLarge } from '../../../src/domain/chat/sse.ts';
import { countsIn } from '../../support/token-prices.ts';
import { cut, mutated } from '../../support/mutations.ts';
import { chanceOf } from '../../support/seeded.ts';
import { chatEvent, deltaEvent, doneEvent, messagesStream, usageEvent } from '../../support/upstream.ts';

const rounds = Number(process.env['TEST_ROUNDS'] ?? 60);
const role = chatEvent({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] });
const chat = [
  role,
  deltaEvent('Hello'),
  deltaEvent(' "wörld"\n'),
  deltaEvent(null, 'stop'),
  usageEvent(9, 2),
  doneEvent,
];
const named = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
const responses = [
  named('response.created', { response: { id: 'resp_1', status: 'in_progress' } }),
  named('response.output_text.delta', { delta: 'Hello', output_index: 0 }),
  named('response.completed', { response: { id: 'resp_1', usage: { input_tokens: 9, output_tokens: 2 } } }),
];

const messages = (messagesStream(['Hello', ' "wörld"']).pieces ?? []).map(String);

// What the grammar and the meters look for.
const words = [
  ...[
    '\n\n',
    '\r',
    '\r\n',
    '\0',
    '\ufeff',
    ': x\n',
    'data',
    'data:',
    'data: ',
    'event: error\n',
    'id: 1\n',
    'retry: 0\n',
  ],
  ...[
    '[DONE]',
    'data: [DONE]\n\n',
    '"usage":',
    '"usage":{"prompt_tokens":1e400}',
    '"finish_reason":"stop"',
    '"error":{}',
  ],
  ...['"choices":[{', '"choices":[{"index":4294967296}]', '{"__proto__":{"usage":{}}}', '[[[[', '\\u0000', '\\ud800'],
  ...[
    `data: {"usage":{"prompt_tokens":-1,"completion_tokens":0.5,"total_tokens":"9"}}\n\n`,
    'event: response.failed\n',
  ],
];

for (const [what, events, meter] of [
  ['chat', chat, () => new ChatStreamMeter({ choices: 1, showsUsage: false })],
  ['responses', responses, () => new ResponsesStreamMeter()],
  ['messages', messages, () => new MessagesStreamMeter()],
] as const) {
  test(`a ${what} stream that was changed is metered the same in one piece and in many, and within bounds`, (t) => {
    const chance = chanceOf(t);
    const sample = Buffer.from(events.join(''));
    for (let round = 0; round < rounds; round++) {
      const bytes = mutated(sample, chance, words);
      const whole = read(meter(), [bytes]);
      const about = `round ${round}: ${JSON.stringify(bytes.toString('latin1'))}`;
      assert.deepEqual(read(meter(), cut(bytes, chance)), whole, about);
      assert.ok(Buffer.byteLength(whole.sent) <= 3 * bytes.length, about);
      const { fresh = 0, cacheRead = 0, output = 0 } = countsIn(what, whole.stated.usage) ?? {};
      for (const tokens of [fresh, cacheRead, output]) assert.ok(Number.isSafeInteger(tokens) && tokens >= 0, about);
      assert.ok(Buffer.byteLength(whole.text) <= bytes.length * 3, about);
      assert.ok(whole.scale >= 1 && whole.scale < 2, about);
    }
  });
}

test('a byte order mark in the middle of a stream hides its line, however the stream is cut', () => {
  const bytes = Buffer.from(`${chat[0]}\ufeff${chat.join('')}`);
  const whole = read(new ChatStreamMeter({ choices: 1, showsUsage: false }), [bytes]);
  const pieces = Array.from(bytes, (byte) => Buffer.from([byte]));
  assert.deepEqual(read(new ChatStreamMeter({ choices: 1, showsUsage: false }), pieces), whole);
});

test('a stream that never ends an event is given up at its bound, in whatever way it grows', () => {
  for (const piece of ['x', 'data: x\n', 'event: ', ':'].map((text) => text.repeat(40_000))) {
    const stream = new MeteredStream(new ChatStreamMeter({ choices: 1, showsUsage: false }));
    const flood = () => {
      for (let bytes = 0; bytes < 64 * 1024 * 1024; bytes += piece.length) stream.push(Buffer.from(piece));
    };
    assert.throws(flood, SseTooLarge, piece.slice(0, 8));
  }
});

function read(meter: StreamMeter, pieces: readonly Buffer[]) {
  const stream = new MeteredStream(meter);
  const sent: Buffer[] = [];
  for (const piece of pieces) sent.push(stream.push(piece) ?? Buffer.alloc(0));
  sent.push(stream.end() ?? Buffer.alloc(0));
  const { stated, isComplete, errorData } = meter;
  return {
    // Decoded, since a name that is no UTF-8 is repaired where its event had to be decoded.
    sent: Buffer.concat(sent).toString(),
    ...{ state: stream.state, stated, isComplete, error: errorData?.toString('latin1') },
    ...{ text: meter.producedText(), scale: meter.producedScale() },
  };
}
