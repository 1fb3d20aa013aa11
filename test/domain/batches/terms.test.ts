/** The terms of a batch, as its row keeps them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  batchTermsJson,
  batchTermsOf,
  type BatchTerms,
  modelUnder,
  parseBatchTerms,
} from '../../../src/domain/batches/terms.ts';
import type { Model, Price } from '../../../src/domain/catalogue.ts';
import { micros } from '../../../src/domain/money.ts';

const modelWith = (price: Price): Model => ({
  id: 'm',
  kind: 'chat',
  ownedBy: 'example',
  created: 1,
  capabilities: [],
  published: true,
  maintenance: false,
  routes: [{ provider: 'p', model: 'upstream', options: {}, fields: {} }],
  price,
  limits: { maxOutputTokens: 10, durations: [5], sizes: ['1280x720'], mask: true },
  onDisconnect: 'drain',
  translate: false,
  allow: ['web_search'],
  overrunFactor: 1.5,
});
const termsWith = (price: Price): BatchTerms => batchTermsOf([modelWith(price)], () => 'v1');
const throughJson = (terms: BatchTerms): BatchTerms =>
  parseBatchTerms(JSON.parse(JSON.stringify(batchTermsJson(terms))));

const rates = {
  inputPerMillion: micros(2n ** 55n),
  outputPerMillion: micros(3n),
  perToolCall: { web_search: micros(4n) },
};
const above = [{ inputTokens: 1000, inputPerMillion: micros(5n) }];
const prices: Readonly<Record<string, Price>> = {
  'by the image': { unit: 'image', perImage: micros(1n), byQuality: { low: micros(2n) }, bySize: { '1k': micros(3n) } },
  'by the second': { unit: 'second', perSecond: micros(1n), byResolution: { '720p': micros(2n) }, minimum: micros(3n) },
  'by the token': {
    unit: 'token',
    ...rates,
    above,
    serviceTiers: { flex: { ...rates, above } },
    batch: { inputPerMillion: micros(1n), above },
    hours: [{ from: 30, to: 510, timeZone: 'Asia/Shanghai', outputPerMillion: micros(1n), above }],
  },
};

for (const [name, price] of Object.entries(prices)) {
  test(`the terms of a batch keep a price ${name} to the last micro-unit and every card`, () => {
    assert.deepEqual(throughJson(termsWith(price)), termsWith(price));
  });
}

test('a line of a batch meets the frozen price and bounds of its model, and the routes of today', () => {
  const frozen = termsWith({ unit: 'token', inputPerMillion: micros(1n) }).get('m');
  assert.ok(frozen);
  const today: Model = {
    ...modelWith({ unit: 'token', inputPerMillion: micros(9n) }),
    routes: [{ provider: 'other', model: 'new', options: {}, fields: {} }],
    limits: {},
    maintenance: {},
  };
  const met = modelUnder(today, frozen);
  assert.deepEqual(met.price, { unit: 'token', inputPerMillion: 1n });
  assert.equal(met.limits.maxOutputTokens, 10);
  assert.equal(met.routes[0]?.provider, 'other');
  assert.deepEqual(met.maintenance, {});
});
