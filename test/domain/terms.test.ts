/** The price in a task's terms, as its row keeps it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { micros } from '../../src/domain/money.ts';
import { type TaskPrice, type TaskTerms, termsJson, termsSchema } from '../../src/domain/tasks/terms.ts';

const termsWith = (price: TaskPrice): TaskTerms => ({
  modelKind: 'image',
  price,
  priceVersion: 'v1',
  routes: [{ provider: 'p', kind: 'simulator', model: 'm', options: {}, fields: {}, timeoutMs: 1, deadlineMs: 2 }],
  maxSeconds: null,
  qualityScale: null,
});
const throughJson = (terms: unknown): unknown => JSON.parse(JSON.stringify(terms));

for (const price of [
  { unit: 'image', perImage: micros(250_000n), minimum: micros(2n ** 55n) },
  {
    unit: 'second',
    perSecond: micros(1n),
    byResolution: { '720p': micros(2n), '1080p': micros(3n) },
    minimum: micros(0n),
  },
] as const) {
  test(`a price per ${price.unit} is read as it was written`, () => {
    assert.deepEqual(termsSchema.parse(throughJson(termsJson(termsWith(price)))), termsWith(price));
  });
}

test('a price written before there were variants and minimum charges has none', () => {
  const before = { ...termsWith({ unit: 'image', perImage: micros(1n), minimum: micros(0n) }) };
  const image = termsSchema.parse({ ...before, price: { unit: 'image', perImage: '250000' } });
  assert.deepEqual(image.price, { unit: 'image', perImage: 250_000n, minimum: 0n });
  const second = termsSchema.parse({ ...before, price: { unit: 'second', perSecond: '50000' } });
  assert.deepEqual(second.price, { unit: 'second', perSecond: 50_000n, byResolution: {}, minimum: 0n });
});
