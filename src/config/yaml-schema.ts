/** The schema of `tollgate.yaml`: every key, its bounds and its default. `docs/settings.md` explains them. */
import { z } from 'zod';
import { capabilityLabels, modelKinds, type Capability, type ImageQuality } from '../domain/catalogue.ts';
import { overrunFactorDefault } from '../domain/billing/overrun.ts';
import { unpricedNames } from '../domain/unpriced-names.ts';
import type { ProviderKind } from '../domain/provider-kinds.ts';
import { must, ruleMessage } from './setting-errors.ts';
import { matching, webAddress, yuan } from './setting-values.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

// The first bytes of a whole-image answer come when the image is done; other answers begin within a minute.
export const timeoutSecondsDefault = 60;
export const imageTimeoutSecondsDefault = 300;

const waitSecondsMax = 300;

// The two built-in deployments differ in these; others follow the general rule.
export const healthDefault = (root: string): string =>
  root === '/v1' ? '/api/models/health' : `${root}/models/health`;
export const imageWaitSecondsDefault = (root: string): number => (root === '/ai/v1' ? 0 : waitSecondsMax);

const capabilities = Object.keys(capabilityLabels) as Capability[];

// Which keys go with which kind of model, and which names the last two take, is in `price-rules.ts`.
const pricesByName = () => z.record(z.string(), yuan(), must('be a mapping of names to yuan'));
const price = strict({
  input_per_million: yuan().optional(),
  output_per_million: yuan().optional(),
  cached_input_per_million: yuan().optional(),
  per_image: yuan().optional(),
  per_second: yuan().optional(),
  minimum: yuan().optional(),
  by_quality: strict({
    low: yuan().optional(),
    medium: yuan().optional(),
    high: yuan().optional(),
  } satisfies Record<ImageQuality, unknown>).optional(),
  by_size: pricesByName().optional(),
  by_resolution: pricesByName().optional(),
});

const route = strict({
  provider: text(64),
  model: text(200),
  options: z.record(z.string(), z.json(), must('be a mapping')).default({}),
  fields: z.record(z.string(), z.string(must('be a field name, or null')).nullable(), must('be a mapping')).default({}),
});

const model = strict({
  id: matching(
    /^[^\s\p{C}]{1,128}$/u,
    'be text of 1 to 128 characters without spaces, in quotes where it looks like a number',
  ),
  kind: z.enum(modelKinds, must(`be one of ${modelKinds.join(', ')}`)),
  owned_by: text(64).optional(),
  created: number({ whole: true, min: 0, max: 4_102_444_800 }).default(1_767_225_600),
  capabilities: list(z.enum(capabilities, must(`be one of ${capabilities.join(', ')}`)), 20).optional(),
  published: flag().default(true),
  maintenance: flag().default(false),
  routes: list(route, 20),
  price,
  limits: strict({
    prompt_characters: number({ whole: true, min: 1, max: 1_000_000 }).optional(),
    max_seconds: number({ min: 1, max: 3600 }).optional(),
    max_output_tokens: number({ whole: true, min: 1, max: 10_000_000 }).optional(),
    durations: list(oneOf([5, 8, 10, 11]), 4).optional(),
    resolutions: list(z.enum(['1k', '2k', '4k'], must('be one of 1k, 2k, 4k')), 3).optional(),
  }).prefault({}),
  quality_scale: strict({
    low: number({ min: 0, max: 1000 }),
    medium: number({ min: 0, max: 1000 }),
    high: number({ min: 0, max: 1000 }),
  } satisfies Record<ImageQuality, unknown>).optional(),
  on_disconnect: z.enum(['abort', 'drain'], must('be abort or drain')).default('abort'),
  allow: list(z.enum(unpricedNames, must(`be one of ${unpricedNames.join(', ')}`)), unpricedNames.length).default([]),
  overrun_factor: number({ min: 1, max: 1000 }).default(overrunFactorDefault),
});

const commonToProviders = {
  base_url: webAddress().optional(),
  headers: z.record(z.string(), z.string(must('be text')), must('be a mapping')).default({}),
  timeout_seconds: number({ min: 0.1, max: 3600 }).optional(),
  idle_timeout_seconds: number({ min: 0.1, max: 3600 }).default(60),
  deadline_seconds: number({ min: 1, max: 86_400 }).default(3600),
  rate_limit_patience_seconds: number({ min: 0, max: 86_400 }).default(600),
  max_per_second: number({ min: 0.01, max: 10_000 }).optional(),
  max_concurrent: number({ whole: true, min: 1, max: 1_000_000 }).optional(),
  poll_interval_seconds: number({ min: 0.5, max: 600 }).optional(),
  max_polls_per_second: number({ min: 0.1, max: 10_000 }).optional(),
};

