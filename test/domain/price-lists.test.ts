/** Public price lists: the fields of both forms as prices of `tollgate.yaml`, and what can't be one. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseDecimal, wholeDecimal } from '../../src/domain/exact-decimal.ts';
import type { ListedModel } from '../../src/domain/price-lists/listed-model.ts';
import { factorOf, priceEntryOf, type PriceEntry } from '../../src/domain/price-lists/price-entry.ts';
import { readPriceList } from '../../src/domain/price-lists/read-price-list.ts';

const today = '2026-11-24';
const listOf = (value: unknown) => readPriceList(value, today) ?? assert.fail('the form was not known');
const unchanged = { factor: wholeDecimal(1n), onRounded: () => assert.fail('an amount was rounded') };
const entryOf = ({ price }: ListedModel): PriceEntry => priceEntryOf(price, unchanged);

/** The only model of a list of models.dev with this entry. */
const ofModelsDev = (entry: object, vendor = 'acme') => listOf({ [vendor]: { models: { m: entry } } });
const ofLitellm = (entry: object, name = 'm') =>
  listOf({ [name]: { litellm_provider: 'acme', mode: 'chat', ...entry } });

function onlyOf({ models, skipped }: ReturnType<typeof listOf>): ListedModel {
  assert.deepEqual(skipped, []);
  const [model] = models;
  assert.ok(model && models.length === 1);
  return model;
}

function reasonOf({ models, skipped }: ReturnType<typeof listOf>): string | undefined {
  assert.deepEqual(models, []);
  return skipped[0]?.reason;
}

const text = { input: ['text', 'image'], output: ['text'] };

