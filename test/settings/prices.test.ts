/** The price of a model in `tollgate.yaml`: what is read from its keys, and what is said of those that don't fit. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { priceVersionOf } from '../../src/api/price-version.ts';
import type { ModelKind, Price } from '../../src/domain/catalogue.ts';
import { providerKinds } from '../../src/providers/registry.ts';
import { readConfiguration } from '../../src/config/configuration.ts';
import { SettingsError } from '../../src/config/setting-errors.ts';

const textOf = (kind: ModelKind, price: string) => `providers:
  sim: { kind: simulator }
models:
  - id: m
    kind: ${kind}
    routes: [{ provider: sim, model: m }]
    price: ${price}
`;

function priceOf(kind: ModelKind, price: string, env: Record<string, string> = {}): Price {
  const model = readConfiguration(textOf(kind, price), 'tollgate.yaml', env, providerKinds).models.get('m');
  assert.ok(model);
  return model.price;
}

describe('a price is read', () => {
  for (const [kind, written, price] of [
    [
      'image',
      '{ per_image: 0.2, by_quality: { low: 0.1, high: 0.123456 }, minimum: 0.05 }',
      { unit: 'image', perImage: 200_000n, byQuality: { low: 100_000n, high: 123_456n }, minimum: 50_000n },
    ],
    [
      'image',
      '{ per_image: 0.2, by_size: { 1k: 0.1, 8k: "${EIGHT}", 1024x1536: 999999999.999999 } }',
      {
        unit: 'image',
        perImage: 200_000n,
        bySize: { '1k': 100_000n, '8k': 700_000n, '1024x1536': 999_999_999_999_999n },
      },
    ],
    [
      'video',
      '{ per_second: 0.5, by_resolution: { 720p: 0.000001, 1080p: 0 }, minimum: 1 }',
      { unit: 'second', perSecond: 500_000n, byResolution: { '720p': 1n, '1080p': 0n }, minimum: 1_000_000n },
    ],
    ['avatar-talk', '{ per_second: 0, minimum: 0 }', { unit: 'second', perSecond: 0n, minimum: 0n }],
    [
      'chat',
      '{ input_per_million: 0, output_per_million: 0, minimum: 0.01 }',
      { unit: 'token', inputPerMillion: 0n, outputPerMillion: 0n, minimum: 10_000n },
    ],
  ] as const) {
    test(`of kind ${kind} from ${written}`, () => {
      assert.deepEqual(priceOf(kind, written, { EIGHT: '0.7' }), price);
    });
  }
});

describe('a mistake in a price is reported with its line:', () => {
  const yuan = 'must be an amount in yuan with at most six decimals, such as 0.25';
  const sizes = '1k, 2k, 4k, 8k or a valid size such as 1024x1536';
  const lines = 'a number of lines followed by p, such as 720p';
  for (const [kind, price, ...mistakes] of [
    ['image', '{ per_image: 1, minimum: -1 }', `minimum: ${yuan}`],
    ['image', '{ per_image: 1, minimum: 1e-2 }', `minimum: ${yuan}`],
    ['image', '{ per_image: 1, by_quality: { low: cheap } }', `by_quality.low: ${yuan}`],
    [
      'image',
      '{ per_image: 1, by_quality: { best: 1 } }',
      'by_quality.best: is unknown; allowed are low, medium, high',
    ],
    ['image', '{ per_image: 1, by_quality: {} }', 'by_quality: must list at least one price, by low, medium, high'],
    ['image', '{ per_image: 1, by_quality: 1 }', 'by_quality: must be a mapping'],
    ['image', '{ per_image: 1, by_size: { 1k: 0.0000001 } }', `by_size.1k: ${yuan}`],
    [
      'image',
      '{ per_image: 1, by_size: { 3k: 1, 512x512: 1, 2k: x } }',
      `by_size.2k: ${yuan}`,
      `by_size.3k: is not a valid price name: it must be ${sizes}`,
      `by_size.512x512: is not a valid price name: it must be ${sizes}`,
    ],
    ['image', '{ per_image: 1, by_size: {} }', `by_size: must list at least one price, by ${sizes}`],
    ['image', '{ per_image: 1, by_size: [1] }', 'by_size: must be a mapping of names to yuan'],
    [
      'image',
      '{ per_image: 1, by_quality: { low: 1 }, by_size: { 1k: 1 } }',
      "by_size: can't be combined with by_quality; use one of the two",
    ],
    ['image', '{ by_size: { 1k: 1 } }', 'per_image: is required for a model of kind image'],
    [
      'image',
      '{ per_image: 1, by_resolution: { 720p: 1 } }',
      'by_resolution: is not allowed for kind image; allowed are per_image, by_quality, by_size, minimum',
    ],
    [
      'video',
      '{ per_second: 1, by_resolution: { 4k: 1 } }',
      `by_resolution.4k: is not a valid price name: it must be ${lines}`,
    ],
    ['video', '{ per_second: 1, by_resolution: {} }', `by_resolution: must list at least one price, by ${lines}`],
    ['video', '{ by_resolution: { 720p: 1 } }', 'per_second: is required for a model of kind video'],
    [
      'video',
      '{ per_second: 1, by_size: { 1k: 1 } }',
      'by_size: is not allowed for kind video; allowed are per_second, by_resolution, minimum',
    ],
    [
      'chat',
      '{ input_per_million: 1, output_per_million: 1, by_quality: { low: 1 } }',
      'by_quality: is not allowed for kind chat; allowed are input_per_million, output_per_million, cached_input_per_million, minimum',
    ],
  ] as const) {
    test(`${kind} ${price}`, () => {
      const expected = mistakes.map((mistake) => `tollgate.yaml:7: models[0].price.${mistake}`);
      assert.throws(
        () => priceOf(kind, price),
        (error) => {
          assert.ok(error instanceof SettingsError);
          assert.deepEqual([...error.lines].sort(), [...expected].sort());
          return true;
        },
      );
    });
  }

  test('the line is that of the very price', () => {
    const price = '\n      per_image: 1\n      by_size:\n        1k: 1\n        7k: 1';
    assert.throws(() => priceOf('image', price), /tollgate\.yaml:11: models\[0\]\.price\.by_size\.7k/);
  });
});

test('the version of a price changes with each of its keys, and not with the way it is written', () => {
  const versions = [
    priceOf('image', '{ per_image: 1 }'),
    priceOf('image', '{ per_image: 1, minimum: 1 }'),
    priceOf('image', '{ per_image: 1, minimum: 2 }'),
    priceOf('image', '{ per_image: 1, by_quality: { low: 1 } }'),
    priceOf('image', '{ per_image: 1, by_quality: { low: 2 } }'),
    priceOf('image', '{ per_image: 1, by_size: { 1k: 2 } }'),
    priceOf('image', '{ per_image: 1, by_size: { 2k: 2 } }'),
    priceOf('video', '{ per_second: 1 }'),
    priceOf('video', '{ per_second: 1, by_resolution: { 720p: 2 } }'),
    priceOf('video', '{ per_second: 1, by_resolution: { 720p: 3 } }'),
  ].map(priceVersionOf);
  assert.equal(new Set(versions).size, versions.length);
  const [one, other] = [
    priceOf('image', '{ per_image: 1, by_size: { 1k: 2, 2k: 3 } }'),
    priceOf('image', '{ by_size: { 2k: 3.0, 1k: "2" }, per_image: 1.00 }'),
  ];
  assert.equal(priceVersionOf(one), priceVersionOf(other));
});
