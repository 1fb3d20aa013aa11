/** `tollgate.yaml`: read, checked with every mistake reported at once, and turned into the catalogue's types. */
import type {
  Capability,
  Deployment,
  Model,
  ModelKind,
  ModelLimits,
  ProviderSettings,
  Route,
} from '../domain/catalogue.ts';
import { endpointNames } from '../domain/call-endpoints.ts';
import type { ProviderKind } from '../domain/provider-kinds.ts';
import { priceOf } from './model-price.ts';
import { routeCostOf } from './route-cost.ts';
import { crossMistakes } from './cross-rules.ts';
import { present, SettingsError } from './setting-errors.ts';
import {
  configurationSchema,
  healthDefault,
  imageWaitSecondsDefault,
  imageTimeoutSecondsDefault,
  timeoutSecondsDefault,
  type WrittenConfiguration,
  type WrittenModel,
  type WrittenProvider,
} from './yaml-schema.ts';
import { pathText, readYaml, type Path } from './yaml-document.ts';

export interface BatchSettings {
  /** How often a line is sent again whose process died, so that its answer is not known. */
  resend: number;
  /** Tasks of one batch under way at once. */
  runningTasks: number;
}

export interface Limits {
  jsonBytes: number;
  audioBytes: number;
  videoBytes: number;
  audioSeconds: number;
  /** Of one image of a form. */
  imageBytes: number;
  /** Of a file that is uploaded to be kept. */
  fileBytes: number;
  /** Of one batch. */
  batchLines: number;
  /** Accepted tasks that wait to be started, while Temporal is away. */
  waitingTasks: number;
}

export interface Configuration {
  deployments: readonly Deployment[];
  /** By name. */
  providers: ReadonlyMap<string, ProviderSettings>;
  /** By id, in the order of the file. */
  models: ReadonlyMap<string, Model>;
  limits: Limits;
  /** ISO 4217; all amounts are of it. */
  currency: string;
  batches: BatchSettings;
  /** Whether `/status` and `/status.json` are served, to everyone. */
  statusPage: boolean;
  retentionDays: number;
  requestRetentionDays: number;
  /** Of accounts that have their bodies recorded. */
  requestBodies: { allowed: boolean; bytesMax: number };
  /** Of the environment, those that options of routes name: these keep the names, and are filled in when a task is sent. */
  variables: Readonly<Record<string, string>>;
}

const capabilitiesDefault: Readonly<Record<ModelKind, readonly Capability[]>> = {
  chat: ['chat'],
  code: ['chat', 'code'],
  embedding: [],
  speech: ['tts'],
  transcription: ['asr'],
  moderation: [],
  rerank: [],
  image: ['image'],
  video: ['video'],
  'avatar-video': ['avatar', 'video'],
  'avatar-image': ['avatar', 'video'],
  'avatar-talk': ['avatar', 'video'],
};

/**
 * Reads the text of a configuration file; `file` is its name in messages, `env` fills in `${NAME}`.
 * Throws one SettingsError with every mistake, such as
 * `tollgate.yaml:12: models[0].price.per_image: must be an amount with at most six decimals, such as 0.25`.
 */
export function readConfiguration(
  text: string,
  file: string,
  env: Record<string, string | undefined>,
  kinds: readonly ProviderKind[],
): Configuration {
  const document = readYaml(text, file, env, isPrice, isOfOptions);
  const parsed = configurationSchema(kinds).safeParse(document.value);
  const mistakes: { path: Path; message: string }[] = [];
  for (const issue of parsed.error?.issues ?? []) {
    const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
    if (issue.code !== 'unrecognized_keys') mistakes.push({ path, message: issue.message });
    else mistakes.push(...issue.keys.map((key) => ({ path: [...path, key], message: issue.message })));
  }
  mistakes.push(...crossMistakes(document.value, kinds));
  // What could not be read was reported already; that it is missing is only the echo.
  const own = mistakes.filter(({ path }) => !document.unread.has(pathText(path)));
  const lines = [...document.mistakes, ...own.map(({ path, message }) => document.mistake(path, message))];
  if (!parsed.success || lines.length > 0) throw new SettingsError(lines.sort(byLine));
  return { ...configurationOf(parsed.data, kinds), variables: document.variables };
}

function configurationOf(
  written: WrittenConfiguration,
  kinds: readonly ProviderKind[],
): Omit<Configuration, 'variables'> {
  return {
    deployments: written.deployments.map((deployment) => ({
      root: deployment.root,
      health: deployment.health ?? healthDefault(deployment.root),
      imageWaitSeconds: deployment.image_wait_seconds ?? imageWaitSecondsDefault(deployment.root),
      videoWaitSeconds: deployment.video_wait_seconds,
    })),
    providers: new Map(
      Object.entries(written.providers).map(([name, provider]) => [name, providerOf(name, provider, kinds)]),
    ),
    models: new Map(written.models.map((model) => [model.id, modelOf(model, written.currency)])),
    limits: {
      jsonBytes: written.limits.json_bytes,
      audioBytes: written.limits.audio_bytes,
      videoBytes: written.limits.video_bytes,
      audioSeconds: written.limits.audio_seconds,
      imageBytes: written.limits.image_bytes,
      fileBytes: written.limits.file_bytes,
      batchLines: written.limits.batch_lines,
      waitingTasks: written.limits.waiting_tasks,
    },
    currency: written.currency,
    batches: { resend: written.batches.resend, runningTasks: written.batches.running_tasks },
    statusPage: written.status_page,
    retentionDays: written.retention_days,
    requestRetentionDays: written.request_retention_days,
    requestBodies: { allowed: written.request_bodies.allowed, bytesMax: written.request_bodies.max_bytes },
  };
}

