/** What an import changes in the text of `tollgate.yaml`, and all that it leaves as it was. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { currencyOf, type ImportOptions, planImport } from '../../src/config/model-import/plan-import.ts';
import { readConfiguration } from '../../src/config/configuration.ts';
import { parseDecimal, wholeDecimal } from '../../src/domain/exact-decimal.ts';
import { readPriceList } from '../../src/domain/price-lists/read-price-list.ts';
import { providerKinds } from '../../src/providers/registry.ts';

const file = `# The gateway of the example
providers:
  up: { kind: openai, base_url: "https://up.example/v1", api_key: "\${KEY}" } # the main one
models:
  # the small one
  - id: mini
    kind: chat
    routes:
      - { provider: up, model: acme-mini } # cheap
    price: { input_per_million: 2.50, output_per_million: "8", minimum: 0.001 } # retail
  - id: big
    kind: chat
    routes:
      - { provider: other, model: big }
      - provider: up
        model: acme-big
    price:
      input_per_million: 9 # by contract
      output_per_million: 20
`;

const chat = { modalities: { input: ['text'], output: ['text'] } };
const listed = {
  'acme-mini': { ...chat, cost: { input: 2.5, output: 8 } },
  'acme-big': { ...chat, cost: { input: 5, output: 20, cache_read: 0.5 } },
  'acme-new': { ...chat, tool_call: true, limit: { output: 32_000 }, cost: { input: 0.05, output: 0.4 } },
  'acme-old': { ...chat, status: 'deprecated', cost: { input: 1, output: 1 } },
};
const usd = { provider: 'up', foreign: undefined, factor: wholeDecimal(1n), existingOnly: false };
const plan = (models: object, options: Partial<ImportOptions> = {}, text = file) => {
  const list = readPriceList({ acme: { models } }, '2026-11-24');
  assert.ok(list);
  return planImport(text, list.models, { ...usd, ...options });
};

describe('importing a list', () => {
  test('adds what is new, changes what differs, and keeps comments and all else', () => {
    const { text, added, changed, unchanged, skipped } = plan(listed);
    assert.deepEqual(
      added.map(({ id }) => id),
      ['acme-new'],
    );
    assert.deepEqual(changed, [
      {
        id: 'mini',
        changes: [{ path: 'routes[0].cost', from: undefined, to: '{ input_per_million: 2.5, output_per_million: 8 }' }],
      },
      {
        id: 'big',
        changes: [
          {
            path: 'routes[1].cost',
            from: undefined,
            to: '{ input_per_million: 5, output_per_million: 20, cached_input_per_million: 0.5 }',
          },
        ],
      },
    ]);
    assert.deepEqual(unchanged, []);
    assert.deepEqual(skipped, [{ id: 'acme-old', reason: 'the list has it as deprecated' }]);
    assert.equal(
      text,
      file
        .replace('model: acme-mini }', 'model: acme-mini, cost: { input_per_million: 2.5, output_per_million: 8 } }')
        .replace(
          'model: acme-big\n',
          'model: acme-big\n        cost: { input_per_million: 5, output_per_million: 20, cached_input_per_million: 0.5 }\n',
        ) +
        `  - id: acme-new
    kind: chat
    capabilities: [chat, tools]
    routes:
      - provider: up
        model: acme-new
        cost: { input_per_million: 0.05, output_per_million: 0.4 }
    price: { input_per_million: 0.05, output_per_million: 0.4 }
    limits: { max_output_tokens: 32000 }
`,
    );
  });

  test('a second time changes nothing', () => {
    const { text } = plan(listed);
    const again = plan(listed, {}, text);
    assert.deepEqual([again.added, again.changed], [[], []]);
    assert.deepEqual(again.unchanged, ['mini', 'big', 'acme-new']);
    assert.equal(again.text, text);
  });

  test('a price follows the first route only; a cost follows its own', () => {
    const { changed } = plan({
      'acme-mini': { ...chat, cost: { input: 3, output: 8 } },
      'acme-big': { ...chat, cost: { input: 3, output: 8 } },
    });
    assert.deepEqual(
      changed.map(({ id, changes }) => [id, changes.map(({ path, from, to }) => `${path} ${from ?? ''} ${to}`)[0]]),
      [
        ['mini', 'price.input_per_million 2.50 3'],
        ['big', 'routes[1].cost  { input_per_million: 3, output_per_million: 8 }'],
      ],
    );
  });

  test('a rate and a margin go into the price; the cost stays in the currency of the list', () => {
    const rate = parseDecimal('7.1');
    assert.ok(rate);
    const foreign = { currency: 'USD', rate, rateText: '7.1' };
    const { text } = plan({ 'acme-new': listed['acme-new'] }, { foreign, factor: rate });
    assert.ok(
      text.includes('cost: { input_per_million: 0.05, output_per_million: 0.4, currency: USD, rate: 7.1 }'),
      text,
    );
    assert.ok(text.includes('price: { input_per_million: 0.355, output_per_million: 2.84 }'), text);
  });

  const embedding = { family: 'text-embedding', cost: { input: 0.02, output: 0 } };
  const ranking = { litellm_provider: 'acme', mode: 'rerank', input_cost_per_token: 0, input_cost_per_query: 0.002 };

  test('models that only read are added with their kind, their one price and no capabilities', () => {
    const { text } = plan({ vectors: embedding });
    assert.equal(
      text,
      `${file}  - id: vectors
    kind: embedding
    routes:
      - provider: up
        model: vectors
        cost: { input_per_million: 0.02 }
    price: { input_per_million: 0.02 }
`,
    );
    const list = readPriceList({ ranks: ranking }, '2026-11-24');
    assert.ok(list);
    const ranked = planImport(text, list.models, usd).text;
    assert.ok(ranked.endsWith('        cost: { per_search: 0.002 }\n    price: { per_search: 0.002 }\n'), ranked);
    const provider = { kind: 'openai', base_url: 'https://up.example/v1', api_key: 'k' };
    const models = ranked.slice(ranked.indexOf('models:')).replace('provider: other', 'provider: up');
    const whole = `currency: USD\nproviders: { up: ${JSON.stringify(provider)} }\n${models}`;
    const read = readConfiguration(whole, 'tollgate.yaml', {}, providerKinds);
    assert.deepEqual([read.models.get('vectors')?.kind, read.models.get('ranks')?.kind], ['embedding', 'rerank']);
  });

  test('a model that the file charges by the token and the list by the search is left alone', () => {
    const own = `models:
- id: ranks
  kind: rerank
  routes: [{ provider: up, model: ranks }]
  price: { input_per_million: 1 }
`;
    const list = readPriceList({ ranks: ranking }, '2026-11-24');
    assert.ok(list);
    const { text, changed, skipped } = planImport(own, list.models, usd);
    assert.deepEqual([text, changed], [own, []]);
    assert.deepEqual(skipped, [{ id: 'ranks', reason: 'the file charges it by another unit than the list' }]);
  });

  test('only what is there is changed where that was asked for', () => {
    const { added, skipped } = plan(listed, { existingOnly: true });
    assert.deepEqual(added, []);
    assert.deepEqual(skipped, [
      { id: 'acme-new', reason: 'it is not in the configuration' },
      { id: 'acme-old', reason: 'it is not in the configuration' },
    ]);
  });

  test('a model of the same id with other routes is left alone', () => {
    const { added, skipped, text } = plan({ mini: { ...chat, cost: { input: 1, output: 1 } } });
    assert.deepEqual([added.length, text], [0, file]);
    assert.match(skipped[0]?.reason ?? '', /has no route to mini of up/);
  });
});

describe('an existing price:', () => {
  const one = (price: string) => `models:
- id: m
  kind: chat
  routes: [{ provider: up, model: m, cost: { input_per_million: 1, output_per_million: 2 } }]
  price: ${price}
`;
  const listOf = (cost: object) => ({ m: { ...chat, cost } });

  test('variables and shared values are left as they are, and noted', () => {
    const text = one('{ input_per_million: "${PRICE}", output_per_million: &out 3 }');
    const { changed, notices, text: after } = plan(listOf({ input: 1, output: 2 }), {}, text);
    assert.deepEqual([changed, after], [[], text]);
    assert.deepEqual(notices, [
      'm: price.input_per_million has a variable, and is left as it is',
      'm: price.output_per_million is shared with other places, and is left as it is',
    ]);
  });

  test('what the list does not have stays, and only what it could have is noted', () => {
    const text = one('{ input_per_million: 1, output_per_million: 2, cached_input_per_million: 0.1, minimum: 1 }');
    const { changed, notices, text: after } = plan(listOf({ input: 1, output: 2 }), {}, text);
    assert.deepEqual([changed, after], [[], text]);
    assert.deepEqual(notices, ['m: price.cached_input_per_million not in the list: left as it is']);
  });

  test('cards by the length of the prompt are replaced together where one differs', () => {
    const tiers = [{ tier: { size: 200_000 }, input: 2, output: 4 }];
    const wanted = '[{ input_tokens: 200001, input_per_million: 2, output_per_million: 4 }]';
    const same = one(`{ input_per_million: 1, output_per_million: 2, above: ${wanted} }`);
    const list = listOf({ input: 1, output: 2, tiers });
    const first = plan(list, {}, same);
    assert.deepEqual(
      first.changed.flatMap(({ changes }) => changes.map(({ path }) => path)),
      ['routes[0].cost.above'],
    );
    const other = one(
      '{ input_per_million: 1, output_per_million: 2, above: [{ input_tokens: 5, input_per_million: 2 }] }',
    );
    const second = plan(list, {}, other);
    assert.ok(second.text.includes(`above: ${wanted}`), second.text);
    assert.deepEqual(second.changed[0]?.changes[0], {
      path: 'price.above',
      from: '[{ input_tokens: 5, input_per_million: 2 }]',
      to: wanted,
    });
  });
});

test('the currency is the one of the file', () => {
  assert.equal(currencyOf(file), 'CNY');
  assert.equal(currencyOf(`currency: USD\n${file}`), 'USD');
});
