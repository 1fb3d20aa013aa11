/** What a route costs in `tollgate.yaml`: what is read from its keys, and what is said of those that don't fit. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ModelKind } from '../../src/domain/catalogue.ts';
import { providerKinds } from '../../src/providers/registry.ts';
import { readConfiguration } from '../../src/config/configuration.ts';
import { routeCostOf } from '../../src/config/route-cost.ts';
import { SettingsError } from '../../src/config/setting-errors.ts';

const prices: Partial<Record<ModelKind, string>> = {
  chat: '{ input_per_million: 1, output_per_million: 2 }',
  image: '{ per_image: 0.2 }',
  video: '{ per_second: 0.5 }',
};

const textOf = (kind: ModelKind, cost: string) => `providers:
  sim: { kind: simulator }
models:
  - id: m
    kind: ${kind}
    price: ${prices[kind]}
    routes:
      - provider: sim
        model: m
        cost: ${cost}
`;
const costOf = (kind: ModelKind, cost: string) =>
  readConfiguration(textOf(kind, cost), 'tollgate.yaml', {}, providerKinds).models.get('m')?.routes[0]?.cost;

describe('the cost of a route is read', () => {
  for (const [kind, written, cost] of [
    ['image', '{ per_image: 0.1 }', { currency: 'CNY', card: { unit: 'image', perImage: 100_000n } }],
    [
      'video',
      '{ per_second: 0.01, by_resolution: { 1080p: 0.02 }, currency: USD, rate: 7.10 }',
      {
        ...{ currency: 'USD', rate: '7.10' },
        card: { unit: 'second', perSecond: 10_000n, byResolution: { '1080p': 20_000n } },
      },
    ],
    [
      'chat',
      '{ input_per_million: 1, output_per_million: 2, batch: { input_per_million: 0.5 }, currency: CNY }',
      {
        currency: 'CNY',
        card: {
          ...{ unit: 'token', inputPerMillion: 1_000_000n, outputPerMillion: 2_000_000n },
          batch: { inputPerMillion: 500_000n },
        },
      },
    ],
    // The provider states what a call cost.
    ['chat', '{ currency: USD, rate: 7.123456789 }', { currency: 'USD', rate: '7.123456789' }],
  ] as const) {
    test(`of kind ${kind} from ${written}`, () => {
      assert.deepEqual(costOf(kind, written), cost);
    });
  }

  test('of calls of a gateway that counts in dollars, as what the provider states', () => {
    assert.deepEqual(routeCostOf(undefined, 'chat', 'USD'), { currency: 'USD' });
    assert.equal(routeCostOf(undefined, 'image', 'USD'), undefined);
    assert.equal(routeCostOf(undefined, 'chat', 'CNY'), undefined);
  });
});

describe('a mistake in the cost of a route is reported with its line:', () => {
  const rateRule =
    "must be how much of the gateway's currency one unit costs, with at most nine decimals, such as 7.15";
  for (const [kind, cost, key, message] of [
    ['image', '{ input_per_million: 1 }', 'per_image', 'is required for a model of kind image'],
    ['image', '{ per_image: 1, per_second: 1 }', 'per_second', 'is not allowed for kind image; allowed are per_image,'],
    ['image', '{ per_image: 0.1234567 }', 'per_image', 'must be an amount with at most six decimals'],
    ['image', '{ per_image: 1, currency: USD }', 'rate', "is required for a currency other than the gateway's, CNY"],
    ['image', '{ per_image: 1, rate: 7 }', 'rate', "is not allowed for the gateway's own currency, CNY"],
    ['image', '{ currency: USD, rate: 7 }', 'per_image', 'is required for a model of kind image'],
    ['chat', '{ currency: EUR, rate: 8 }', 'input_per_million', 'is required for a model of kind chat'],
    ['chat', '{ currency: USD, rate: 0 }', 'rate', rateRule],
    ['chat', '{ currency: USD, rate: 7.1234567891 }', 'rate', rateRule],
    [
      'chat',
      '{ currency: usd, rate: 7 }',
      'currency',
      'must be the ISO 4217 code of a currency in upper case, such as CNY, EUR or USD',
    ],
    ['chat', '{ service_tiers: { batch: { minimum: 1 } } }', 'service_tiers.batch', 'is not a valid price name'],
  ] as const) {
    test(`${kind} ${cost}`, () => {
      assert.throws(
        () => costOf(kind, cost),
        (error) => {
          assert.ok(error instanceof SettingsError);
          assert.ok(
            error.message.includes(`tollgate.yaml:10: models[0].routes[0].cost.${key}: ${message}`),
            error.message,
          );
          return true;
        },
      );
    });
  }
});
