/** What an output costs and what is held for it: examples, and what holds for all prices and counts. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Price } from '../../src/domain/catalogue.ts';
import { type MicroYuan, micros, yuanText } from '../../src/domain/money.ts';
import {
  holdOf,
  imagePrice,
  quoteOf,
  secondsPrice,
  tokensBound,
  tokensOfSeconds,
  type TokenPrice,
  tokensPrice,
} from '../../src/domain/pricing.ts';
import type { ImageRequest } from '../../src/domain/requests/image.ts';
import { modelOf } from './requests/cases.ts';

const yuan = (amount: number) => micros(BigInt(Math.round(amount * 1_000_000)));
const perImage = (amount: number): Price => ({ unit: 'image', perImage: yuan(amount) });
const perSecond = (amount: number): Price => ({ unit: 'second', perSecond: yuan(amount) });
const tokens = (input: number, output: number, cached?: number): TokenPrice => ({
  unit: 'token',
  inputPerMillion: yuan(input),
  outputPerMillion: yuan(output),
  ...(cached === undefined ? {} : { cachedInputPerMillion: yuan(cached) }),
});
const sized: ImageRequest['pixels'] = { mode: 'sized', width: 1024, height: 1024 };

describe('a price per second', () => {
  for (const [durationMs, price, amount] of [
    [12_400, 0.05, 620_000n],
    [60_000, 0.05, 3_000_000n],
    [1, 0.05, 50n],
    [0, 0.05, 0n],
    // 0.0005 and 0.0004 micro-yuan a millisecond, so halves go up and less goes down.
    [1000, 0.000001, 1n],
    [500, 0.000001, 1n],
    [499, 0.000001, 0n],
    [1500, 0.000001, 2n],
    [1499, 0.000001, 1n],
  ] as const) {
    test(`of ${price} yuan makes ${durationMs} ms cost ${amount} micro-yuan`, () => {
      assert.equal(secondsPrice(yuan(price), durationMs), amount);
    });
  }

  test('makes 12.4 s a quote of 0.62 yuan', () => {
    assert.deepEqual(quoteOf(perSecond(0.05), { durationMs: 12_400 }), {
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
    assert.equal(imagePrice(yuan(0.25), 3), 750_000n);
    assert.deepEqual(quoteOf(perImage(0.25), { images: 3 }), {
      unit: 'image',
      units: 3,
      unitPrice: 250_000n,
      amount: 750_000n,
    });
  });
});

describe('a price per million tokens', () => {
  test('has a line for each kind of token', () => {
    assert.deepEqual(tokensPrice(tokens(2, 8, 0.5), { input: 1000, cachedInput: 400, output: 10 }), {
      lines: [
        { unit: 'input_token', units: 600, pricePerMillion: 2_000_000n, amount: 1200n },
        { unit: 'cached_input_token', units: 400, pricePerMillion: 500_000n, amount: 200n },
        { unit: 'output_token', units: 10, pricePerMillion: 8_000_000n, amount: 80n },
      ],
      total: 1480n,
    });
  });

  test('takes cached tokens as plain input where they have no price of their own', () => {
    const { lines, total } = tokensPrice(tokens(2, 8), { input: 1000, cachedInput: 400, output: 0 });
    assert.deepEqual(
      lines.map(({ unit, units }) => [unit, units]),
      [
        ['input_token', 1000],
        ['output_token', 0],
      ],
    );
    assert.equal(total, 2000n);
  });

  test('takes an upstream that reports more cached than input tokens at its input', () => {
    assert.equal(tokensPrice(tokens(2, 8, 1), { input: 10, cachedInput: 99, output: 0 }).total, 10n);
  });

  test('rounds once, half up, and not each line', () => {
    const cheap = tokens(0.4, 0.4);
    // 0.4 micro-yuan each: two lines rounded by themselves would make 0, their sum is 0.8.
    assert.equal(tokensPrice(cheap, { input: 1, cachedInput: 0, output: 1 }).total, 1n);
    assert.equal(tokensPrice(tokens(0.5, 0), { input: 1, cachedInput: 0, output: 0 }).total, 1n);
    assert.equal(tokensPrice(tokens(0.499999, 0), { input: 1, cachedInput: 0, output: 0 }).total, 0n);
  });
});

describe('a hold', () => {
  test('of an image covers every image that was asked for', () => {
    const model = modelOf('image', { price: perImage(0.2) });
    const quote = holdOf(model, { kind: 'image', request: { n: 4, pixels: sized } });
    assert.deepEqual(quote, { unit: 'image', units: 4, unitPrice: 200_000n, amount: 800_000n });
  });

  test('of an upscaling covers one image', () => {
    const model = modelOf('image', { price: perImage(0.2) });
    const pixels: ImageRequest['pixels'] = { mode: 'upscale', longerSide: 8192 };
    assert.equal(holdOf(model, { kind: 'image', request: { n: 4, pixels } }).units, 1);
  });

  test('of a video covers the duration that was asked for', () => {
    const model = modelOf('video', { price: perSecond(0.3), limits: { maxSeconds: 60 } });
    const quote = holdOf(model, { kind: 'video', request: { durationSeconds: 8 } });
    assert.deepEqual(quote, { unit: 'second', units: 8, unitPrice: 300_000n, amount: 2_400_000n });
  });

  for (const kind of ['avatar-video', 'avatar-image'] as const) {
    for (const [limits, seconds] of [
      [{}, 60],
      [{ maxSeconds: 20 }, 20],
    ] as const) {
      test(`of an ${kind} model with ${JSON.stringify(limits)} covers ${seconds} s`, () => {
        const model = modelOf(kind, { price: perSecond(0.1), limits });
        assert.equal(holdOf(model, { kind: 'video', request: { durationSeconds: 5 } }).units, seconds);
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
    assert.throws(() => quoteOf(perSecond(1), { images: 1 }), /per second for images/);
    assert.throws(() => quoteOf(perImage(1), { durationMs: 1 }), /per image for seconds/);
    assert.throws(() => quoteOf(tokens(1, 1), { images: 1 }), /per token for images/);
  });

  for (const count of [-1, 0.5, NaN, Infinity, 2 ** 53]) {
    test(`is not for ${count} units`, () => {
      assert.throws(() => imagePrice(yuan(1), count), RangeError);
      assert.throws(() => secondsPrice(yuan(1), count), RangeError);
      assert.throws(() => tokensOfSeconds(count), RangeError);
      assert.throws(() => tokensPrice(tokens(1, 1), { input: count, cachedInput: 0, output: 0 }), RangeError);
    });
  }
});

describe('for all prices and counts', () => {
  const price = fc.bigInt({ min: 0n, max: 10n ** 15n }).map((count): MicroYuan => micros(count));
  const count = fc.nat();
  const tokenPrice = fc
    .record({
      inputPerMillion: price,
      outputPerMillion: price,
      cachedInputPerMillion: fc.option(price, { nil: undefined }),
    })
    .map(({ cachedInputPerMillion, ...rest }): TokenPrice => ({
      unit: 'token',
      ...rest,
      ...(cachedInputPerMillion === undefined ? {} : { cachedInputPerMillion }),
    }));
  const tokenCounts = fc.record({ input: count, cachedInput: count, output: count });

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
        const { total } = tokensPrice(each, counts);
        assert.ok(total >= 0n);
        assert.ok(tokensPrice(each, { ...counts, output: counts.output + more }).total >= total);
      }),
    );
  });

  test('seconds are within half a micro-yuan of their exact price', () => {
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
        const { lines, total } = tokensPrice(each, counts);
        assert.equal(
          lines.reduce((sum, { amount }) => sum + amount, 0n),
          total,
        );
        assert.ok(lines.every(({ amount, units }) => amount >= 0n && units >= 0));
        assert.equal(
          lines.reduce((sum, { units }) => sum + units, 0),
          counts.input + counts.output,
        );
      }),
    );
  });

  test('a hold covers every charge within what was asked for', () => {
    fc.assert(
      fc.property(
        price,
        fc.integer({ min: 1, max: 10 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (each, n, part) => {
          const model = modelOf('image', { price: { unit: 'image', perImage: each } });
          const hold = holdOf(model, { kind: 'image', request: { n, pixels: sized } });
          assert.ok(hold.amount >= quoteOf(model.price, { images: Math.floor(n * part) }).amount);
        },
      ),
    );
    fc.assert(
      fc.property(
        price,
        fc.constantFrom(5, 8, 10, 11),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (each, durationSeconds, part) => {
          const model = modelOf('video', { price: { unit: 'second', perSecond: each } });
          const hold = holdOf(model, { kind: 'video', request: { durationSeconds } });
          assert.ok(
            hold.amount >= quoteOf(model.price, { durationMs: Math.floor(durationSeconds * 1000 * part) }).amount,
          );
        },
      ),
    );
    fc.assert(
      fc.property(tokenPrice, tokenCounts, count, count, (each, counts, moreInput, moreOutput) => {
        const bound = tokensBound(each, { input: counts.input + moreInput, output: counts.output + moreOutput });
        assert.ok(bound >= tokensPrice(each, counts).total, yuanText(bound));
      }),
    );
  });
});