/** The mapping of a provider of one kind: what all have, and what this kind declares. */
function providerOf({ kind, secrets, numbers = {} }: ProviderKind) {
  const own: Record<string, z.ZodType<string | number | undefined>> = {};
  for (const [name, rule] of Object.entries(secrets)) {
    // What is only needed without a base URL is asked for in `cross-rules.ts`.
    own[name] = rule === 'required' ? text(4096) : text(4096).optional();
  }
  for (const [name, rule] of Object.entries(numbers)) own[name] = number(rule).default(rule.default);
  return strict({ ...own, kind: z.literal(kind), ...commonToProviders });
}

const anyOf = (kinds: readonly ProviderKind[]) => {
  const [first, ...others] = kinds.map(providerOf);
  if (first === undefined) throw new RangeError('there are no kinds of provider');
  return z.discriminatedUnion('kind', [first, ...others], {
    error: ({ input }) => {
      const isMapping = typeof input === 'object' && input !== null && !Array.isArray(input);
      return isMapping ? `must be one of ${kinds.map(({ kind }) => kind).join(', ')}` : 'must be a mapping';
    },
  });
};

const address = () => matching(/^(\/[A-Za-z0-9._~-]+)+$/, 'begin with / and not end with it, such as /v1');
const waitSeconds = () => number({ whole: true, min: 0, max: waitSecondsMax });
const deployment = strict({
  root: address(),
  health: address().optional(),
  image_wait_seconds: waitSeconds().optional(),
  video_wait_seconds: waitSeconds().default(waitSecondsMax),
});

/** The schema of a whole file, for the kinds of provider that there are. */
export const configurationSchema = (kinds: readonly ProviderKind[]) =>
  strict({
    deployments: list(deployment, 16).prefault([{ root: '/v1' }, { root: '/ai/v1' }]),
    providers: z.record(z.string(), anyOf(kinds), must('be a mapping of names to providers')),
    models: list(model, 10_000),
    limits: strict({
      json_bytes: number({ whole: true, min: KiB, max: 256 * MiB }).default(20 * MiB),
      audio_bytes: number({ whole: true, min: KiB, max: 2048 * MiB }).default(50 * MiB),
      video_bytes: number({ whole: true, min: KiB, max: 16_384 * MiB }).default(500 * MiB),
      audio_seconds: number({ min: 1, max: 3600 }).default(600),
      waiting_tasks: number({ whole: true, min: 1, max: 1_000_000 }).default(10_000),
    }).prefault({}),
    retention_days: number({ whole: true, min: 1, max: 3650 }).default(7),
  });
export type WrittenConfiguration = z.output<ReturnType<typeof configurationSchema>>;
export type WrittenModel = WrittenConfiguration['models'][number];
export type WrittenProvider = WrittenConfiguration['providers'][string];

/** A mapping that refuses keys that it doesn't know, naming those that it does. */
function strict<Shape extends z.ZodRawShape>(shape: Shape) {
  const allowed = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `is unknown; allowed are ${allowed}`
        : ruleMessage('be a mapping', issue.input),
  });
}

function list<Item extends z.ZodType>(item: Item, max: number) {
  const rule = must(`be a list of 1 to ${max} items`);
  return z.array(item, rule).min(1, rule).max(max, rule);
}

function text(max: number) {
  const rule = must(`be a string of 1 to ${max} characters`);
  return z.string(rule).min(1, rule).max(max, rule);
}

/** Numbers that come from the environment are text; so `"${NAME}"` works where a number is due. */
function number({ min, max, whole = false }: { min: number; max: number; whole?: boolean }) {
  const rule = must(`be a ${whole ? 'whole ' : ''}number from ${min} to ${max}`);
  return z.preprocess(numberOfText, (whole ? z.int(rule) : z.number(rule)).min(min, rule).max(max, rule));
}

function oneOf(values: readonly number[]) {
  return z.preprocess(numberOfText, z.literal(values, must(`be one of ${values.join(', ')}`)));
}

function flag() {
  const asFlag = (value: unknown) => (value === 'true' ? true : value === 'false' ? false : value);
  return z.preprocess(asFlag, z.boolean(must('be true or false')));
}

function numberOfText(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d{1,15}(\.\d{1,9})?$/.test(value) ? Number(value) : value;
}
