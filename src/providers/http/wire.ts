/**
 * A provider's wire format as pure functions: what is asked (`create`, `poll`, …), what an answer means (`created`,
 * `polled`), and what a refusal means (`refusal`). `http/task-provider.ts` makes one bounded call round each.
 */
import type { ErrorCode } from '../../domain/errors.ts';
import type { ImageOutputs, OutputRoute } from '../../domain/tasks/image-outputs.ts';
import type { InputRoute, RouteInputs } from '../../domain/tasks/route-inputs.ts';
import type { Abilities, Job } from '../contract.ts';

export interface TaskWire {
  abilities: Abilities;
  /** Polls of this process, per second, all jobs together. */
  pollsPerSecondMax: number;
  pollPauseMsMax?: number;
  /** The paid call. Throws a GatewayError for a job that this provider can't do: nothing is sent then. */
  create: (job: Job) => WireCall;
  /**
   * The paid call of a job whose files go with it, in the place of `create`; undefined for others. What is fetched for it
   * has 15 s, so that the create still fits into its step's time.
   */
  createWithFiles?: (job: Job, signal: AbortSignal) => Promise<WireUpload> | undefined;
  /** What a 2xx answer to `create` says. Not asked for jobs that `answersWithResult`. */
  created: (answer: WireAnswer, job: Job) => Created;
  /** What any other answer to `create` says of the job, if it knows; undefined leaves it to `refusal` and the status. */
  createdOfError?: (answer: WireAnswer) => Created | undefined;
  poll: (jobId: string, job: Job) => WireCall;
  /** What a 2xx answer to `poll` says. */
  polled: (answer: WireAnswer, job: Job, jobId: string) => Polled;
  /** What another answer to `poll` says, where its body says more than its status; undefined leaves it to that. */
  polledError?: (answer: WireAnswer, job: Job, jobId: string) => Polled | undefined;
  /**
   * Whether an answer to `poll` that isn't 2xx is the service's own error; without it, never. What stands in between, such as
   * a balancer, a firewall or a log-in page, may answer with any status while the job goes on.
   */
  isOwnError?: (answer: WireAnswer) => boolean;
  /** Whether the answer to this job's create is its result, to be read by `TaskProvider.resultOf`. */
  answersWithResult?: (job: Job) => boolean;
  /** As `TaskProvider.imageOutputs`. */
  imageOutputs?: (route: OutputRoute) => ImageOutputs;
  /** As `TaskProvider.inputs`. */
  inputs?: (route: InputRoute) => RouteInputs;
  cancel?: (jobId: string, job: Job) => WireCall;
  /**
   * Whether a job that `poll` answers so may be sent `cancel`. Asked before where that call does something else to a job
   * that has gone further.
   */
  isCancellable?: (answer: WireAnswer) => boolean;
  /** The list in which the job with our reference is, page by page; `undefined` when there are no more. */
  find?: {
    /** Undefined for a job that carries nothing by which it could be known. */
    first: (job: Job) => WireCall | undefined;
    found: (answer: WireAnswer, job: Job) => { jobId: string } | { next: WireCall } | undefined;
  };
  jobIdOf?: (hookBody: unknown) => string | undefined;
  /** A call that costs nothing and needs our credentials; only a 2xx is a good answer, but for `isProbeExpected`. */
  probe: () => WireCall;
  /** Of a kind without a free address that answers 2xx: whether this is how it refuses the probe once it took our credentials. */
  isProbeExpected?: (answer: WireAnswer) => boolean;
  /**
   * What an error says: of a create or poll that is not 2xx, or of a body that reports a failure. Undefined leaves it to
   * the status (`status-errors.ts`).
   */
  refusal?: (answer: WireAnswer, job: Job) => Refusal | undefined;
  /** The provider's own id of a call where it stands in the body; without it, the usual headers are read. */
  requestIdOf?: (answer: WireAnswer) => string | undefined;
}

export interface WireCall {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Absolute, below the provider's base URL. */
  url: string;
  headers: Record<string, string>;
  /** Sent as JSON text. */
  body?: string;
}

export type WireUpload = Omit<WireCall, 'body'> & { body: StreamedBody };

/** A body that is not held in memory, such as a form with files. */
export interface StreamedBody {
  contentType: string;
  bytes: number;
  read(): AsyncIterable<Uint8Array>;
  /** Frees what it is read from. Called once, when the call is over. */
  close(): Promise<void>;
}

export interface WireAnswer {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Undefined if it isn't JSON. */
  json: unknown;
  text: string;
}

export type Created =
  | { outcome: 'accepted'; jobId: string }
  | { outcome: 'refused'; refusal: Refusal }
  /** It says neither: the job may exist. */
  | { outcome: 'unknown'; reason: string };

export type Polled =
  /** `hasFailed`: the query failed, so the state of the job is unknown; it is asked again at growing intervals. */
  | { state: 'processing'; retryAfterMs?: number; hasFailed?: boolean }
  /**
   * The result is behind another call, whose answer `read` judges. That answer may have any status; undefined leaves it
   * to the status, as that of a poll.
   */
  | { state: 'ask'; call: WireCall; read: (answer: WireAnswer) => Polled | undefined }
  | { state: 'missing' }
  /** Addresses of the result's files, to be downloaded; images may come as base64 too. */
  | { state: 'succeeded'; files: WireFile[] }
  | { state: 'failed'; refusal: Refusal };

export type WireFile = { url: string } | { base64: string };

export interface Refusal {
  code: ErrorCode;
  /** For the caller; without it, what the answer's body says. */
  message?: string;
  param?: string;
  /** Whether the model's next route may be tried. */
  fallOver: boolean;
  /**
   * What the body says of whether the job exists: true, that it doesn't, of a status that leaves it open (408, 5xx);
   * false, that it may, whatever the status.
   */
  isCertain?: boolean;
}
