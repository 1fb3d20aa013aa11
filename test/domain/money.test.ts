/** Money goes in and out as decimal digits and is never off by a micro-unit on the way. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  lesser,
  micros,
  minus,
  parseAmount,
  plus,
  roundedHalfUp,
  toAmount,
  amountText,
  zero,
} from '../../src/domain/money.ts';

const anyAmount = fc.bigInt({ min: -(10n ** 15n) + 1n, max: 10n ** 15n - 1n }).map(micros);

describe('a written amount', () => {
  for (const [text, amount] of [
    ['0', 0n],
    ['1', 1_000_000n],
    ['0.62', 620_000n],
    ['0.000001', 1n],
    ['-2.5', -2_500_000n],
    ['007.10', 7_100_000n],
    ['999999999.999999', 999_999_999_999_999n],
  ] as const) {
    test(`${text} is ${amount} micro-units`, () => assert.equal(parseAmount(text), amount));
  }
  for (const text of [
    '',
    ' 1',
    '1 ',
    '1.',
    '.5',
    '1,5',
    '+1',
    '--1',
    '1e3',
    '0x1',
    '1_000',
    '0.0000001',
    '1000000000',
    'NaN',
    '１',
  ]) {
    test(`${JSON.stringify(text)} is none`, () => assert.equal(parseAmount(text), undefined));
  }
});

describe('the text of an amount', () => {
  for (const [amount, text] of [
    [0n, '0'],
    [1n, '0.000001'],
    [620_000n, '0.62'],
    [1_000_000n, '1'],
    [-1n, '-0.000001'],
    [-99_800_000n, '-99.8'],
    [123_456_789_000_000n, '123456789'],
  ] as const) {
    test(`of ${amount} micro-units is ${text}`, () => assert.equal(amountText(micros(amount)), text));
  }

  test('is read as the same amount', () => {
    fc.assert(fc.property(anyAmount, (amount) => assert.equal(parseAmount(amountText(amount)), amount)));
  });

  test('is the number in digits', () => {
    fc.assert(fc.property(anyAmount, (amount) => assert.equal(Number(amountText(amount)), toAmount(amount))));
  });
});

describe('rounding half up', () => {
  for (const [numerator, denominator, rounded] of [
    [0n, 1000n, 0n],
    [499n, 1000n, 0n],
    [500n, 1000n, 1n],
    [1499n, 1000n, 1n],
    [1500n, 1000n, 2n],
    [1n, 3n, 0n],
    [2n, 3n, 1n],
    [7n, 1n, 7n],
  ] as const) {
    test(`makes ${numerator}/${denominator} ${rounded}`, () =>
      assert.equal(roundedHalfUp(numerator, denominator), rounded));
  }
});

test('sums, differences and the lesser of two amounts', () => {
  const [a, b] = [micros(5n), micros(3n)];
  assert.equal(plus(a, b), 8n);
  assert.equal(minus(b, a), -2n);
  assert.equal(lesser(a, b), 3n);
  assert.equal(lesser(b, a), 3n);
  assert.equal(plus(zero, a), a);
});
