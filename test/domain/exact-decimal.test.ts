/** Decimals from their digits: nothing is lost on the way to a price of a million tokens. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  compareDecimals,
  decimalOfNumber,
  decimalText,
  microsOfDecimal,
  parseDecimal,
  roundDecimal,
  timesDecimal,
  wholeDecimal,
} from '../../src/domain/exact-decimal.ts';

const read = (text: string) => parseDecimal(text) ?? assert.fail(`${text} was not read`);

describe('a decimal is read from its digits:', () => {
  for (const [text, shown] of [
    ['0', '0'],
    ['007.50', '7.5'],
    ['-0.10', '-0.1'],
    ['2.5e-07', '0.00000025'],
    ['1e3', '1000'],
    ['1.25E+2', '125'],
    ['123456789012345678901234567890.5', '123456789012345678901234567890.5'],
  ] as const) {
    test(`${text} is ${shown}`, () => assert.equal(decimalText(read(text)), shown));
  }
  for (const text of ['', '.5', '5.', '1,000', '0x10', 'NaN', '1e99', '1e-999', '- 1', '9'.repeat(61)]) {
    test(`'${text}' is none`, () => assert.equal(parseDecimal(text), undefined));
  }
});

test('a number of a JSON document keeps the digits that it was written with', () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 999_999_999_999_999n), fc.integer({ min: -12, max: 3 }), (digits, exponent) => {
      const text = `${digits}e${exponent}`;
      const [parsed, written] = [decimalOfNumber(JSON.parse(text) as number), read(text)];
      assert.ok(parsed);
      assert.equal(compareDecimals(parsed, written), 0);
    }),
  );
});

test('a price of a token becomes that of a million of them, exactly', () => {
  for (const [token, million] of [
    [1.25e-6, '1.25'],
    [7.5e-8, '0.075'],
    [2.4414e-7, '0.24414'],
    [0.000_006_25, '6.25'],
  ] as const) {
    const price = decimalOfNumber(token);
    assert.ok(price);
    assert.equal(decimalText(timesDecimal(price, wholeDecimal(1_000_000n))), million);
  }
});

test('rounding goes half away from zero and says whether anything was lost', () => {
  for (const [text, rounded, isExact] of [
    ['0.1234565', '0.123457', false],
    ['-0.1234565', '-0.123457', false],
    ['0.12345649', '0.123456', false],
    ['0.1200000', '0.12', true],
    ['3', '3', true],
  ] as const) {
    const result = roundDecimal(read(text), 6);
    assert.deepEqual([decimalText(result.rounded), result.isExact], [rounded, isExact]);
  }
  assert.equal(microsOfDecimal(read('-12.3456785')), -12_345_679n);
  assert.equal(microsOfDecimal(read('7')), 7_000_000n);
});
