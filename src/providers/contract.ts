/**
 * The contract of task-like providers: submit, poll, cancel, find. Most adapters don't implement it themselves but
 * describe their wire format (`http/wire.ts`), round which `http/task-provider.ts` makes the calls. What an adapter
 * declares in `abilities`, the caller relies on.
 */
import type { Readable } from 'node:stream';
import type { ModelKind } from '../domain/catalogue.ts';
import type { GatewayError } from '../domain/errors.ts';
import type { ProbeAnswer } from '../domain/probes.ts';
import type { ImageOutputs, OutputRoute } from '../domain/tasks/image-outputs.ts';
import type { InputRoute, RouteInputs } from '../domain/tasks/route-inputs.ts';
import type { AvatarTalkRequest } from '../domain/requests/avatar-talk.ts';
import type { ImageRequest } from '../domain/requests/image-request.ts';
import type { VideoRequest } from '../domain/requests/video-request.ts';

export interface TaskProvider {
  readonly abilities: Abilities;
  /** Longest pause between two polls of a job, ms; 10 s without. */
  readonly pollPauseMsMax?: number;
  /**
   * Asks for the job, at most once unless `abilities.idempotent`. Never throws for what an upstream does:
   * a lost answer is `unknown`.
   */
  submit(job: Job, signal: AbortSignal): Promise<Submission>;
  /**
   * Prepares what takes time and can fail without harm, such as the files that go with the call; undefined for jobs
   * without. What it returns is sent instead of calling `submit`, which would prepare by itself, and is discarded at the
   * end in any case.
   */
  prepare?(job: Job, signal: AbortSignal): Promise<PreparedCreate | Refused | undefined>;
  /** Asks how the job is. Throws only what is worth asking again, such as a lost connection. */
  poll(jobId: string, job: Job, signal: AbortSignal): Promise<Poll>;
  /**
   * Whether the answer to this job's create is its result. One that was lost can't be had in any other way, so that there
   * is nothing to wait for. False for all jobs without.
   */
  answersWithResult?(job: Job): boolean;
  /** Reads an answer that was the result itself; harmless to repeat. Only of providers that return `finished`. */
  resultOf?(answer: StoredAnswer, job: Job): Promise<Poll>;
  /**
   * Asks the upstream to stop the job; returns false if it can't be stopped any more and goes on. One that has ended or is
   * not known is as good as stopped. Throws what is worth asking again. Only with `abilities.cancel`.
   */
  cancel?(jobId: string, job: Job, signal: AbortSignal): Promise<boolean>;
  /** What an image of this route can be asked to be; without it, the caller can ask for nothing. */
  imageOutputs?(route: OutputRoute): ImageOutputs;
  /** What edits, variations and videos of this route can be given; without it, nothing. */
  inputs?(route: InputRoute): RouteInputs;
  /** The upstream's id of the job that carries our reference. Only with `abilities.lookup`. */
  find?(job: Job, signal: AbortSignal): Promise<string | undefined>;
  /** The id of the job that a call to `Job.hookUrl` is about. Only with `abilities.webhook`. */
  jobIdOf?(hookBody: unknown): string | undefined;
  /**
   * Asks the upstream something that costs nothing, with our credentials. Rejects if it does not answer or fails itself
   * (5xx); what any other answer says is for `judgeProbe`.
   */
  probe?(signal: AbortSignal): Promise<ProbeAnswer>;
  /** Ends what the adapter keeps running in the background. */
  close?(): Promise<void>;
}

export interface Abilities {
  /** Submitting the same job again can't buy a second one. */
  idempotent: boolean;
  lookup: boolean;
  cancel: boolean;
  /** It calls `Job.hookUrl` when the job ends, which gives the id of a job whose create was lost. */
  webhook: boolean;
}

/** All that an adapter may know of a task. The same for every attempt, so that a create can be repeated word by word. */
export interface Job {
  /** `tg-<task id>`. */
  reference: string;
  kind: ModelKind;
  /** What the provider calls the model. */
  model: string;
  options: Record<string, unknown>;
  /** What the model calls a field that we name otherwise; null: it has none. */
  fields: Readonly<Record<string, string | null>>;
  /** What the model maps an image's `quality` to, if it does. */
  qualityScale: Readonly<Record<string, number>> | null;
  /** An unguessable address of the gateway for this job's webhook. */
  hookUrl: string;
  /** Whether an address is this job's hook, too: of before the gateway's address or its secret changed. */
  isHook?: (url: string) => boolean;
  /** The caller's own files among the addresses of an image's or a video's request, by their links. */
  uploads?: ReadonlyMap<string, Media>;
  /** Pixels are computed already (`width`, `height` of an image request). */
  input:
    | { kind: 'image'; request: ImageRequest }
    | { kind: 'video'; request: VideoRequest }
    | { kind: 'avatar_talk'; request: AvatarTalkRequest; audio: Media; video: Media };
}

/** A file of the caller's that was stored by us. */
export interface Media {
  mediaType: string;
  bytes: number;
  /** 0 for an image. */
  durationMs: number;
  /** A signed link, good until the task's last deadline. */
  url: string;
  open(): Promise<Readable>;
}

/** The answer to a create that was the result itself, as it was stored. */
export interface StoredAnswer {
  bytes: number;
  /** The bytes from `start` to before `end`, or all. */
  read(range?: { start: number; end: number }): Promise<Readable>;
}

export interface PreparedCreate {
  /** As `submit`. */
  send: (signal: AbortSignal) => Promise<Submission>;
  discard: () => Promise<void>;
}

/** Nothing happened upstream. `fallOver`: the route's fault, so the model's next route may be tried. */
export interface Refused {
  outcome: 'refused';
  error: GatewayError;
  fallOver: boolean;
}

/** `requestId` is the provider's own id of the call, kept for the operator. */
export type Submission = (
  | { outcome: 'accepted'; jobId: string }
  /** The answer is the result itself: its body, to be stored and read by `resultOf`. Reading it may still fail. */
  | { outcome: 'finished'; answer: Readable }
  | Refused
  /** It may have happened. Never sent again blindly. `error`: what the caller gets of a job that `answersWithResult`. */
  | { outcome: 'unknown'; reason: string; error?: GatewayError }
) & { requestId?: string };

export type Poll =
  /** `hasFailed`: the query failed, so the state of the job is unknown; it is asked again at growing intervals. */
  | { state: 'processing'; retryAfterMs?: number; hasFailed?: boolean }
  /** The provider doesn't know the job: not yet, or no longer. */
  | { state: 'missing' }
  | { state: 'succeeded'; parts: ResultPart[] }
  | { state: 'failed'; error: GatewayError };

/** One file of a result, not read yet. */
export interface ResultPart {
  open(signal: AbortSignal): Promise<Readable>;
}
