/** The schema of `tollgate.yaml`: every key, its bounds and its default. `docs/settings.md` explains them. */
import { z } from 'zod';
import { billColumns, capabilityLabels, modelKinds, type Capability, type ImageQuality } from '../domain/catalogue.ts';
import { endpointNames } from '../domain/call-endpoints.ts';
import { currencyDefault } from '../domain/currency.ts';
import { isTimeZone } from '../domain/billing/daily-hours.ts';
import { overrunFactorDefault } from '../domain/billing/overrun.ts';
import { editImagesMax, videoSecondsMax } from '../domain/limits.ts';
import { maintenanceNoteCharactersMax, oneLine } from '../domain/maintenance.ts';
import { unpricedNames } from '../domain/unpriced-names.ts';
import { paceLimitsDefault } from '../domain/batches/pace.ts';
import type { ProviderKind } from '../domain/provider-kinds.ts';
import { must, ruleMessage } from './setting-errors.ts';
import { currency, matching, webAddress, money } from './setting-values.ts';

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

const timeZoneRule = 'be a time zone of the IANA database, such as Asia/Shanghai';

/** Encoders take even sides only. */
const videoSize = /^[1-9]\d{1,2}[02468]x[1-9]\d{1,2}[02468]$/;

// Which keys go with which kind of model, and which names listings take, is in `price-rules.ts`.
const pricesByName = () => z.record(z.string(), money(), must('be a mapping of names to amounts'));
const rates = {
  input_per_million: money().optional(),
  output_per_million: money().optional(),
  cached_input_per_million: money().optional(),
  cache_write_per_million: money().optional(),
  cache_write_1h_per_million: money().optional(),
  audio_input_per_million: money().optional(),
  audio_output_per_million: money().optional(),
  image_input_per_million: money().optional(),
  image_output_per_million: money().optional(),
  per_call: money().optional(),
  per_tool_call: pricesByName().optional(),
  minimum: money().optional(),
};
const longPrompt = strict({ input_tokens: number({ whole: true, min: 1, max: 1_000_000_000 }), ...rates });
const ratesByLength = { ...rates, above: list(longPrompt, 20).optional() };
const timeOfDay = () => matching(/^([01]\d|2[0-3]):[0-5]\d$/, 'be a time of day from "00:00" to "23:59", in quotes');
const hours = strict({
  from: timeOfDay(),
  to: timeOfDay(),
  time_zone: z.string(must(timeZoneRule)).refine(isTimeZone, must(timeZoneRule)),
  ...ratesByLength,
});
const priceKeys = {
  ...ratesByLength,
  service_tiers: z
    .record(z.string(), strict(ratesByLength), must('be a mapping of names of tiers to prices'))
    .optional(),
  batch: strict(ratesByLength).optional(),
  hours: list(hours, 20).optional(),
  per_image: money().optional(),
  per_second: money().optional(),
  per_million_characters: money().optional(),
  per_search: money().optional(),
  by_quality: strict({
    low: money().optional(),
    medium: money().optional(),
    high: money().optional(),
  } satisfies Record<ImageQuality, unknown>).optional(),
  by_size: pricesByName().optional(),
  by_resolution: pricesByName().optional(),
};
const price = strict(priceKeys);
const cost = strict({
  ...priceKeys,
  currency: currency().optional(),
  rate: matching(
    /^(?=.*[1-9])\d{1,9}(\.\d{1,9})?$/,
    "be how much of the gateway's currency one unit costs, with at most nine decimals, such as 7.15",
  ).optional(),
});

const route = strict({
  provider: text(64),
  model: text(200),
  options: z.record(z.string(), z.json(), must('be a mapping')).default({}),
  fields: z.record(z.string(), z.string(must('be a field name, or null')).nullable(), must('be a mapping')).default({}),
  cost: cost.optional(),
  batch: z.literal('native', must('be native')).optional(),
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
  maintenance: maintenance(),
  routes: list(route, 20),
  price,
  limits: strict({
    prompt_characters: number({ whole: true, min: 1, max: 1_000_000 }).optional(),
    max_seconds: number({ min: 1, max: 3600 }).optional(),
    context_tokens: number({ whole: true, min: 1, max: 100_000_000 }).optional(),
    max_output_tokens: number({ whole: true, min: 1, max: 10_000_000 }).optional(),
    durations: list(number({ whole: true, min: 1, max: videoSecondsMax }), 100).optional(),
    ratios: list(matching(/^[1-9]\d?:[1-9]\d?$/, 'be a ratio such as 16:9, in quotes'), 30).optional(),
    sizes: list(matching(videoSize, 'be even pixels such as 1280x720'), 100).optional(),
    resolutions: list(z.enum(['1k', '2k', '4k'], must('be one of 1k, 2k, 4k')), 3).optional(),
    references: number({ whole: true, min: 0, max: editImagesMax }).optional(),
    mask: flag().optional(),
    variations: flag().optional(),
  }).prefault({}),
  quality_scale: strict({
    low: number({ min: 0, max: 1000 }),
    medium: number({ min: 0, max: 1000 }),
    high: number({ min: 0, max: 1000 }),
  } satisfies Record<ImageQuality, unknown>).optional(),
  on_disconnect: z.enum(['abort', 'drain'], must('be abort or drain')).default('abort'),
  translate: flag().default(false),
  allow: list(z.enum(unpricedNames, must(`be one of ${unpricedNames.join(', ')}`)), unpricedNames.length).default([]),
  overrun_factor: number({ min: 1, max: 1000 }).default(overrunFactorDefault),
});

