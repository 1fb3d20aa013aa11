import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SseDecoder, SseTooLarge, writeSseEvent, type SseEvent } from '../../../src/domain/chat/sse.ts';

type Plain = [event: string, data: string];

const plain = (events: readonly SseEvent[]): Plain[] => events.map(({ event, data }) => [event, data.toString()]);

function decode(pieces: readonly (string | Buffer)[]): Plain[] {
  const decoder = new SseDecoder();
  const events = pieces.flatMap((piece) => decoder.push(Buffer.from(piece)));
  return plain([...events, ...decoder.end()]);
}

for (const [what, stream, events] of [
  ['one event', 'data: a\n\n', [['', 'a']]],
  [
    'several events in a read',
    'data: a\n\ndata: b\n\n',
    [
      ['', 'a'],
      ['', 'b'],
    ],
  ],
  [
    'CRLF',
    'data: a\r\n\r\ndata: b\r\n\r\n',
    [
      ['', 'a'],
      ['', 'b'],
    ],
  ],
  [
    'CR',
    'data: a\r\rdata: b\r\r',
    [
      ['', 'a'],
      ['', 'b'],
    ],
  ],
  [
    'mixed line ends',
    'data: a\r\n\ndata: b\r\r\ndata: c\n\r',
    [
      ['', 'a'],
      ['', 'b'],
      ['', 'c'],
    ],
  ],
  ['a byte order mark', '\uFEFFdata: a\n\n', [['', 'a']]],
  ['a byte order mark that is not the first', 'data: a\n\n\uFEFFdata: b\n\n', [['', 'a']]],
  [
    'a name',
    'event: e\ndata: a\n\ndata: b\n\n',
    [
      ['e', 'a'],
      ['', 'b'],
    ],
  ],
  ['the last of two names', 'event: e\nevent: f\ndata: a\n\n', [['f', 'a']]],
  ['a name behind the data', 'data: a\nevent: e\n\n', [['e', 'a']]],
  ['a name without data', 'event: e\n\ndata: a\n\n', [['', 'a']]],
  ['several lines of data', 'data: a\ndata: b\ndata\ndata:c\n\n', [['', 'a\nb\n\nc']]],
  ['only the first space is dropped', 'data:  a \n\n', [['', ' a ']]],
  ['no space', 'data:a\n\n', [['', 'a']]],
  [
    'empty data',
    'data:\n\ndata\n\n',
    [
      ['', ''],
      ['', ''],
    ],
  ],
  ['two empty lines of data', 'data\ndata\n\n', [['', '\n']]],
  ['comments', ': hello\n\n:\ndata: a\n: within\n\n', [['', 'a']]],
  ['unknown fields', 'id: 1\nretry: 5\nnonsense\ndatum: x\ndata : y\ndata: a\n\n', [['', 'a']]],
  ['colons in the data', 'data: a: b\n\n', [['', 'a: b']]],
  ['blank lines', '\n\n\r\n\r\rdata: a\n\n\n\n', [['', 'a']]],
  [
    'no blank line at the end',
    'data: a\n\ndata: b\n',
    [
      ['', 'a'],
      ['', 'b'],
    ],
  ],
  [
    'no line end at the end',
    'data: a\n\ndata: [DONE]',
    [
      ['', 'a'],
      ['', '[DONE]'],
    ],
  ],
  ['nothing', '', []],
  ['characters of several bytes', 'event: é\ndata: 你好 \u{1F600}\n\n', [['é', '你好 \u{1F600}']]],
] as const) {
  test(`${what}: the same events, in one read or cut at any byte`, () => {
    const bytes = Buffer.from(stream);
    assert.deepEqual(decode([bytes]), events);
    for (let first = 0; first <= bytes.length; first++) {
      assert.deepEqual(decode([bytes.subarray(0, first), bytes.subarray(first)]), events, `cut at ${first}`);
    }
    assert.deepEqual(decode([...bytes].map((byte) => Buffer.of(byte))), events, 'byte by byte');
  });
}