describe('the list of models.dev:', () => {
  test('a model with its prices, abilities and longest answer', () => {
    const model = onlyOf(
      ofModelsDev({
        reasoning: true,
        tool_call: true,
        modalities: text,
        limit: { context: 400_000, output: 128_000 },
        cost: { input: 1.25, output: 10, cache_read: 0.125, cache_write: 1.5625, input_audio: 4, output_audio: 20 },
      }),
    );
    assert.deepEqual([model.vendor, model.id, model.kind], ['acme', 'm', 'chat']);
    assert.deepEqual(model.capabilities, ['chat', 'vision', 'reasoning', 'tools']);
    assert.equal(model.maxOutputTokens, 128_000);
    assert.deepEqual(entryOf(model), {
      input_per_million: '1.25',
      output_per_million: '10',
      cached_input_per_million: '0.125',
      cache_write_per_million: '1.5625',
      audio_input_per_million: '4',
      audio_output_per_million: '20',
    });
  });

  test('a tier by the length of the prompt is a card of what differs, from the next token on', () => {
    const tiers = [
      { tier: { type: 'context', size: 500_000 }, input: 4, output: 10 },
      { tier: { size: 200_000 }, input: 2.5, output: 15, cache_read: 0.25 },
    ];
    const cost = { input: 1.25, output: 10, cache_read: 0.125, tiers, context_over_200k: { input: 9, output: 9 } };
    assert.deepEqual(entryOf(onlyOf(ofModelsDev({ modalities: text, cost })))['above'], [
      { input_tokens: 200_001, input_per_million: '2.5', output_per_million: '15', cached_input_per_million: '0.25' },
      { input_tokens: 500_001, input_per_million: '4' },
    ]);
    const older = { input: 1, output: 2, context_over_200k: { input: 2, output: 4 } };
    const above = (vendor: string) => entryOf(onlyOf(ofModelsDev({ modalities: text, cost: older }, vendor)))['above'];
    assert.deepEqual(above('acme'), [{ input_tokens: 200_001, input_per_million: '2', output_per_million: '4' }]);
    assert.deepEqual(above('xai'), [{ input_tokens: 200_000, input_per_million: '2', output_per_million: '4' }]);
  });

  test('what has no price that can be charged is left out with its reason', () => {
    const reason = (entry: object) => reasonOf(ofModelsDev({ modalities: text, ...entry }));
    assert.match(reason({}) ?? '', /no price of it/);
    assert.match(reason({ cost: { output: 3 } }) ?? '', /no price of its input or output/);
    assert.match(reason({ cost: { input: 0, output: 0 } }) ?? '', /for nothing/);
    assert.match(reason({ cost: { input: 1, output: 2, reasoning: 3 } }) ?? '', /reasoning tokens/);
    assert.match(reason({ cost: { input: -1, output: 2 } }) ?? '', /can't be read at cost\.input/);
    const hourly = [{ tier: { type: 'time', size: 8 }, input: 1, output: 2 }];
    assert.match(reason({ cost: { input: 1, output: 2, tiers: hourly } }) ?? '', /depends on time/);
    assert.match(
      reason({ modalities: { input: ['text'], output: ['image'] }, cost: { input: 1, output: 2 } }) ?? '',
      /answer with text/,
    );
  });

  test('models that only read are known by their family or name, and have no price of output and no longest answer', () => {
    const read = (id: string, entry: object) => {
      const model = onlyOf(listOf({ acme: { models: { [id]: { modalities: text, ...entry } } } }));
      return [model.kind, model.capabilities, model.maxOutputTokens, entryOf(model)];
    };
    const limit = { context: 8191, output: 1536 };
    const price = { input_per_million: '0.02' };
    const cost = { input: 0.02, output: 0 };
    assert.deepEqual(read('text-embedding-3-small', { limit, cost }), ['embedding', [], undefined, price]);
    assert.deepEqual(read('multilingual-e5', { family: 'text-embedding', cost })[0], 'embedding');
    assert.deepEqual(read('qwen3-reranker-8b', { cost: { input: 0.02 } }), ['rerank', [], undefined, price]);
    assert.match(reasonOf(ofModelsDev({ family: 'text-embedding', cost: { output: 1 } })) ?? '', /price of its input$/);
    assert.match(reasonOf(ofModelsDev({ family: 'text-embedding', cost: { input: 0 } })) ?? '', /for nothing/);
  });

  test('reasoning at the price of the output is no obstacle, and a deprecated model is marked', () => {
    const cost = { input: 1, output: 2, reasoning: 2 };
    assert.equal(onlyOf(ofModelsDev({ modalities: text, status: 'deprecated', cost })).isDeprecated, true);
    assert.equal(onlyOf(ofModelsDev({ modalities: text, status: 'beta', cost })).isDeprecated, false);
  });
});

describe('the list of LiteLLM:', () => {
  const tokens = { input_cost_per_token: 3e-6, output_cost_per_token: 1.5e-5 };

  test('prices of a token become those of a million, with caches, audio, images and searches', () => {
    const model = onlyOf(
      ofLitellm({
        ...tokens,
        cache_read_input_token_cost: 3e-7,
        cache_creation_input_token_cost: 3.75e-6,
        cache_creation_input_token_cost_above_1hr: 6e-6,
        input_cost_per_audio_token: 4e-5,
        output_cost_per_audio_token: 8e-5,
        input_cost_per_image_token: 5e-6,
        output_cost_per_image_token: 4e-5,
        search_context_cost_per_query: {
          search_context_size_low: 0.01,
          search_context_size_medium: 0.01,
          search_context_size_high: 0.01,
        },
        max_output_tokens: 64_000,
        supports_function_calling: true,
        supports_vision: false,
      }),
    );
    assert.deepEqual(model.capabilities, ['chat', 'tools']);
    assert.equal(model.maxOutputTokens, 64_000);
    assert.deepEqual(entryOf(model), {
      input_per_million: '3',
      output_per_million: '15',
      cached_input_per_million: '0.3',
      cache_write_per_million: '3.75',
      cache_write_1h_per_million: '6',
      audio_input_per_million: '40',
      audio_output_per_million: '80',
      image_input_per_million: '5',
      image_output_per_million: '40',
      per_tool_call: { web_search: '0.01' },
    });
  });

  test('tiers and thresholds become cards, each with what differs from what it inherits', () => {
    const model = onlyOf(
      ofLitellm({
        ...tokens,
        cache_read_input_token_cost: 3e-7,
        input_cost_per_token_above_200k_tokens: 6e-6,
        output_cost_per_token_above_200k_tokens: 2.25e-5,
        input_cost_per_token_priority: 6e-6,
        output_cost_per_token_priority: 3e-5,
        input_cost_per_token_above_200k_tokens_priority: 1.2e-5,
        input_cost_per_token_flex: 1.5e-6,
        output_cost_per_token_flex: 7.5e-6,
        input_cost_per_token_batches: 1.5e-6,
        output_cost_per_token_batches: 7.5e-6,
      }),
    );
    assert.deepEqual(entryOf(model), {
      input_per_million: '3',
      output_per_million: '15',
      cached_input_per_million: '0.3',
      above: [{ input_tokens: 200_001, input_per_million: '6', output_per_million: '22.5' }],
      service_tiers: {
        flex: {
          input_per_million: '1.5',
          output_per_million: '7.5',
          above: [{ input_tokens: 200_001, input_per_million: '6', output_per_million: '22.5' }],
        },
        priority: {
          input_per_million: '6',
          output_per_million: '30',
          above: [{ input_tokens: 200_001, input_per_million: '12', output_per_million: '22.5' }],
        },
      },
      batch: {
        input_per_million: '1.5',
        output_per_million: '7.5',
        above: [{ input_tokens: 200_001, input_per_million: '6', output_per_million: '22.5' }],
      },
    });
  });

  test('the vendor in front of a name is no part of what the vendor calls the model', () => {
    assert.equal(onlyOf(ofLitellm(tokens, 'acme/lab/m-2')).id, 'lab/m-2');
    assert.equal(onlyOf(ofLitellm(tokens, 'other/m-2')).id, 'other/m-2');
  });

  test('an image has a price of its own, a video one of a second', () => {
    const image = onlyOf(ofLitellm({ mode: 'image_generation', output_cost_per_image: 0.04 }));
    assert.deepEqual([image.kind, entryOf(image)], ['image', { per_image: '0.04' }]);
    const video = onlyOf(ofLitellm({ mode: 'video_generation', output_cost_per_video_per_second: 0.1 }));
    assert.deepEqual([video.kind, entryOf(video)], ['video', { per_second: '0.1' }]);
  });

  test('a model of embeddings has a price of its input, and one of batches', () => {
    const listed = { mode: 'embedding', input_cost_per_token: 2e-8, output_cost_per_token: 0, max_output_tokens: 9 };
    const model = onlyOf(
      ofLitellm({ ...listed, input_cost_per_token_batches: 1e-8, output_cost_per_token_batches: 0 }),
    );
    assert.deepEqual([model.kind, model.capabilities, model.maxOutputTokens], ['embedding', [], undefined]);
    assert.deepEqual(entryOf(model), { input_per_million: '0.02', batch: { input_per_million: '0.01' } });
  });

  test('a model that ranks is charged by the search or by the token', () => {
    const free = { input_cost_per_token: 0, output_cost_per_token: 0 };
    const bySearch = onlyOf(ofLitellm({ mode: 'rerank', input_cost_per_query: 0.002, ...free }));
    assert.deepEqual([bySearch.kind, entryOf(bySearch)], ['rerank', { per_search: '0.002' }]);
    const byToken = onlyOf(ofLitellm({ mode: 'rerank', input_cost_per_token: 5e-8, output_cost_per_token: 5e-8 }));
    assert.deepEqual(entryOf(byToken), { input_per_million: '0.05', output_per_million: '0.05' });
    const both = { mode: 'rerank', input_cost_per_query: 0.002, input_cost_per_token: 5e-8 };
    assert.match(reasonOf(ofLitellm(both)) ?? '', /a search and one of tokens/);
    assert.match(reasonOf(ofLitellm({ mode: 'rerank', input_cost_per_query: 0, ...free })) ?? '', /for nothing/);
  });

  test('what is no model, or none that can be charged, is left out', () => {
    assert.deepEqual(
      listOf({ sample_spec: { litellm_provider: 'one of' }, m: { litellm_provider: 'a', mode: 'chat', ...tokens } })
        .skipped,
      [],
    );
    assert.match(reasonOf(ofLitellm({ mode: 'audio_speech', ...tokens })) ?? '', /mode audio_speech/);
    assert.match(reasonOf(ofLitellm({ input_cost_per_token: 1e-6 })) ?? '', /no price of its input or output/);
    assert.match(reasonOf(ofLitellm({ ...tokens, output_cost_per_reasoning_token: 1e-5 })) ?? '', /reasoning tokens/);
    assert.match(reasonOf(ofLitellm({ mode: 'image_generation' })) ?? '', /no price of an image/);
  });

  test('a model is deprecated from its date on', () => {
    assert.equal(onlyOf(ofLitellm({ ...tokens, deprecation_date: '2026-11-24' })).isDeprecated, true);
    assert.equal(onlyOf(ofLitellm({ ...tokens, deprecation_date: '2026-11-25' })).isDeprecated, false);
  });
});

test('other files have no known form', () => {
  for (const value of [null, [], 'text', {}, { a: 1 }, { models: [] }, { openai: { name: 'x' } }])
    assert.equal(readPriceList(value, today), undefined);
});

test('a rate and a margin are multiplied exactly; what needs more than six decimals is rounded and reported', () => {
  const rate = parseDecimal('7.1');
  const margin = parseDecimal('12.5');
  assert.ok(rate && margin);
  const rounded: string[] = [];
  const price = onlyOf(ofLitellm({ input_cost_per_token: 1.25e-6, output_cost_per_token: 1.234567e-6 })).price;
  const entry = priceEntryOf(price, {
    factor: factorOf(rate, margin),
    onRounded: (exact, shown) => rounded.push(`${exact} -> ${shown}`),
  });
  assert.deepEqual(entry, { input_per_million: '9.984375', output_per_million: '9.861104' });
  assert.deepEqual(rounded, ['9.8611039125 -> 9.861104']);
});
