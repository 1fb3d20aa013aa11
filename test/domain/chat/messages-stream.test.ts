/** The meter of messages streams: what passes, what it says of tokens, and how it ends, however the bytes are cut. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessagesStreamMeter } from '../../../src/domain/chat/messages-meter.ts';
import { MeteredStream } from '../../../src/domain/chat/metered-stream.ts';
import { plainMessagesBytes } from '../../../src/domain/chat/plain-events.ts';
import { countsIn } from '../../support/token-prices.ts';
import { messagesEvent, messagesStream, messageStartEvent, textDeltaEvent } from '../../support/upstream.ts';

const whole = (messagesStream(['Hel', 'lo']).pieces ?? []).map(String).join('');

function read(pieces: readonly (string | Buffer)[]) {
  const stream = new MeteredStream(new MessagesStreamMeter());
  const sent = pieces.map((piece) => stream.push(Buffer.from(piece)) ?? Buffer.alloc(0));
  sent.push(stream.end() ?? Buffer.alloc(0));
  return { meter: stream.meter, state: stream.state, sent: Buffer.concat(sent).toString() };
}

test('every cut in two gives the same stream and the same counts', () => {
  for (let at = 0; at <= whole.length; at++) {
    const { meter, state, sent } = read([whole.slice(0, at), whole.slice(at)]);
    assert.deepEqual(
      [sent, state, meter.isComplete, meter.terminator],
      [whole, 'done', true, undefined],
      `cut at ${at}`,
    );
    const { fresh, cacheRead, cacheWrite5m, cacheWrite1h, output } = countsIn('messages', meter.stated.usage) ?? {};
    assert.deepEqual([fresh, cacheRead, cacheWrite5m, cacheWrite1h, output], [9, 5, 7, 2, 2]);
    assert.equal(meter.producedText(), 'Hello');
    assert.equal(meter.stated.id, 'msg_upstream1');
  }
});

test('blocks and pings are plain; what begins, counts and ends the message is read', () => {
  const plain = [messagesEvent('ping'), textDeltaEvent('x'), messagesEvent('content_block_stop', { index: 0 })].join(
    '',
  );
  const ends = [
    messageStartEvent(),
    messagesEvent('message_delta'),
    messagesEvent('message_stop'),
    messagesEvent('error'),
  ];
  for (const event of ends) assert.equal(plainMessagesBytes(Buffer.from(plain + event)), Buffer.byteLength(plain));
});

test('until its output is counted a message has the usage of its prompt only', () => {
  const { meter, state } = read([messageStartEvent(), textDeltaEvent('Hi')]);
  const { usage, promptUsage } = meter.stated;
  assert.deepEqual([state, meter.isComplete, usage], ['open', false, undefined]);
  assert.equal(countsIn('messages', promptUsage)?.cacheRead, 5);
});

test('thoughts and the input of tools are produced text; signatures are not', () => {
  const delta = (fields: Record<string, unknown>) => messagesEvent('content_block_delta', { index: 0, delta: fields });
  const { meter } = read([
    delta({ type: 'thinking_delta', thinking: 'hm ' }),
    delta({ type: 'signature_delta', signature: 'c2lnbmVk' }),
    messagesEvent('content_block_start', {
      index: 1,
      content_block: { type: 'tool_use', id: 't', name: 'read', input: {} },
    }),
    delta({ type: 'input_json_delta', partial_json: '{"a":1}' }),
  ]);
  assert.equal(meter.producedText(), 'hm read{"a":1}');
});

test('an error ends the stream unseen, with or without a name', () => {
  const error = { error: { type: 'overloaded_error', message: 'Overloaded' } };
  for (const event of [messagesEvent('error', error), `data: ${JSON.stringify({ type: 'error', ...error })}\n\n`]) {
    const { meter, state, sent } = read([messageStartEvent(), event, textDeltaEvent('late')]);
    assert.deepEqual([state, sent], ['failed', messageStartEvent()]);
    assert.match(meter.errorData?.toString() ?? '', /Overloaded/);
  }
});
