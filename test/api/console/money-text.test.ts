/** How the console writes amounts: rounded to be compared at a glance, and exact. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exactMoneyText, moneyText, symbolOf } from '../../../console/src/parts/money-text.ts';

const form = { locale: 'en-US', currency: 'CNY' };

describe('an amount at a glance has two decimals, and four below one unit', () => {
  for (const [amount, text] of [
    [0, '¥0.00'],
    [1, '¥1.00'],
    [451.393219, '¥451.39'],
    [1_234_567.895, '¥1,234,567.90'],
    [-12.345678, '-¥12.35'],
    [0.25, '¥0.2500'],
    [0.003438, '¥0.0034'],
    [-0.999949, '-¥0.9999'],
    [0.00005, '¥0.0001'],
  ] as const)
    test(`${amount} is ${text}`, () => assert.equal(moneyText(amount, form), text));

  test('what four decimals would show as nothing keeps its six', () => {
    assert.equal(moneyText(0.000002, form), '¥0.000002');
    assert.equal(moneyText(-0.000049, form), '-¥0.000049');
  });

  test('a plus is shown where it is asked for, and never before zero', () => {
    const texts = [2.5, -2.5, 0, -0].map((amount) => moneyText(amount, { ...form, signed: true }));
    assert.deepEqual(texts, ['+¥2.50', '-¥2.50', '¥0.00', '¥0.00']);
    assert.equal(moneyText(-0, form), '¥0.00');
  });

  test('another currency has its own decimals, and two more below one', () => {
    const yen = { locale: 'en-US', currency: 'JPY' };
    assert.deepEqual([moneyText(1234.5, yen), moneyText(0.125, yen)], ['¥1,235', '¥0.13']);
    assert.equal(moneyText(1.5, { locale: 'en-US', currency: 'KWD' }), 'KWD\u00a01.500');
  });
});

test('an exact amount has all its decimals, and at least those of its currency', () => {
  const texts = [0, 2.5, 451.393219, -0.000001, 0.003438].map((amount) => exactMoneyText(amount, form));
  assert.deepEqual(texts, ['¥0.00', '¥2.50', '¥451.393219', '-¥0.000001', '¥0.003438']);
  assert.equal(exactMoneyText(0.5, { ...form, signed: true }), '+¥0.50');
});

test('the sign is that of the reader’s language', () => {
  assert.deepEqual([symbolOf(form), symbolOf({ locale: 'zh-CN', currency: 'CNY' })], ['¥', '¥']);
});
