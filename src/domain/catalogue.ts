/** The model catalogue: what is offered, by which routes, at which price. Parsed from settings, then frozen. */
import type { PaceLimits } from './batches/pace.ts';
import type { TokenPrice } from './billing/token-card.ts';
import type { Money } from './money.ts';
import type { EndpointName } from './call-endpoints.ts';
import type { MaintenanceSetting } from './maintenance.ts';
import type { UnpricedName } from './unpriced-names.ts';

/** Kinds of model that make a file, each by a task. */
export const taskModelKinds = ['image', 'video', 'avatar-video', 'avatar-image', 'avatar-talk'] as const;
export type TaskModelKind = (typeof taskModelKinds)[number];

/** Kinds of model that answer a call at once. */
export const callModelKinds = ['chat', 'code', 'embedding', 'speech', 'transcription', 'moderation', 'rerank'] as const;

export const modelKinds = [...callModelKinds, ...taskModelKinds] as const;
export type ModelKind = (typeof modelKinds)[number];

/** Capability tags with their display names (health report, `labels`). */
export const capabilityLabels = {
  chat: '对话',
  vision: '视觉理解',
  reasoning: '深度思考',
  tools: '工具调用',
  code: '代码生成',
  image: '图像生成',
  video: '视频生成',
  avatar: '数字人',
  tts: '语音合成',
  asr: '语音识别',
} as const;
export type Capability = keyof typeof capabilityLabels;

export const imageQualities = ['low', 'medium', 'high'] as const;
export type ImageQuality = (typeof imageQualities)[number];

/** One way to an upstream: which provider of the settings, and what that provider calls the model. */
export interface Route {
  provider: string;
  model: string;
  /** Handed over to the provider as they are. */
  options: Record<string, unknown>;
  /** Of providers whose models each have fields of their own: what this one calls ours; null leaves one out. */
  fields: Readonly<Record<string, string | null>>;
  /** What its provider charges the operator, as far as that is known. */
  cost?: RouteCost;
  /** Batches of this model alone are handed to the batch API of its provider. */
  batch?: 'native';
}

/** What a route's provider charges, as the settings say it. */
export interface RouteCost {
  /** ISO 4217. */
  currency: string;
  /** How much of the gateway's currency one unit is, in decimal digits; absent where it is the gateway's own. */
  rate?: string;
  /** In that currency. Without one only what the provider states is known. */
  card?: Price;
}

export type Price = ImagePrice | SecondPrice | TokenPrice;

/** A price's variants by their names in the settings. */
export type PricesByName = Readonly<Record<string, Money>>;

/** What is charged at all costs at least `minimum`, once a task or call. */
interface WithMinimum {
  minimum?: Money;
}

export interface ImagePrice extends WithMinimum {
  unit: 'image';
  /** Where neither of the two below says another; a model has one of them at most. */
  perImage: Money;
  byQuality?: Readonly<Partial<Record<ImageQuality, Money>>>;
  /** By `1k`, `2k`, `4k`, `8k` or an exact size such as `1024x1536`. */
  bySize?: PricesByName;
}

export interface SecondPrice extends WithMinimum {
  unit: 'second';
  /** Where `byResolution` says no other. */
  perSecond: Money;
  /** By lines of a video as `720p`. */
  byResolution?: PricesByName;
}

export interface ModelLimits {
  promptCharacters?: number;
  /** Longest result in seconds; what an avatar model holds. */
  maxSeconds?: number;
  /** How many tokens a request and its answer may have together. It is shown, and enforced by the upstream. */
  contextTokens?: number;
  /** The upstream's real cap on the tokens of one answer. */
  maxOutputTokens?: number;
  /** Video durations in seconds that the model has, the default first unless 5 is one of them. */
  durations?: readonly number[];
  /** Ratios of videos that the model has, such as `16:9`, likewise. */
  ratios?: readonly string[];
  /** Pixels of videos that can be asked for, such as `1280x720`. */
  sizes?: readonly string[];
  /** The most reference images that an image model takes; 0: none. */
  references?: number;
  /** Whether an image model takes a mask, and whether it makes variations, where its providers don't say it. */
  mask?: boolean;
  variations?: boolean;
  /** Image resolutions that the model has, out of `1k`, `2k`, `4k`. */
  resolutions?: readonly string[];
}

export interface Model {
  id: string;
  kind: ModelKind;
  ownedBy: string;
  /** Unix seconds, shown in the model record. */
  created: number;
  capabilities: readonly Capability[];
  published: boolean;
  /** As it is set: it may have ended by now, see `maintenanceAt`. */
  maintenance: MaintenanceSetting;
  /** Tried in this order; at least one. */
  routes: readonly Route[];
  price: Price;
  limits: ModelLimits;
  qualityScale?: Record<ImageQuality, number>;
  onDisconnect: 'abort' | 'drain';
  /** Whether it serves endpoints that none of its routes has, by translation. */
  translate: boolean;
  /** What costs money upstream and has no price here, and passes all the same. */
  allow: readonly UnpricedName[];
  /** How many times its hold a charge may be; the rest is the operator's loss. */
  overrunFactor: number;
}

/** What a column of a vendor's CSV may mean, and what it is called without a mapping. */
export const billColumns = [
  'time',
  'request_id',
  'model',
  'key',
  'input_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'output_tokens',
  'cost',
  'currency',
] as const;
export type BillColumn = (typeof billColumns)[number];

/** A provider as configured. Times in milliseconds. */
export interface ProviderSettings {
  name: string;
  /** Of which kind it is, out of the registry's. */
  kind: string;
  baseUrl?: string;
  /** The endpoints of calls that it has; those of its kind where it is absent. */
  endpoints?: readonly EndpointName[];
  /** Where `messages` is, if not below `baseUrl`. */
  messagesBaseUrl?: string;
  /** The credentials that its kind declares, by their keys in the settings. */
  secrets: Readonly<Record<string, string>>;
  /** The other keys that its kind declares. */
  numbers: Readonly<Record<string, number>>;
  headers: Record<string, string>;
  /** To the first byte of an answer. */
  timeoutMs: number;
  /** The same for a call whose answer is the finished image itself; `timeoutMs` where it is absent. */
  imageTimeoutMs?: number;
  /** Between the bytes of a stream. */
  idleTimeoutMs: number;
  /** A whole task, counted from its intent. */
  deadlineMs: number;
  /** How long it is asked again while it is too busy to take a task; not at all without. */
  rateLimitPatienceMs?: number;
  /** Creates a second, over all workers. */
  maxPerSecond?: number;
  /** Unfinished jobs at the provider, over all workers. */
  maxConcurrent?: number;
  /** Between two polls of a job that takes long, in the place of what its kind says. */
  pollIntervalMs?: number;
  /** Polls a second of one process, likewise. */
  maxPollsPerSecond?: number;
  /** What lines of batches may take of it, in each process; the default where it is absent. */
  batchPace?: PaceLimits;
  /** What its CSV of usage calls the columns that `tollgate reconcile` reads; undefined: the file has a known form. */
  reconcileColumns?: Readonly<Partial<Record<BillColumn, string>>>;
}

/** One address below which the whole API is served. */
export interface Deployment {
  /** Such as `/v1`, without a slash at its end. */
  root: string;
  /** Where the health report is. */
  health: string;
  /** How long a creation waits for its task before 202 is returned, unless the call says otherwise; 0: not at all. */
  imageWaitSeconds: number;
  videoWaitSeconds: number;
}

/** The default length in seconds that an avatar model may produce, held until the real one is known. */
export const avatarSecondsDefault = 60;