const columnRule = must(`be a mapping of ${billColumns.join(', ')} to names of columns`);
const columnsOfBills = z.partialRecord(z.enum(billColumns), text(200), columnRule);

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
  reconcile: strict({ columns: columnsOfBills.optional() }).optional(),
  batch: strict({
    max_per_second: number({ min: 0.01, max: 10_000 }).optional(),
    max_concurrent: number({ whole: true, min: 1, max: 10_000 }).default(paceLimitsDefault.concurrentMax),
    share: number({ min: 0.01, max: 1 }).default(paceLimitsDefault.share),
  }).optional(),
};

const endpoints = {
  endpoints: list(
    z.enum(endpointNames, must(`be one of ${endpointNames.join(', ')}`)),
    endpointNames.length,
  ).optional(),
  messages_base_url: webAddress().optional(),
};

/** The mapping of a provider of one kind: what all have, and what this kind declares. */
function providerOf({ kind, secrets, numbers = {}, endpoints: hasEndpoints }: ProviderKind) {
  const own: Record<string, z.ZodType<string | number | undefined>> = {};
  for (const [name, rule] of Object.entries(secrets)) {
    // What is only needed without a base URL is asked for in `cross-rules.ts`.
    own[name] = rule === 'required' ? text(4096) : text(4096).optional();
  }
  for (const [name, rule] of Object.entries(numbers)) own[name] = number(rule).default(rule.default);
  const ofChat: Partial<typeof endpoints> = hasEndpoints ? endpoints : {};
  return strict({ ...own, kind: z.literal(kind), ...commonToProviders, ...ofChat });
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
      // What OpenAI takes is less than 50,000,000 bytes: as much as fits below that.
      image_bytes: number({ whole: true, min: KiB, max: 512 * MiB }).default(47 * MiB),
      file_bytes: number({ whole: true, min: KiB, max: 16_384 * MiB }).default(200 * MiB),
      batch_lines: number({ whole: true, min: 1, max: 1_000_000 }).default(50_000),
      waiting_tasks: number({ whole: true, min: 1, max: 1_000_000 }).default(10_000),
    }).prefault({}),
    batches: strict({
      resend: number({ whole: true, min: 0, max: 3 }).default(1),
      running_tasks: number({ whole: true, min: 1, max: 1000 }).default(20),
    }).prefault({}),
    currency: currency().default(currencyDefault),
    status_page: flag().default(true),
    retention_days: number({ whole: true, min: 1, max: 3650 }).default(7),
    request_retention_days: number({ whole: true, min: 1, max: 3650 }).default(30),
    request_bodies: strict({
      allowed: flag().default(true),
      max_bytes: number({ whole: true, min: KiB, max: 4 * MiB }).default(256 * KiB),
    }).prefault({}),
  });
export type WrittenConfiguration = z.output<ReturnType<typeof configurationSchema>>;
export type WrittenModel = WrittenConfiguration['models'][number];
export type WrittenPrice = WrittenModel['price'];
export type WrittenCost = NonNullable<WrittenModel['routes'][number]['cost']>;
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

function flag() {
  const asFlag = (value: unknown) => (value === 'true' ? true : value === 'false' ? false : value);
  return z.preprocess(asFlag, z.boolean(must('be true or false')));
}

/** `true`, `false`, or a mapping; undefined: there is none. */
function maintenance() {
  const asMapping = (value: unknown) =>
    value === true || value === 'true' ? {} : value === false || value === 'false' ? undefined : value;
  const momentRule = must('be a time in ISO 8601 with its zone, such as 2026-12-01T08:00:00Z');
  const shape = {
    note: text(maintenanceNoteCharactersMax).regex(oneLine, must('be one line of text')).optional(),
    until: z.iso
      .datetime({ offset: true, ...momentRule })
      .transform((moment) => new Date(moment))
      .optional(),
  };
  const mapping = z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? 'is unknown; allowed are note, until'
        : ruleMessage('be true, false or a mapping of note and until', issue.input),
  });
  return z.preprocess(asMapping, mapping.optional());
}

function numberOfText(value: unknown): unknown {
  return typeof value === 'string' && /^-?\d{1,15}(\.\d{1,9})?$/.test(value) ? Number(value) : value;
}
