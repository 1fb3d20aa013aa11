/** The pixels of every resolution and ratio, and of upscaled images. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { imageAreaPixelsMax, imageAreaPixelsMin } from '../../src/domain/limits.ts';
import {
  hasAllowedArea,
  hasAllowedSides,
  imageRatios,
  imageResolutions,
  pixelsOf,
  upscaledPixels,
} from '../../src/domain/tasks/pixels.ts';

const table = {
  '1:1': ['1024x1024', '2048x2048', '4096x4096'],
  // 1360x768 would be too small, and 1376 is the next step up.
  '16:9': ['1376x768', '2736x1536', '5456x3072'],
  '9:16': ['768x1376', '1536x2736', '3072x5456'],
  // 1184x880 would be too small, 4736x3552 too large.
  '4:3': ['1184x896', '2368x1776', '4720x3536'],
  '3:4': ['896x1184', '1776x2368', '3536x4720'],
  // 1248x832 would be too small, 5024x3344 too large.
  '3:2': ['1264x848', '2512x1680', '5008x3344'],
  '2:3': ['848x1264', '1680x2512', '3344x5008'],
  '5:4': ['1152x912', '2288x1824', '4576x3664'],
  '4:5': ['912x1152', '1824x2288', '3664x4576'],
  // 1456x720 would be too small.
  '2:1': ['1456x736', '2896x1456', '5792x2896'],
  '1:2': ['736x1456', '1456x2896', '2896x5792'],
  // 6256x2688 would be too large.
  '21:9': ['1568x672', '3136x1344', '6256x2672'],
  '9:21': ['672x1568', '1344x3136', '2672x6256'],
} as const;

describe('the pixels of a resolution and a ratio', () => {
  test('are known for every ratio', () => assert.deepEqual(Object.keys(table), [...imageRatios]));

  for (const ratio of imageRatios) {
    for (const [index, resolution] of imageResolutions.entries()) {
      test(`of ${resolution} at ${ratio} are ${table[ratio][index]}`, () => {
        const { width, height } = pixelsOf(resolution, ratio);
        assert.equal(`${width}x${height}`, table[ratio][index]);
      });
    }
  }

  test('are multiples of 16 within the limits of size, close to the area and the ratio', () => {
    fc.assert(
      fc.property(fc.constantFrom(...imageResolutions), fc.constantFrom(...imageRatios), (resolution, ratio) => {
        const pixels = pixelsOf(resolution, ratio);
        const { width, height } = pixels;
        assert.equal(width % 16, 0);
        assert.equal(height % 16, 0);
        assert.ok(hasAllowedArea(pixels) && hasAllowedSides(pixels));
        const [across, down] = ratio.split(':').map(Number);
        const area = { '1k': 1024, '2k': 2048, '4k': 4096 }[resolution] ** 2;
        assert.ok(Math.abs(width - Math.sqrt((area * across!) / down!)) < 16);
        assert.ok(Math.abs(height - Math.sqrt((area * down!) / across!)) < 16);
      }),
    );
  });

  test('of a ratio turned round are the same, turned round', () => {
    for (const resolution of imageResolutions) {
      for (const ratio of imageRatios) {
        const turned = ratio.split(':').reverse().join(':');
        const other = imageRatios.find((one) => one === turned);
        assert.ok(other);
        const { width, height } = pixelsOf(resolution, ratio);
        assert.deepEqual(pixelsOf(resolution, other), { width: height, height: width });
      }
    }
  });
});

describe('the limits of size', () => {
  for (const [width, height, area, sides] of [
    [1024, 1024, true, true],
    [1024, 1023, false, true],
    [4096, 4096, true, true],
    [4096, 4097, false, true],
    [3000, 1000, true, true],
    [3001, 1000, true, false],
    [1000, 3000, true, true],
    [1000, 3001, true, false],
  ] as const) {
    test(`${area && sides ? 'allow' : 'refuse'} ${width}x${height}`, () => {
      assert.equal(hasAllowedArea({ width, height }), area);
      assert.equal(hasAllowedSides({ width, height }), sides);
    });
  }
  test('are the documented ones', () =>
    assert.deepEqual([imageAreaPixelsMin, imageAreaPixelsMax], [1_048_576, 16_777_216]));
});

describe('upscaling', () => {
  for (const [width, height, longerSide, result] of [
    [1024, 1024, 4096, [4096, 4096]],
    [1024, 1024, 8192, [8192, 8192]],
    [1920, 1080, 4096, [4096, 2304]],
    [1080, 1920, 8192, [4608, 8192]],
    [1000, 333, 4096, [4096, 1364]],
    [3, 2, 4096, [4096, 2731]],
    [10_000, 1, 4096, [4096, 1]],
    [8192, 4096, 4096, [4096, 2048]],
  ] as const) {
    test(`of ${width}x${height} to ${longerSide} gives ${result.join('x')}`, () => {
      assert.deepEqual(upscaledPixels({ width, height }, longerSide), { width: result[0], height: result[1] });
    });
  }

  test('makes the longer side as asked for and keeps the ratio to within a pixel', () => {
    const side = fc.integer({ min: 1, max: 20_000 });
    fc.assert(
      fc.property(side, side, fc.constantFrom(4096, 8192), (width, height, longerSide) => {
        const upscaled = upscaledPixels({ width, height }, longerSide);
        assert.equal(Math.max(upscaled.width, upscaled.height), longerSide);
        assert.ok(Math.abs(upscaled.width - (longerSide * width) / Math.max(width, height)) < 1);
        assert.ok(Math.abs(upscaled.height - (longerSide * height) / Math.max(width, height)) < 1);
        assert.ok(upscaled.width >= 1 && upscaled.height >= 1);
      }),
    );
  });

  test('refuses a reference without an area', () => {
    assert.throws(() => upscaledPixels({ width: 0, height: 9 }, 4096), RangeError);
    assert.throws(() => upscaledPixels({ width: 9, height: NaN }, 4096), RangeError);
  });
});
