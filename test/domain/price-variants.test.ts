/** Which price applies to an image that is asked for, and to a video that was made. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ImagePrice } from '../../src/domain/catalogue.ts';
import { micros } from '../../src/domain/money.ts';
import { imageRatios, imageResolutions, pixelsOf } from '../../src/domain/tasks/pixels.ts';
import {
  isVideoResolution,
  isImageSize,
  priceOfImage,
  priceOfResolution,
} from '../../src/domain/billing/price-variants.ts';
import type { ImageRequest } from '../../src/domain/requests/image-request.ts';

const named = (prices: Record<string, number>) =>
  Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, micros(BigInt(price))]));
const bySize = (prices: Record<string, number>): ImagePrice => ({
  unit: 'image',
  perImage: micros(99n),
  bySize: named(prices),
});
const sized = (width: number, height: number): ImageRequest['pixels'] => ({ mode: 'sized', width, height });
const priceAt = (price: ImagePrice, pixels: ImageRequest['pixels']) =>
  Number(priceOfImage(price, { quality: 'medium', pixels }));

describe('an image priced by size', () => {
  const all = bySize({ '1k': 1, '2k': 2, '4k': 4, '8k': 8 });

  for (const resolution of imageResolutions) {
    test(`is one of ${resolution} at every ratio that it can be asked for in`, () => {
      for (const ratio of imageRatios) {
        const pixels = pixelsOf(resolution, ratio);
        assert.equal(priceAt(all, { mode: 'sized', ...pixels }), Number(resolution[0]), ratio);
      }
    });
  }

  test('goes by the smallest resolution listed that holds it, an eighth more included', () => {
    assert.equal(priceAt(all, sized(1152, 1024)), 1);
    assert.equal(priceAt(all, sized(1153, 1024)), 2);
    assert.equal(priceAt(bySize({ '4k': 4, '2k': 2 }), sized(1024, 1024)), 2);
    assert.equal(priceAt(bySize({ '4k': 4 }), sized(1024, 1024)), 4);
  });

  test('goes by its exact size before that, and upright is another size than flat', () => {
    const price = bySize({ '2k': 2, '1024x1536': 3, '1376x768': 5 });
    assert.equal(priceAt(price, sized(1024, 1536)), 3);
    assert.equal(priceAt(price, sized(1536, 1024)), 2);
    assert.equal(priceAt(price, { mode: 'sized', ...pixelsOf('1k', '16:9') }), 5);
  });

  test('goes by the price an image where nothing listed holds it', () => {
    assert.equal(priceAt(bySize({ '1k': 1 }), sized(2048, 2048)), 99);
    assert.equal(priceAt({ unit: 'image', perImage: micros(99n) }, sized(2048, 2048)), 99);
  });

  test('goes by the resolution asked for when it is upscaled', () => {
    assert.equal(priceAt(all, { mode: 'upscale', longerSide: 4096 }), 4);
    assert.equal(priceAt(all, { mode: 'upscale', longerSide: 8192 }), 8);
    assert.equal(priceAt(bySize({ '4k': 4, '4096x4096': 5 }), { mode: 'upscale', longerSide: 4096 }), 4);
    assert.equal(priceAt(bySize({ '4k': 4 }), { mode: 'upscale', longerSide: 8192 }), 99);
  });
});

test('an image priced by quality costs by its own, also nothing, and by the image where that is not listed', () => {
  const price: ImagePrice = { unit: 'image', perImage: micros(2n), byQuality: { low: micros(0n), high: micros(4n) } };
  const prices = (['low', 'medium', 'high'] as const).map((quality) =>
    priceOfImage(price, { quality, pixels: sized(1024, 1024) }),
  );
  assert.deepEqual(prices, [0n, 2n, 4n]);
});

describe('the price of a video', () => {
  // What upstreams deliver under these names at their ratios.
  for (const [name, sizes] of [
    ['480p', '864x480 736x544 640x640 544x736 480x864 960x416 854x480'],
    ['720p', '1280x720 1248x704 1120x832 960x960 832x1120 704x1248 1504x640'],
    ['1080p', '1920x1080 1920x1088 1664x1248 1440x1440 1248x1664 1088x1920 2176x928'],
    ['2160p', '3840x2160 2880x2880'],
  ] as const) {
    test(`of ${sizes} is one of ${name}`, () => {
      const prices = named({ '1080p': 1080, '360p': 360, '2160p': 2160, '720p': 720, '480p': 480 });
      for (const size of sizes.split(' ')) {
        const [width = 0, height = 0] = size.split('x').map(Number);
        assert.equal(`${String(priceOfResolution(prices, { width, height }))}p`, name, size);
      }
    });
  }

  test('between two resolutions costs the upper one, and one above all has none', () => {
    const prices = named({ '720p': 720, '1080p': 1080 });
    assert.equal(priceOfResolution(prices, { width: 1366, height: 768 }), 1080n);
    assert.equal(priceOfResolution(prices, { width: 64, height: 36 }), 720n);
    assert.equal(priceOfResolution(prices, { width: 2560, height: 1440 }), undefined);
    assert.equal(priceOfResolution({}, { width: 64, height: 36 }), undefined);
  });
});

test('names are what can be asked for and measured, and nothing else', () => {
  for (const name of ['1k', '2k', '4k', '8k', '1024x1024', '4096x4096', '1776x592']) assert.ok(isImageSize(name), name);
  for (const name of ['3k', '1K', '16k', '512x512', '8192x8192', '4096x512', '01024x1024', '1024X1024', ' 1k', '']) {
    assert.ok(!isImageSize(name), name);
  }
  for (const name of ['240p', '720p', '2160p']) assert.ok(isVideoResolution(name), name);
  for (const name of ['720', '4k', '72p', '0720p', '10000p', '720P', '']) assert.ok(!isVideoResolution(name), name);
});
