import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countsOf } from '../../../src/domain/billing/token-counts.ts';
import { MeteredStream } from '../../../src/domain/chat/metered-stream.ts';
import { ResponsesStreamMeter } from '../../../src/domain/chat/responses-meter.ts';
import { countsIn } from '../../support/token-prices.ts';
import { responsesEvent, responsesStream } from '../../support/upstream.ts';

function run(pieces: readonly (string | Buffer)[]) {
  const stream = new MeteredStream(new ResponsesStreamMeter());
  const out = pieces.map((piece) => stream.push(Buffer.from(piece)));
  out.push(stream.end());
  return { stream, meter: stream.meter, sent: out.map((bytes) => bytes?.toString() ?? '').join('') };
}

const eventsOf = (...from: Parameters<typeof responsesStream>): string[] =>
  (responsesStream(...from).pieces ?? []).filter((piece) => typeof piece === 'string');

for (const end of ['completed', 'incomplete', 'failed'] as const) {
  test(`a stream that ends ${end} passes whole, and its usage and id are read`, () => {
    const events = eventsOf(['Hel', 'lo'], end);
    const { stream, meter, sent } = run(events);
    assert.equal(sent, events.join(''));
    assert.deepEqual([stream.state, meter.end, meter.responseId], ['done', end, 'resp_upstream1']);
    assert.deepEqual(countsIn('responses', meter.stated.usage), countsOf({ fresh: 5, cacheRead: 4, output: 2 }));
    assert.equal(meter.producedText(), 'Hello');
    assert.equal(meter.lastSequenceNumber(), 3);
  });
}

test('however it is cut, the caller gets the same bytes', () => {
  const events = eventsOf(['Hel', 'lö']);
  const bytes = Buffer.from(events.join(''));
  for (let at = 0; at <= bytes.length; at++) {
    const { sent, meter } = run([bytes.subarray(0, at), bytes.subarray(at)]);
    assert.equal(sent, events.join(''), `cut at ${at}`);
    assert.deepEqual(
      [meter.stated.usage?.['output_tokens'], meter.producedText(), meter.responseId],
      [2, 'Hellö', 'resp_upstream1'],
    );
  }
});

test('a plain read is handed on as itself', () => {
  const stream = new MeteredStream(new ResponsesStreamMeter());
  const bytes = Buffer.from(
    responsesEvent('response.output_text.delta', 4, { delta: 'a' }) +
      responsesEvent('response.function_call_arguments.delta', 5, { delta: '{' }),
  );
  assert.equal(stream.push(bytes), bytes);
  assert.equal(stream.meter.producedText(), 'a{');
  assert.equal(stream.meter.lastSequenceNumber(), 5);
});

test('a stream that breaks off is open, with what it produced and the last number', () => {
  const { stream, meter } = run(eventsOf(['a', 'b'], null));
  assert.deepEqual([stream.state, meter.end, meter.stated.usage], ['open', undefined, undefined]);
  assert.deepEqual([meter.producedText(), meter.lastSequenceNumber()], ['ab', 2]);
  assert.equal(run([]).meter.lastSequenceNumber(), -1);
});

test('an error event ends the stream unseen', () => {
  const [created = ''] = eventsOf([]);
  for (const error of [
    'event: error\ndata: {"type":"error","code":"server_error","message":"boom","sequence_number":1}\n\n',
    'data: {"type":"error","message":"boom"}\n\n',
    'data: boom\n\n',
    'event: response.completed\ndata: boom\n\n',
  ]) {
    const { stream, meter, sent } = run([created + error + responsesEvent('response.completed', 2)]);
    assert.deepEqual([stream.state, sent], ['failed', created]);
    assert.match(meter.errorData?.toString() ?? '', /boom/);
  }
});

test('comments and [DONE] are dropped, other line ends replaced, and events without a name understood', () => {
  const events = eventsOf(['a', 'b']);
  const odd = events.map((event) => `: ping\r\n\r\n${event.replaceAll('\n', '\r\n')}`);
  assert.equal(run([...odd, 'data: [DONE]\n\n']).sent, events.join(''));
  const nameless = events.map((event) => event.slice(event.indexOf('data: ')));
  const { sent, meter } = run(nameless);
  assert.equal(sent, nameless.join(''));
  assert.deepEqual([meter.end, meter.stated.usage?.['output_tokens'], meter.producedText()], ['completed', 2, 'ab']);
});

test('after the terminal event nothing is passed on', () => {
  const events = eventsOf(['a']);
  assert.equal(
    run([...events, responsesEvent('response.output_text.delta', 9, { delta: 'late' })]).sent,
    events.join(''),
  );
});

test('without usage in the terminal event there is none', () => {
  const { meter, stream } = run([
    responsesEvent('response.incomplete', 1, { response: { id: 'resp_2', usage: null } }),
  ]);
  assert.deepEqual([stream.state, meter.stated.usage, meter.responseId], ['done', undefined, 'resp_2']);
});