function providerOf(name: string, written: WrittenProvider, kinds: readonly ProviderKind[]): ProviderSettings {
  const declared = kinds.find(({ kind }) => kind === written.kind);
  if (declared === undefined) throw new Error(`no provider is of kind ${written.kind}`);
  const imageTimeoutSeconds = declared.answersWithImages ? imageTimeoutSecondsDefault : timeoutSecondsDefault;
  const values: Record<string, unknown> = written;
  return present({
    name,
    kind: written.kind,
    baseUrl: written.base_url,
    ...endpointsOf(values),
    secrets: ofType(declared.secrets, values, (value) => typeof value === 'string'),
    numbers: ofType(declared.numbers ?? {}, values, (value) => typeof value === 'number'),
    headers: written.headers,
    timeoutMs: milliseconds(written.timeout_seconds ?? timeoutSecondsDefault),
    imageTimeoutMs: milliseconds(written.timeout_seconds ?? imageTimeoutSeconds),
    idleTimeoutMs: milliseconds(written.idle_timeout_seconds),
    deadlineMs: milliseconds(written.deadline_seconds),
    rateLimitPatienceMs: milliseconds(written.rate_limit_patience_seconds),
    maxPerSecond: written.max_per_second,
    maxConcurrent: written.max_concurrent,
    pollIntervalMs:
      written.poll_interval_seconds === undefined ? undefined : milliseconds(written.poll_interval_seconds),
    maxPollsPerSecond: written.max_polls_per_second,
    batchPace: written.batch && {
      perSecondMax: written.batch.max_per_second,
      concurrentMax: written.batch.max_concurrent,
      share: written.batch.share,
    },
    reconcileColumns: written.reconcile?.columns && present(written.reconcile.columns),
  });
}

/** Of a kind whose settings have them. */
function endpointsOf({ endpoints, messages_base_url: messagesBaseUrl }: Record<string, unknown>) {
  return {
    endpoints: Array.isArray(endpoints) ? endpointNames.filter((name) => endpoints.includes(name)) : undefined,
    messagesBaseUrl: typeof messagesBaseUrl === 'string' ? messagesBaseUrl : undefined,
  };
}

/** The values of the declared keys, as far as they are there. */
function ofType<T>(
  declared: Readonly<Record<string, unknown>>,
  values: Record<string, unknown>,
  isOfType: (value: unknown) => value is T,
): Record<string, T> {
  const found: Record<string, T> = {};
  for (const name of Object.keys(declared)) {
    const value = values[name];
    if (isOfType(value)) found[name] = value;
  }
  return found;
}

function modelOf(written: WrittenModel, currency: string): Model {
  return present({
    id: written.id,
    kind: written.kind,
    ownedBy: written.owned_by ?? 'tollgate', // customers see it: providers' names are the operator's own
    created: written.created,
    capabilities: [...new Set(written.capabilities ?? capabilitiesDefault[written.kind])],
    published: written.published,
    maintenance: written.maintenance ? present(written.maintenance) : (false as const),
    routes: written.routes.map(({ cost, ...route }): Route =>
      present({ ...route, cost: routeCostOf(cost, written.kind, currency) }),
    ),
    price: priceOf(written.price, written.kind),
    limits: limitsOf(written.limits),
    qualityScale: written.quality_scale,
    onDisconnect: written.on_disconnect,
    translate: written.translate,
    allow: written.allow,
    overrunFactor: written.overrun_factor,
  });
}

function limitsOf(written: WrittenModel['limits']): ModelLimits {
  return present({
    promptCharacters: written.prompt_characters,
    maxSeconds: written.max_seconds,
    contextTokens: written.context_tokens,
    maxOutputTokens: written.max_output_tokens,
    durations: written.durations,
    ratios: written.ratios,
    sizes: written.sizes,
    resolutions: written.resolutions,
    references: written.references,
    mask: written.mask,
    variations: written.variations,
  });
}

/** `models[0].price.service_tiers.flex.above[0].input_per_million` or `models[0].routes[0].cost.rate`. */
const isPrice = (path: Path): boolean =>
  path[0] === 'models' &&
  ((path[2] === 'price' && path.length >= 4) || (path[2] === 'routes' && path[4] === 'cost' && path.length >= 6));

/** They go into each task's terms, and may hold secrets. */
const isOfOptions = (path: Path): boolean => path[0] === 'models' && path[2] === 'routes' && path[4] === 'options';

const milliseconds = (seconds: number): number => Math.round(seconds * 1000);

const byLine = (a: string, b: string): number => lineOf(a) - lineOf(b);
const lineOf = (mistake: string): number => Number(/:(\d+): /.exec(mistake)?.[1] ?? 0);