test('any stream gives the same events however it is cut', () => {
  const line = fc.constantFrom('data: x', 'data:', 'data', ': c', 'event: e', 'id: 1', 'data: 你', '', '', 'data:  y');
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
  const streams = fc.array(fc.tuple(line, lineEnd), { maxLength: 20 }).map((lines) => lines.flat().join(''));
  fc.assert(
    fc.property(streams, fc.array(fc.nat({ max: 200 })), (stream, cuts) => {
      const bytes = Buffer.from(stream);
      const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
      const pieces = places.slice(1).map((end, at) => bytes.subarray(places[at], end));
      assert.deepEqual(decode(pieces), decode([bytes]));
      assert.deepEqual(decode([bytes]), reference(stream));
    }),
    { numRuns: 500 },
  );
});

test('an event that needs no change shows its own bytes, others none', () => {
  const bytes = Buffer.from('data: a\n\ndata:b\n\ndata: c\n\n');
  const events = new SseDecoder().push(bytes);
  assert.deepEqual(
    events.map(({ wire }) => wire?.toString()),
    ['data: a\n\n', undefined, 'data: c\n\n'],
  );
  assert.equal(events[0]?.wire?.buffer, bytes.buffer, 'a view, no copy');
});

test('an event is returned as soon as its blank line is there', () => {
  const decoder = new SseDecoder();
  assert.deepEqual(decoder.push(Buffer.from('data: a\r\n')), []);
  assert.deepEqual(plain(decoder.push(Buffer.from('\r'))), [['', 'a']]);
  assert.deepEqual(plain(decoder.push(Buffer.from('\ndata: b\n\n'))), [['', 'b']]);
});

test('an event may have as many bytes as the bound, and no more, in whatever way it comes', () => {
  const fits = `data: ${'x'.repeat(90)}\n\n`;
  assert.equal(new SseDecoder(96).push(Buffer.from(fits)).length, 1);
  for (const stream of [
    `data: ${'x'.repeat(100)}\n\n`,
    'x'.repeat(100),
    ': '.repeat(60),
    `event: ${'e'.repeat(100)}`,
    'data: xxxxxxxxx\n'.repeat(12),
    'data\n'.repeat(120),
  ]) {
    for (const step of [1, 7, 1000]) {
      const decoder = new SseDecoder(96);
      const run = () => {
        for (let at = 0; at < stream.length; at += step) decoder.push(Buffer.from(stream.slice(at, at + step)));
      };
      assert.throws(run, SseTooLarge, `${JSON.stringify(stream.slice(0, 20))} by ${step}`);
    }
  }
});

test('ten megabytes in one event take no longer in small reads than they should', () => {
  const decoder = new SseDecoder();
  const piece = Buffer.alloc(16 * 1024, 'x');
  const begun = performance.now();
  decoder.push(Buffer.from('data: '));
  for (let at = 0; at < 640; at++) assert.equal(decoder.push(piece).length, 0);
  const [event] = decoder.push(Buffer.from('\n\n'));
  assert.equal(event?.data.length, 640 * piece.length);
  assert.ok(performance.now() - begun < 2000, 'copied over and over?');
});

test('an event is written with its name, on one line', () => {
  assert.equal(writeSseEvent('', Buffer.from('{"a":1}')).toString(), 'data: {"a":1}\n\n');
  assert.equal(writeSseEvent('e', Buffer.from('{\n"a":1\n}')).toString(), 'event: e\ndata: { "a":1 }\n\n');
});

/** The standard's own algorithm, over the whole text at once, with the last event kept. */
function reference(stream: string): Plain[] {
  const events: Plain[] = [];
  let data: string[] = [];
  let event = '';
  const dispatch = () => {
    if (data.length > 0) events.push([event, data.join('\n')]);
    data = [];
    event = '';
  };
  for (const line of stream.split(/\r\n|\n|\r/)) {
    if (line === '') dispatch();
    else if (!line.startsWith(':')) {
      const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (name === 'data') data.push(value);
      if (name === 'event') event = value;
    }
  }
  dispatch();
  return events;
}
