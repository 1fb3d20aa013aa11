/** What an output costs and what is held for it: examples, and what holds for all prices and counts. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { imageQualities, type ImagePrice, type SecondPrice } from '../../src/domain/catalogue.ts';
import { greater, type Money, micros, amountText } from '../../src/domain/money.ts';
import {
  agreedPrice,
  holdOf,
  imagePrice,
  quoteOf,
  type Quote,
  secondsPrice,
  tokensOfSeconds,
} from '../../src/domain/billing/pricing.ts';
import type { TokenPrice } from '../../src/domain/billing/token-card.ts';
import { present } from '../../src/config/setting-errors.ts';
import type { ImageRequest } from '../../src/domain/requests/image-request.ts';
import type { TaskPrice } from '../../src/domain/tasks/terms.ts';
import { holdOfBounds, priceOfCounts } from '../support/token-prices.ts';
import { modelOf } from './requests/cases.ts';

const money = (amount: number) => micros(BigInt(Math.round(amount * 1_000_000)));
const perImage = (amount: number): ImagePrice => ({ unit: 'image', perImage: money(amount) });
const perSecond = (amount: number): SecondPrice => ({ unit: 'second', perSecond: money(amount) });
const agreedPerImage = (amount: number, minimum = 0): TaskPrice => ({
  unit: 'image',
  perImage: money(amount),
  minimum: money(minimum),
});
const agreedPerSecond = (amount: number, { minimum = 0, byResolution = {} } = {}): TaskPrice => ({
  unit: 'second',
  perSecond: money(amount),
  byResolution: Object.fromEntries(Object.entries<number>(byResolution).map(([name, each]) => [name, money(each)])),
  minimum: money(minimum),
});
const tokens = (input: number, output: number, cached?: number): TokenPrice => ({
  unit: 'token',
  inputPerMillion: money(input),
  outputPerMillion: money(output),
  ...(cached === undefined ? {} : { cachedInputPerMillion: money(cached) }),
});
const sized: ImageRequest['pixels'] = { mode: 'sized', width: 1024, height: 1024 };
const image = (n: number, pixels: ImageRequest['pixels'] = sized) =>
  ({ kind: 'image', request: { n, quality: 'medium', pixels } }) as const;
const videoOf = (durationSeconds: number) => ({ kind: 'video', request: { durationSeconds } }) as const;

describe('a price per second', () => {
  for (const [durationMs, price, amount] of [
    [12_400, 0.05, 620_000n],
    [60_000, 0.05, 3_000_000n],
    [1, 0.05, 50n],
    [0, 0.05, 0n],
    // 0.0005 and 0.0004 micro-units a millisecond, so halves go up and less goes down.
    [1000, 0.000001, 1n],
    [500, 0.000001, 1n],
    [499, 0.000001, 0n],
    [1500, 0.000001, 2n],
    [1499, 0.000001, 1n],
  ] as const) {
    test(`of ${price} CNY makes ${durationMs} ms cost ${amount} micro-units`, () => {
      assert.equal(secondsPrice(money(price), durationMs), amount);
    });
  }

  test('makes 12.4 s a quote of 0.62 CNY', () => {
    assert.deepEqual(quoteOf(agreedPerSecond(0.05), { durationMs: 12_400 }), {
      unit: 'second',
      units: 12.4,
      unitPrice: 50_000n,
      amount: 620_000n,
    });
  });

  test('counts 1,000 tokens a second', () => {
    assert.equal(tokensOfSeconds(12_400), 12_400);
    assert.equal(tokensOfSeconds(0), 0);
  });
});

describe('a price per image', () => {
  test('counts the images', () => {
    assert.equal(imagePrice(money(0.25), 3), 750_000n);
    assert.deepEqual(quoteOf(agreedPerImage(0.25), { images: 3 }), {
      unit: 'image',
      units: 3,
      unitPrice: 250_000n,
      amount: 750_000n,
    });
  });
});

describe('a price per million tokens', () => {
  test('has a line for each kind of token', () => {
    assert.deepEqual(priceOfCounts(tokens(2, 8, 0.5), { fresh: 600, cacheRead: 400, output: 10 }), {
      lines: [
        { unit: 'input_token', units: 600, pricePerMillion: 2_000_000n, amount: 1200n },
        { unit: 'cached_input_token', units: 400, pricePerMillion: 500_000n, amount: 200n },
        { unit: 'output_token', units: 10, pricePerMillion: 8_000_000n, amount: 80n },
      ],
      total: 1480n,
    });
  });

  test('takes cached tokens as plain input where they have no price of their own', () => {
    const { lines, total } = priceOfCounts(tokens(2, 8), { fresh: 600, cacheRead: 400 });
    assert.deepEqual(
      lines.map(({ unit, units }) => [unit, units]),
      [
        ['input_token', 600],
        ['cached_input_token', 400],
        ['output_token', 0],
      ],
    );
    assert.equal(total, 2000n);
  });

  test('rounds once, half up, and not each line', () => {
    const cheap = tokens(0.4, 0.4);
    // 0.4 micro-units each: two lines rounded by themselves would make 0, their sum is 0.8.
    assert.equal(priceOfCounts(cheap, { fresh: 1, output: 1 }).total, 1n);
    assert.equal(priceOfCounts(tokens(0.5, 0), { fresh: 1, output: 0 }).total, 1n);
    assert.equal(priceOfCounts(tokens(0.499999, 0), { fresh: 1, output: 0 }).total, 0n);
  });
});

describe('a minimum', () => {
  test('is for a task and not for each image', () => {
    const quote = quoteOf(agreedPerImage(0.1, 0.25), { images: 2 });
    const charged = { unit: 'image', units: 2, unitPrice: 100_000n, amount: 250_000n, reason: 'minimum charge' };
    assert.deepEqual(quote, charged);
    assert.equal(quoteOf(agreedPerImage(0.1, 0.25), { images: 3 }).amount, 300_000n);
  });

  test('that the units just reach is no reason', () => {
    assert.equal(quoteOf(agreedPerImage(0.1, 0.2), { images: 2 }).reason, undefined);
    assert.equal(quoteOf(agreedPerSecond(0.05, { minimum: 0.62 }), { durationMs: 12_400 }).reason, undefined);
    assert.equal(quoteOf(agreedPerSecond(0.05, { minimum: 0.62 }), { durationMs: 12_399 }).amount, 620_000n);
  });

  test('of a call is a line of its own', () => {
    const price: TokenPrice = { ...tokens(2, 8), minimum: micros(100n) };
    assert.deepEqual(priceOfCounts(price, { fresh: 10, output: 5 }), {
      lines: [
        { unit: 'input_token', units: 10, pricePerMillion: 2_000_000n, amount: 20n },
        { unit: 'output_token', units: 5, pricePerMillion: 8_000_000n, amount: 40n },
        { unit: 'minimum_charge', units: 1, pricePerMillion: 40_000_000n, amount: 40n },
      ],
      total: 100n,
    });
    assert.equal(priceOfCounts(price, { fresh: 10, output: 10 }).lines.length, 2);
    assert.equal(holdOfBounds(price, { input: 10, output: 5 }).total, 100n);
  });
});

describe('the charge of a video', () => {
  const price = agreedPerSecond(1, { byResolution: { '480p': 0.1, '720p': 0.2 } });

  test('costs by its own pixels, and what is larger than every resolution listed by the second', () => {
    for (const [width, height, unitPrice] of [
      [864, 480, 100_000n],
      [1280, 720, 200_000n],
      [1920, 1080, 1_000_000n],
    ] as const) {
      assert.equal(quoteOf(price, { durationMs: 1000, pixels: { width, height } }).unitPrice, unitPrice);
    }
  });

  test('whose pixels are unknown costs by the second', () => {
    assert.equal(quoteOf(price, { durationMs: 1000 }).unitPrice, 1_000_000n);
  });
});

describe('a hold', () => {
  test('of an image covers every image that was asked for', () => {
    const model = modelOf('image', { price: perImage(0.2) });
    const quote = holdOf(model, image(4));
    assert.deepEqual(quote, { unit: 'image', units: 4, unitPrice: 200_000n, amount: 800_000n });
  });

  test('of an upscaling covers one image', () => {
    const model = modelOf('image', { price: perImage(0.2) });
    const pixels: ImageRequest['pixels'] = { mode: 'upscale', longerSide: 8192 };
    assert.equal(holdOf(model, image(4, pixels)).units, 1);
  });

  test('of a video covers the duration that was asked for', () => {
    const model = modelOf('video', { price: perSecond(0.3), limits: { maxSeconds: 60 } });
    const quote = holdOf(model, videoOf(8));
    assert.deepEqual(quote, { unit: 'second', units: 8, unitPrice: 300_000n, amount: 2_400_000n });
  });

  test('of a video is at its dearest resolution, and covers the minimum', () => {
    const byResolution = { '480p': money(0.1), '1080p': money(0.5) };
    const dear = modelOf('video', { price: { ...perSecond(0.3), byResolution } });
    assert.deepEqual(holdOf(dear, videoOf(8)), { unit: 'second', units: 8, unitPrice: 500_000n, amount: 4_000_000n });
    const cheap = modelOf('video', { price: { ...perSecond(0.3), byResolution, minimum: money(9) } });
    assert.deepEqual(
      [holdOf(cheap, videoOf(8)).amount, holdOf(cheap, videoOf(8)).reason],
      [9_000_000n, 'minimum charge'],
    );
  });

  test('of a video of a size is at the price of that size, and so is the dearest charge', () => {
    const byResolution = { '480p': money(0.1), '720p': money(0.2), '1080p': money(0.5) };
    const model = modelOf('video', { price: { ...perSecond(0.9), byResolution } });
    const facts = { kind: 'video', request: { durationSeconds: 8, size: { width: 720, height: 1280 } } } as const;
    assert.deepEqual(holdOf(model, facts), { unit: 'second', units: 8, unitPrice: 200_000n, amount: 1_600_000n });
    const agreed = agreedPrice(model.price, facts);
    const charged = (width: number, height: number) =>
      quoteOf(agreed, { durationMs: 1_000, pixels: { width, height } }).unitPrice;
    // Less than was asked for costs less; more costs no more.
    assert.deepEqual([charged(854, 480), charged(1280, 720), charged(1920, 1080)], [100_000n, 200_000n, 200_000n]);
  });

  for (const kind of ['avatar-video', 'avatar-image'] as const) {
    for (const [limits, seconds] of [
      [{}, 60],
      [{ maxSeconds: 20 }, 20],
    ] as const) {
      test(`of an ${kind} model with ${JSON.stringify(limits)} covers ${seconds} s`, () => {
        const model = modelOf(kind, { price: perSecond(0.1), limits });
        assert.equal(holdOf(model, videoOf(5)).units, seconds);
      });
    }
  }

  test('of avatar-talk covers the length of its audio', () => {
    const model = modelOf('avatar-talk', { price: perSecond(0.05) });
    const quote = holdOf(model, { kind: 'avatar_talk', audioDurationMs: 12_400 });
    assert.deepEqual(quote, { unit: 'second', units: 12.4, unitPrice: 50_000n, amount: 620_000n });
  });
});

describe('a price', () => {
  test('must be per the unit of the output', () => {
    assert.throws(() => quoteOf(agreedPerSecond(1), { images: 1 }), /per second for images/);
    assert.throws(() => quoteOf(agreedPerImage(1), { durationMs: 1 }), /per image for seconds/);
    assert.throws(() => agreedPrice(perSecond(1), image(1)), /per second for images/);
    assert.throws(() => agreedPrice(perImage(1), videoOf(5)), /per image for seconds/);
    assert.throws(() => agreedPrice(tokens(1, 1), image(1)), /per token for images/);
  });

  for (const count of [-1, 0.5, NaN, Infinity, 2 ** 53]) {
    test(`is not for ${count} units`, () => {
      assert.throws(() => imagePrice(money(1), count), RangeError);
      assert.throws(() => secondsPrice(money(1), count), RangeError);
      assert.throws(() => tokensOfSeconds(count), RangeError);
      assert.throws(() => priceOfCounts(tokens(1, 1), { fresh: count, output: 0 }), RangeError);
    });
  }
});

describe('for all prices and counts', () => {
  const price = fc.bigInt({ min: 0n, max: 10n ** 15n }).map((count): Money => micros(count));
  const count = fc.nat();
  const tokenPrice = fc
    .record({
      inputPerMillion: price,
      outputPerMillion: price,
      cachedInputPerMillion: fc.option(price, { nil: undefined }),
      minimum: fc.option(price, { nil: undefined }),
    })
    .map((rest): TokenPrice => present({ unit: 'token' as const, ...rest }));
  const imagePrices = fc
    .record({
      perImage: price,
      byQuality: fc.record({ low: price, high: price }, { requiredKeys: [] }),
      bySize: fc.dictionary(fc.constantFrom('1k', '2k', '4k', '8k', '1024x1024'), price),
      minimum: fc.option(price, { nil: undefined }),
    })
    .map((rest): ImagePrice => present({ unit: 'image' as const, ...rest }));
  const secondPrices = fc
    .record({
      perSecond: price,
      byResolution: fc.dictionary(fc.constantFrom('360p', '480p', '720p', '1080p', '2160p'), price),
      minimum: fc.option(price, { nil: undefined }),
    })
    .map((rest): SecondPrice => present({ unit: 'second' as const, ...rest }));
  const part = fc.double({ min: 0, max: 1, noNaN: true });
  const tokenCounts = fc.record({ fresh: count, cacheRead: count, output: count });

  test('nothing costs less than nothing, and more never costs less', () => {
    fc.assert(
      fc.property(price, count, count, (each, some, more) => {
        assert.ok(imagePrice(each, some) >= 0n && secondsPrice(each, some) >= 0n);
        assert.ok(imagePrice(each, some + more) >= imagePrice(each, some));
        assert.ok(secondsPrice(each, some + more) >= secondsPrice(each, some));
      }),
    );
    fc.assert(
      fc.property(tokenPrice, tokenCounts, count, (each, counts, more) => {
        const { total } = priceOfCounts(each, counts);
        assert.ok(total >= 0n);
        assert.ok(priceOfCounts(each, { ...counts, output: counts.output + more }).total >= total);
      }),
    );
  });

  test('seconds are within half a micro-unit of their exact price', () => {
    fc.assert(
      fc.property(price, count, (each, durationMs) => {
        const difference = secondsPrice(each, durationMs) * 1000n - each * BigInt(durationMs);
        assert.ok(difference > -500n && difference <= 500n);
      }),
    );
  });

  test('the lines of a call add up to its total and none is negative', () => {
    fc.assert(
      fc.property(tokenPrice, tokenCounts, (each, counts) => {
        const { lines, total } = priceOfCounts(each, counts);
        assert.equal(
          lines.reduce((sum, { amount }) => sum + amount, 0n),
          total,
        );
        assert.ok(lines.every(({ amount, units }) => amount >= 0n && units >= 0));
        const ofTokens = lines.filter(({ unit }) => unit !== 'minimum_charge');
        assert.equal(
          ofTokens.reduce((sum, { units }) => sum + units, 0),
          counts.fresh + counts.cacheRead + counts.output,
        );
      }),
    );
  });

  test('a hold of images covers every charge within what was asked for, whatever the variants and the minimum', () => {
    const request = fc.record({
      n: fc.integer({ min: 1, max: 10 }),
      quality: fc.constantFrom(...imageQualities),
      pixels: fc.oneof(
        fc.record({
          mode: fc.constant('sized' as const),
          width: fc.integer({ min: 592, max: 4096 }),
          height: fc.integer({ min: 592, max: 4096 }),
        }),
        fc.record({ mode: fc.constant('upscale' as const), longerSide: fc.constantFrom(4096 as const, 8192 as const) }),
      ),
    });
    fc.assert(
      fc.property(imagePrices, request, part, (each, wanted, share) => {
        const facts = { kind: 'image', request: wanted } as const;
        const agreed = agreedPrice(each, facts);
        const hold = holdOf(modelOf('image', { price: each }), facts);
        const images = Math.ceil((wanted.pixels.mode === 'upscale' ? 1 : wanted.n) * share);
        const charge = quoteOf(agreed, { images });
        assert.ok(hold.amount >= charge.amount && charge.amount >= (each.minimum ?? 0n));
        assertExplained(charge, BigInt(images) * 1000n);
      }),
    );
  });

  test('a hold of a video covers every charge within what was asked for, at whatever resolution it comes', () => {
    const pixels = fc.record({ width: fc.integer({ min: 1, max: 8000 }), height: fc.integer({ min: 1, max: 8000 }) });
    fc.assert(
      fc.property(secondPrices, fc.constantFrom(5, 8, 10, 11), part, pixels, (each, durationSeconds, share, size) => {
        const hold = holdOf(modelOf('video', { price: each }), videoOf(durationSeconds));
        const durationMs = Math.floor(durationSeconds * 1000 * share);
        const charge = quoteOf(agreedPrice(each, videoOf(durationSeconds)), { durationMs, pixels: size });
        assert.ok(hold.amount >= charge.amount && charge.amount >= (each.minimum ?? 0n));
        assertExplained(charge, BigInt(durationMs));
      }),
    );
  });

  test('a hold of a call covers every charge within what was asked for', () => {
    fc.assert(
      fc.property(tokenPrice, tokenCounts, count, count, (each, counts, moreInput, moreOutput) => {
        const { total: bound } = holdOfBounds(each, {
          input: counts.fresh + counts.cacheRead + moreInput,
          output: counts.output + moreOutput,
        });
        assert.ok(bound >= priceOfCounts(each, counts).total, amountText(bound));
      }),
    );
  });

  test('a minimum changes a price below it and no other', () => {
    fc.assert(
      fc.property(tokenPrice, tokenCounts, price, ({ ...each }, counts, minimum) => {
        delete each.minimum;
        const plain = priceOfCounts(each, counts).total;
        assert.equal(priceOfCounts({ ...each, minimum }, counts).total, greater(plain, minimum));
      }),
    );
    fc.assert(
      fc.property(price, count, price, (each, durationMs, minimum) => {
        const agreed = { unit: 'second', perSecond: each, byResolution: {} } as const;
        const charge = quoteOf({ ...agreed, minimum }, { durationMs });
        assert.equal(charge.amount, greater(secondsPrice(each, durationMs), minimum));
      }),
    );
  });
});

/** Units times unit price, rounded once, unless the reason says that the minimum made it more. */
function assertExplained({ unitPrice, amount, reason }: Quote, thousandths: bigint): void {
  const exact = unitPrice * thousandths;
  if (reason === undefined) assert.ok(amount * 1000n - exact > -500n && amount * 1000n - exact <= 500n);
  else assert.ok(amount * 1000n > exact);
}
