/** `batch: native` of a route: which providers and models may say it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { providerKinds } from '../../src/providers/registry.ts';
import { readConfiguration } from '../../src/config/configuration.ts';

const textOf = (
  routes: string,
  model = 'kind: chat, price: { input_per_million: 1, output_per_million: 1 }',
) => `providers:
  sim: { kind: simulator }
  open: { kind: openai, api_key: a-key-of-openai }
  claude: { kind: anthropic, api_key: a-key-of-anthropic }
models:
  - { id: m, ${model}, routes: [${routes}] }
`;
const read = (text: string) =>
  readConfiguration(text, 'tollgate.yaml', {}, providerKinds).models.get('m')?.routes[0]?.batch;

describe('batch: native', () => {
  for (const provider of ['open', 'claude']) {
    test(`is read of the first route, to ${provider}`, () => {
      assert.equal(read(textOf(`{ provider: ${provider}, model: m, batch: native }`)), 'native');
    });
  }

  for (const [what, text, message] of [
    [
      'a provider without a batch API',
      textOf('{ provider: sim, model: m, batch: native }'),
      'models[0].routes[0].batch: is only for providers of kind openai, anthropic: others have no batch API',
    ],
    [
      'a model of another kind',
      textOf('{ provider: open, model: m, batch: native }', 'kind: image, price: { per_image: 1 }'),
      'models[0].routes[0].batch: is not allowed for kind image, only for chat, code, embedding, moderation',
    ],
    [
      'another route than the first',
      textOf('{ provider: open, model: m }, { provider: claude, model: m, batch: native }'),
      'models[0].routes[1].batch: does nothing but on the first of the routes',
    ],
    ['another word', textOf('{ provider: open, model: m, batch: local }'), 'models[0].routes[0].batch: must be native'],
  ] as const) {
    test(`is a mistake with ${what}`, () => {
      assert.throws(
        () => read(text),
        (error) => error instanceof Error && error.message.includes(message),
      );
    });
  }
});
