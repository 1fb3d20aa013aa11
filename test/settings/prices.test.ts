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
    ['embedding', '{ input_per_million: 0.5 }', { unit: 'token', inputPerMillion: 500_000n }],
    ['speech', '{ per_million_characters: 15 }', { unit: 'token', perMillionCharacters: 15_000_000n }],
    ['transcription', '{ per_second: 0.0001, minimum: 1 }', { unit: 'token', perSecond: 100n, minimum: 1_000_000n }],
    ['moderation', '{ per_call: 0 }', { unit: 'token', perCall: 0n }],
    ['rerank', '{ per_search: 0.002 }', { unit: 'token', perSearch: 2_000n }],
  ] as const) {
    test(`of kind ${kind} from ${written}`, () => {
      assert.deepEqual(priceOf(kind, written, { EIGHT: '0.7' }), price);
    });
  }
});

test('a price that names none of the ways to charge is refused with all of them', () => {
  assert.throws(
    () => priceOf('speech', '{ minimum: 1 }'),
    (error) =>
      error instanceof SettingsError &&
      error.lines
        .join()
        .endsWith(
          'must have per_million_characters, per_second or input_per_million and output_per_million for a model of kind speech',
        ),
  );
});

describe('a mistake in a price is reported with its line:', () => {
  const money = 'must be an amount with at most six decimals, such as 0.25';
  const sizes = '1k, 2k, 4k, 8k or a valid size such as 1024x1536';
  const perToken = 'input_per_million: 1, output_per_million: 2';
  const cardMistakes = [
    [
      'chat',
      `{ ${perToken}, above: [{ input_tokens: 0, output_per_million: 1 }] }`,
      'above[0].input_tokens: must be a whole number from 1 to 1000000000',
    ],
    [
      'chat',
      `{ ${perToken}, above: [{ input_tokens: 9, output_per_million: 1 }, { input_tokens: 9, output_per_million: 2 }] }`,
      'above[1].input_tokens: must not stand there twice',
    ],
    [
      'chat',
      `{ ${perToken}, above: [{ input_tokens: 9 }] }`,
      "above[0]: must have a price that differs from the model's own",
    ],
    [
      'chat',
      `{ ${perToken}, hours: [{ from: "00:00", to: "00:00", time_zone: UTC, output_per_million: 1 }] }`,
      'hours[0].to: must not be the time of from',
    ],
    [
      'chat',
      `{ ${perToken}, hours: [{ from: "24:10", to: "08:00", time_zone: UTC, output_per_million: 1 }] }`,
      'hours[0].from: must be a time of day from "00:00" to "23:59", in quotes',
    ],
    [
      'chat',
      `{ ${perToken}, hours: [{ from: "00:00", to: "08:00", time_zone: Mars/Olympus, output_per_million: 1 }] }`,
      'hours[0].time_zone: must be a time zone of the IANA database, such as Asia/Shanghai',
    ],
    [
      'chat',
      `{ ${perToken}, hours: [{ from: "00:00", to: "08:00", time_zone: UTC }] }`,
      "hours[0]: must have a price that differs from the model's own",
    ],
    [
      'chat',
      `{ ${perToken}, service_tiers: { default: { output_per_million: 1 } } }`,
      'service_tiers.default: is not a valid price name: it must be the name of a tier, such as flex; batch has a key of its own, and default and standard are the price itself',
    ],
    ['chat', `{ ${perToken}, batch: {} }`, "batch: must have a price that differs from the model's own"],
  ] as const;
  const lines = 'a number of lines followed by p, such as 720p';
  for (const [kind, price, ...mistakes] of [
    ['image', '{ per_image: 1, minimum: -1 }', `minimum: ${money}`],
    ['image', '{ per_image: 1, minimum: 1e-2 }', `minimum: ${money}`],
    ['image', '{ per_image: 1, by_quality: { low: cheap } }', `by_quality.low: ${money}`],
    [
      'image',
      '{ per_image: 1, by_quality: { best: 1 } }',
      'by_quality.best: is unknown; allowed are low, medium, high',
    ],
    ['image', '{ per_image: 1, by_quality: {} }', 'by_quality: must list at least one price, by low, medium, high'],
    ['image', '{ per_image: 1, by_quality: 1 }', 'by_quality: must be a mapping'],
    ['image', '{ per_image: 1, by_size: { 1k: 0.0000001 } }', `by_size.1k: ${money}`],
    [
      'image',
      '{ per_image: 1, by_size: { 3k: 1, 512x512: 1, 2k: x } }',
      `by_size.2k: ${money}`,
      `by_size.3k: is not a valid price name: it must be ${sizes}`,
      `by_size.512x512: is not a valid price name: it must be ${sizes}`,
    ],
    ['image', '{ per_image: 1, by_size: {} }', `by_size: must list at least one price, by ${sizes}`],
    ['image', '{ per_image: 1, by_size: [1] }', 'by_size: must be a mapping of names to amounts'],
    [
      'image',
      '{ per_image: 1, by_quality: { low: 1 }, by_size: { 1k: 1 } }',
      "by_size: can't be combined with by_quality; use one of the two",
    ],
    ['embedding', '{ output_per_million: 1 }', 'input_per_million: is required for a model of kind embedding'],
    [
      'speech',
      '{ per_second: 1, per_million_characters: 1 }',
      "per_second: can't be combined with per_million_characters; use one of the two",
    ],
    [
      'rerank',
      '{ per_search: 1, input_per_million: 1 }',
      "input_per_million: can't be combined with per_search; use one of the two",
    ],
    ['transcription', '{ input_per_million: 1 }', 'output_per_million: is required for a model of kind transcription'],
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
      'by_quality: is not allowed for kind chat; allowed are input_per_million, output_per_million, cached_input_per_million, cache_write_per_million, cache_write_1h_per_million, audio_input_per_million, audio_output_per_million, image_input_per_million, image_output_per_million, per_call, per_tool_call, above, service_tiers, batch, hours, minimum',
    ],
    ...cardMistakes,
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
