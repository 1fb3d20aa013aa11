/**
 * What the contract suite has to know of a kind of provider: what it offers, and how its service answers. A fixture
 * speaks the documented wire format, and keeps no state but what the stand-in gives it.
 */
import type { TaskModelKind } from '../../../src/domain/catalogue.ts';
import type { ErrorCode } from '../../../src/domain/errors.ts';
import type { ProviderDefinition } from '../../../src/providers/definition.ts';

export interface ProviderFixture {
  definition: ProviderDefinition;
  secrets: Record<string, string>;
  /** What comes behind the origin in `base_url`, such as `/v1`. */
  basePath: string;
  /** The task models to run, by what the provider calls them. */
  models: readonly FixtureModel[];
  /** Whether a request is the paid call. */
  isCreate(request: SeenRequest): boolean;
  /** Checks that a request bears the credentials; throws an assertion otherwise. */
  assertSigned(request: SeenRequest): void;
  /** What stands in a body that isn't JSON, such as a form: the suite compares it as if it were. */
  formOf?(request: SeenRequest): Promise<unknown>;
  /** Replies to a create: the service takes the job, whose result is `job.files`, or does as `behaviour` says. */
  created(request: SeenRequest, job: StandInJob, behaviour: CreateBehaviour): Reply;
  /** Replies to everything else; undefined for what the service doesn't have. */
  asked(request: SeenRequest, world: World): Reply | undefined;
  /** What the provider calls when a job ends, if it was asked to. */
  hookOf?(job: StandInJob): { url: string; body: unknown } | undefined;
  /** What other errors of this service mean, beyond those that all have. */
  errors?: readonly { name: string; reply: Reply; code: ErrorCode; fallOver: boolean }[];
}

export interface FixtureModel {
  kind: TaskModelKind;
  /** What the provider calls it. */
  model: string;
  options?: Record<string, unknown>;
  fields?: Record<string, string | null>;
  /** Without an image to begin with; only of images. */
  isFromText?: boolean;
  /** Upscaling only. */
  upscales?: boolean;
  /** Of the caller's own files: an edit with a mask, where `masks` says so, or a variation. */
  form?: 'edit' | 'variation';
  masks?: boolean;
  /** Of `POST /videos`: with a size, a seed and a last frame. */
  isOfVideos?: boolean;
  /** False: the answer to its create is the result. */
  polls?: boolean;
  /** The body that the service must get for the suite's request of this kind, without what changes from run to run. */
  body: (facts: BodyFacts) => unknown;
}

/** What stands in a create's body that only the suite knows. */
export interface BodyFacts {
  /** Addresses in the request: the caller's image, mask, video and audio, or the links to uploads. */
  imageUrl: string;
  maskUrl: string;
  videoUrl: string;
  audioUrl: string;
  hookUrl: string;
}

/** `takes`: the job is accepted. The others refuse it, each in the words of the service. */
export type CreateBehaviour =
  | 'takes'
  | 'refuses input'
  | 'refuses policy'
  | 'is busy'
  | 'has an account failure'
  | 'breaks';

/** How a job that was taken ends. */
export type JobBehaviour = 'succeeds' | 'fails' | 'fails by policy' | 'runs on';

export interface StandInJob {
  /** Made by the stand-in, such as `job-1`. */
  id: string;
  behaviour: JobBehaviour;
  /** How often it was asked for; the service says `processing` until this is 2. */
  polls: number;
  isCancelled: boolean;
  /** The create. */
  request: SeenRequest;
  /** Addresses of the result's files, as many as were asked for. */
  files: readonly string[];
  /** What each of them holds, for services that answer with the bytes themselves. */
  content: Buffer;
}

export interface World {
  jobs: ReadonlyMap<string, StandInJob>;
}

export interface SeenRequest {
  method: string;
  /** With its query. */
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  bytes: Buffer;
  text: string;
  /** Undefined if the body isn't JSON, nor what the fixture's `formOf` reads. */
  json: unknown;
  atMs: number;
}

export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  json?: unknown;
  text?: string;
}
