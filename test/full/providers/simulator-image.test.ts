import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { probeMedia } from '../../../src/media/probe.ts';
import { bytesReader } from '../../../src/media/reader.ts';
import { openImage } from '../../../src/simulator/encoding/read-image.ts';
import { glyphOf } from '../../../src/simulator/font.ts';
import { jpg, mp4, png, textFile, truncated } from '../../support/media.ts';
import { imageJob } from '../../support/jobs.ts';
import { emptied, finish, result, results, withSimulator } from '../../providers/simulator-support.ts';

const sizeOf = async (file: Buffer) => {
  const { mediaType, width, height } = await probeMedia(bytesReader(file));
  return `${mediaType} ${width ?? 0}x${height ?? 0}`;
};
const upscaleTo = (longerSide: 4096 | 8192, url = 'http://x/reference') =>
  imageJob({ prompt: '', imageUrls: [url], pixels: { mode: 'upscale', longerSide } });

/** All pixels of an image, red, green and blue. */
async function pixelsOf(file: Buffer): Promise<{ width: number; height: number; rows: Buffer[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-pixels-'));
  try {
    await writeFile(join(folder, 'image'), file);
    const { width, height, rows } = await openImage(join(folder, 'image'));
    const copies: Buffer[] = [];
    for await (const row of rows) copies.push(Buffer.from(row));
    return { width, height, rows: copies };
  } finally {
    await rm(folder, { recursive: true });
  }
}

for (const [width, height] of [
  [1024, 1024],
  [1536, 512],
  [2096, 1184],
  [64, 64],
] as const) {
  test(`an image of ${width}x${height} has exactly that size`, () =>
    withSimulator(async ({ simulator }) => {
      const file = await result(simulator, imageJob({ pixels: { mode: 'sized', width, height } }));
      assert.equal(await sizeOf(file), `image/png ${width}x${height}`);
      const { rows } = await pixelsOf(file);
      assert.deepEqual([rows.length, rows.at(-1)?.length], [height, width * 3]);
    }));
}

test('several images of one job differ, each is the same when the job is run again; other prompts look different', () =>
  withSimulator(async ({ simulator }) => {
    const hashes = async (prompt: string) =>
      (await results(simulator, imageJob({ prompt, n: 3 }))).map((file) =>
        createHash('sha256').update(file).digest('hex'),
      );
    const first = await hashes('a red fox, 一只红色的狐狸 😀');
    assert.equal(new Set(first).size, 3);
    assert.deepEqual(await hashes('a red fox, 一只红色的狐狸 😀'), first);
    assert.equal(new Set([...first, ...(await hashes('a red fox, 一只红色的狐狸 😁'))]).size, 6);
  }));

test('reference images are named on the card and never fetched', () =>
  withSimulator(async ({ simulator, downloads }) => {
    const plain = await result(simulator, imageJob());
    const referring = await result(simulator, imageJob({ imageUrls: ['http://x/1', 'http://x/2'] }));
    assert.notDeepEqual(referring, plain);
    assert.deepEqual(downloads, []);
  }));

test('a very long prompt is cut, not refused', () =>
  withSimulator(async ({ simulator }) => {
    const file = await result(simulator, imageJob({ prompt: 'long '.repeat(20_000) }));
    assert.equal(await sizeOf(file), 'image/png 1024x1024');
  }));

test('letters are drawn as letters, all else as boxes with the number', () => {
  assert.notDeepEqual(glyphOf(0x41), glyphOf(0x42));
  assert.deepEqual(glyphOf(0x0a).rows, glyphOf(0x20).rows);
  assert.equal(glyphOf(0x4e00).rows[0], 0b111111111110);
  assert.notDeepEqual(glyphOf(0x4e00), glyphOf(0x4e01));
  assert.equal(glyphOf(0x1f600).width, 16);
});

test('a reference is upscaled at its own ratio and still shows what it showed', () =>
  withSimulator(async (bench) => {
    const { simulator, files } = bench;
    files.set('http://x/wide.png', await png({ width: 96, height: 48 }));
    files.set('http://x/tall.jpg', jpg({ width: 40, height: 80 }));
    const wide = await result(simulator, upscaleTo(4096, 'http://x/wide.png'));
    assert.equal(await sizeOf(wide), 'image/png 4096x2048');
    assert.deepEqual(await result(simulator, upscaleTo(4096, 'http://x/wide.png')), wide);
    const tall = await result(simulator, upscaleTo(4096, 'http://x/tall.jpg'));
    assert.equal(await sizeOf(tall), 'image/png 2048x4096');
    // The test image grows red from left to right and green from top to bottom.
    for (const file of [wide, tall]) {
      const { width, height, rows } = await pixelsOf(file);
      for (const [x, y] of [
        [0.1, 0.2],
        [0.5, 0.5],
        [0.9, 0.7],
      ] as const) {
        const at = Math.floor(x * width) * 3;
        const [red = -1, green = -1] = rows[Math.floor(y * height)]?.subarray(at, at + 2) ?? [];
        assert.ok(Math.abs(red - x * 255) < 12 && Math.abs(green - y * 255) < 12, `${red} ${green} at ${x} ${y}`);
      }
    }
    await emptied(bench);
  }));

test('a reference that is larger than the target is made smaller', () =>
  withSimulator(async ({ simulator, files }) => {
    files.set('http://x/reference', await png({ width: 5000, height: 10 }));
    assert.equal(await sizeOf(await result(simulator, upscaleTo(4096))), 'image/png 4096x8');
  }));

test('a reference that can not be fetched or read fails the job with its param, and leaves nothing behind', () =>
  withSimulator(async (bench) => {
    const { simulator, files } = bench;
    const damaged = Buffer.from(await png({ width: 100, height: 100 }));
    damaged.fill(0x55, damaged.indexOf('IDAT') + 8, damaged.indexOf('IDAT') + 60);
    const huge = Buffer.from(await png({ width: 10, height: 10 }));
    huge.writeUInt32BE(100_000, 16);
    huge.writeUInt32BE(100_000, 20);
    for (const [file, message] of [
      [undefined, /nothing there/],
      [textFile, /not PNG, JPEG/],
      [Buffer.alloc(0), /empty/],
      [truncated(await png({ width: 100, height: 100 })), /truncated/],
      [damaged, /damaged PNG/],
      [huge, /pixels; the maximum/],
      [truncated(jpg({ width: 100, height: 100 })), /truncated/],
      [
        Buffer.from('GIF89a\x40\x01\x7b\0\0\0\0,\0\0\0\0\x40\x01\x7b\0\0\x02\x02\x44\x01\0;', 'latin1'),
        /neither PNG nor JPEG/,
      ],
      [await mp4({ seconds: 0.2 }), /video\/mp4, not an image/],
    ] as const) {
      if (file !== undefined) files.set('http://x/reference', file);
      const poll = await finish(simulator, upscaleTo(4096));
      assert.ok(poll.state === 'failed', String(message));
      assert.deepEqual([poll.error.code, poll.error.param], ['invalid_parameter', 'image_urls[0]']);
      assert.match(poll.error.message, message);
    }
    await emptied(bench);
  }));

/** A PNG by hand, for the kinds that the simulator's own encoder doesn't write. */
function pngOf(header: number[], extra: Buffer[], raw: number[]): Buffer {
  const chunk = (type: string, content: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(content.length);
    return Buffer.concat([length, Buffer.from(type, 'latin1'), content, Buffer.alloc(4)]);
  };
  const named = extra.map((content) => chunk(content.toString('latin1', 0, 4), content.subarray(4)));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', Buffer.from([0, 0, 0, ...header.slice(0, 1), 0, 0, 0, ...header.slice(1)])),
    ...named,
    chunk('IDAT', deflateSync(Buffer.from(raw))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

for (const [name, file, expected] of [
  ['grey of one bit', pngOf([4, 1, 1, 0, 0, 0, 0], [], [0, 0b10100000]), [255, 0, 255, 0].flatMap((v) => [v, v, v])],
  ['grey of 16 bits', pngOf([1, 1, 16, 0, 0, 0, 0], [], [0, 0x80, 0x7f]), [128, 128, 128]],
  ['grey with transparency', pngOf([1, 1, 8, 4, 0, 0, 0], [], [0, 0, 0]), [255, 255, 255]],
  [
    'a palette of two bits with transparency',
    pngOf(
      [2, 1, 2, 3, 0, 0, 0],
      [Buffer.from('PLTE\x0a\x14\x1e\x28\x32\x3c', 'latin1'), Buffer.from('tRNS\xff\x00', 'latin1')],
      [0, 0b00010000],
    ),
    [10, 20, 30, 255, 255, 255],
  ],
  ['colours with transparency', pngOf([1, 1, 8, 6, 0, 0, 0], [], [0, 10, 20, 30, 255]), [10, 20, 30]],
  [
    'rows under every filter',
    pngOf([2, 5, 8, 0, 0, 0, 0], [], [0, 10, 20, 1, 10, 20, 2, 1, 1, 3, 5, 5, 4, 1, 1]),
    // none: 10 20; sub: 10 30; up: 11 31; average: 5+5=10, 5+(10+31)/2=25; Paeth: 1+10=11, 1+25=26
    [10, 20, 10, 30, 11, 31, 10, 25, 11, 26].flatMap((v) => [v, v, v]),
  ],
] as const) {
  test(`a PNG with ${name} is decoded`, async () => {
    const { rows } = await pixelsOf(file);
    assert.deepEqual([...Buffer.concat(rows)], expected);
  });
}
