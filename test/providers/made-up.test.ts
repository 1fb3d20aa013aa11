/** What it takes to add a kind of provider: this file's definition and fixture, and the definition's place in a list. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { z } from 'zod';
import type { ProviderSettings } from '../../src/domain/catalogue.ts';
import { type ProviderDefinition, secretOf } from '../../src/providers/definition.ts';
import { createHttpTaskProvider } from '../../src/providers/http/task-provider.ts';
import type { TaskWire } from '../../src/providers/http/wire.ts';
import { inputsOf, namedFields } from '../../src/providers/inputs.ts';
import { providerKinds } from '../../src/providers/registry.ts';
import { readConfiguration } from '../../src/config/configuration.ts';
import { SettingsError } from '../../src/config/setting-errors.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { png } from '../support/media.ts';
import { createTask, endOfTask, modelSettings, perImage, providerSettings } from '../support/provider-tasks.ts';
import type { FixtureModel, ProviderFixture } from './contract/fixture.ts';
import { openStandIn, type StandIn } from './contract/stand-in.ts';

const acme: ProviderDefinition = {
  kind: 'acme',
  serves: ['image'],
  secrets: { api_token: 'required' },
  tasks: (settings, tools) => createHttpTaskProvider(acmeWire(settings), settings, tools),
};

function acmeWire(settings: ProviderSettings): TaskWire {
  const { baseUrl = 'https://api.acme.example' } = settings;
  const headers = { 'x-token': secretOf(settings, 'api_token') };
  return {
    abilities: { idempotent: false, lookup: false, cancel: false, webhook: false },
    pollsPerSecondMax: 10,
    create: (job) => {
      const { prompt, images } = inputsOf(job);
      const body = { model: job.model, ...namedFields(job, { prompt, reference: images[0] }) };
      return { method: 'POST', url: `${baseUrl}/jobs`, headers, body: JSON.stringify(body) };
    },
    created: ({ json }) => {
      const { data } = z.object({ job: z.string() }).safeParse(json);
      if (data === undefined) return { outcome: 'unknown', reason: 'the answer names no job' };
      return { outcome: 'accepted', jobId: data.job };
    },
    poll: (jobId) => ({ method: 'GET', url: `${baseUrl}/jobs/${encodeURIComponent(jobId)}`, headers }),
    polled: ({ json }) => {
      const { data } = z.object({ state: z.string(), files: z.array(z.string()).optional() }).safeParse(json);
      if (data?.state === 'done') return { state: 'succeeded', files: (data.files ?? []).map((url) => ({ url })) };
      if (data?.state !== 'broken') return { state: 'processing' };
      return { state: 'failed', refusal: { code: 'upstream_error', message: 'The job broke.', fallOver: false } };
    },
    probe: () => ({ method: 'GET', url: `${baseUrl}/jobs`, headers }),
  };
}

const model: FixtureModel = {
  kind: 'image',
  model: 'painter-2',
  options: { style: 'oil' },
  fields: { reference: 'like' },
  body: ({ imageUrl }) => ({ model: 'painter-2', prompt: 'A toll gate at dawn', like: imageUrl, style: 'oil' }),
};

const acmeFixture: ProviderFixture = {
  definition: acme,
  secrets: { api_token: 'acme-token-of-the-operator' },
  basePath: '',
  models: [model],
  isCreate: ({ method }) => method === 'POST',
  assertSigned: ({ headers }) => assert.equal(headers['x-token'], 'acme-token-of-the-operator'),
  created: (_, { id }) => ({ json: { job: id } }),
  asked: ({ path }, { jobs }) => {
    if (path === '/jobs') return { json: [] };
    const job = jobs.get(path.replace('/jobs/', ''));
    if (job === undefined) return undefined;
    return { json: ++job.polls < 2 ? { state: 'working' } : { state: 'done', files: job.files } };
  },
};

const kinds = [...providerKinds, acme];
const configurationOf = (baseUrl: string, settings: Record<string, unknown> = {}) =>
  JSON.stringify({
    providers: { painter: { ...providerSettings(acmeFixture, baseUrl), ...settings } },
    models: [modelSettings('oil-painting', model, ['painter'])],
  });

let image: Buffer;
let standIn: StandIn;
let gateway: TestGateway;
before(async () => {
  image = await png({ width: 64, height: 48 });
  standIn = await openStandIn(acmeFixture, { image, video: Buffer.alloc(0) });
  gateway = await startTestGateway({ kinds, configuration: configurationOf(standIn.baseUrl) });
});
after(async () => {
  await gateway.stop();
  await standIn.close();
});

test('the settings know the kind, its credential and what it serves', () => {
  const read = (text: string) => readConfiguration(text, 'tollgate.yaml', {}, kinds);
  const url = 'https://acme.example';
  assert.equal(read(configurationOf(url)).providers.get('painter')?.secrets['api_token'], 'acme-token-of-the-operator');
  const mistakes = (text: string) => {
    try {
      read(text);
    } catch (error) {
      assert.ok(error instanceof SettingsError);
      return error.lines.join('\n');
    }
    return 'none';
  };
  assert.match(mistakes(configurationOf(url, { api_token: undefined })), /providers\.painter\.api_token: is missing/);
  assert.match(mistakes(configurationOf(url, { api_key: 'k' })), /providers\.painter\.api_key: is unknown/);
  const wrongKind = configurationOf(url).replace('"image"', '"video"').replace('per_image', 'per_second');
  assert.match(mistakes(wrongKind), /is a provider of kind acme, which only serves models of kind image/);
});

test('its model is bought, delivered and charged as any other', async () => {
  const media = { image: 'https://caller.example/image.png', video: '', audio: '' };
  const uploads = { audio: Buffer.alloc(0), video: Buffer.alloc(0) };
  const wanted = { id: 'oil-painting', model, media: { ...media, uploads } };
  const { status, address } = await createTask(gateway, wanted);
  const { error, files, cost } = await endOfTask(gateway, address);
  assert.deepEqual({ status, error, cost }, { status: 200, error: undefined, cost: 2 * perImage });
  assert.deepEqual(files, [image, image]);
  assert.deepEqual(await gateway.money(), { balance: 100 - cost, held: 0 });
  const [create] = standIn.paid;
  assert.ok(create !== undefined && standIn.paid.length === 1);
  acmeFixture.assertSigned(create);
  const facts = { imageUrl: media.image, maskUrl: '', videoUrl: '', audioUrl: '', hookUrl: '' };
  assert.deepEqual(create.json, model.body(facts));
});
