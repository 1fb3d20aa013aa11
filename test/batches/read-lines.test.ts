/** Lines of a file, however its bytes come. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FileLine, readLines } from '../../src/batches/read-lines.ts';

async function read(pieces: readonly string[], lineBytesMax = 100): Promise<FileLine[]> {
  async function* source() {
    for (const piece of pieces) yield await Promise.resolve(Buffer.from(piece));
  }
  const lines: FileLine[] = [];
  for await (const line of readLines(source(), lineBytesMax)) lines.push(line);
  return lines;
}
const shown = (lines: readonly FileLine[]) =>
  lines.map(({ number, byteOffset, byteLength, bytes }) => [number, byteOffset, byteLength, bytes?.toString()]);

const text = 'eins\n\n{"zwei":"ä"}\r\n   \nfünf';
const expected = [
  [1, 0, 4, 'eins'],
  [3, 6, 13, '{"zwei":"ä"}'],
  [5, 25, 5, 'fünf'],
];

test('lines have their number and their place in bytes, and blank ones are passed over', async () => {
  assert.deepEqual(shown(await read([text])), expected);
});

test('lines are the same when every byte comes by itself', async () => {
  const bytes = [...Buffer.from(text)].map((byte) => Buffer.from([byte]));
  const lines: FileLine[] = [];
  async function* source() {
    for (const byte of bytes) yield await Promise.resolve(byte);
  }
  for await (const line of readLines(source(), 100)) lines.push(line);
  assert.deepEqual(shown(lines), expected);
});

test('a line that is too long is named without its bytes, and those behind it are read', async () => {
  assert.deepEqual(shown(await read(['x'.repeat(60), 'x'.repeat(60), '\nb\n'])), [
    [1, 0, 120, undefined],
    [2, 121, 1, 'b'],
  ]);
});
