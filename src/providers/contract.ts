/**
 * The contract of task-like providers: submit, poll, cancel, find. An adapter is pure functions (`toRequest`,
 * `fromResponse`, `fromError`) round one bounded call; what it declares in `abilities`, the caller relies on.
 */
import type { Readable } from 'node:stream';
import type { ModelKind } from '../domain/catalogue.ts';
import type { GatewayError } from '../domain/errors.ts';
import type { AvatarTalkRequest } from '../domain/requests/avatar-talk.ts';
import type { ImageRequest } from '../domain/requests/image.ts';
import type { VideoRequest } from '../domain/requests/video.ts';

export interface TaskProvider {
  readonly abilities: Abilities;
  /**
   * Asks for the job, at most once unless `abilities.idempotent`. Never throws for what an upstream does:
   * a lost answer is `unknown`.
   */
  submit(job: Job, signal: AbortSignal): Promise<Submission>;
  /** Asks how the job is. Throws only what is worth asking again (a connection lost, 429, 5xx). */
  poll(jobId: string, job: Job, signal: AbortSignal): Promise<Poll>;
  /** Asks the upstream to stop the job; best effort. Only with `abilities.cancel`. */
  cancel?(jobId: string, signal: AbortSignal): Promise<void>;
  /** The upstream's id of the job that carries our reference. Only with `abilities.lookup`. */
  find?(reference: string, signal: AbortSignal): Promise<string | undefined>;
  /** Resolves when the upstream answers a call that costs nothing. */
  probe?(signal: AbortSignal): Promise<void>;
  /** Ends what the adapter keeps running in the background. */
  close?(): Promise<void>;
}

export interface Abilities {
  /** Submitting the same job again can't buy a second one. */
  idempotent: boolean;
  lookup: boolean;
  cancel: boolean;
}

/** All that an adapter may know of a task. */
export interface Job {
  /** `tg-<task id>`. */
  reference: string;
  kind: ModelKind;
  /** What the provider calls the model. */
  model: string;
  options: Record<string, unknown>;
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
  durationMs: number;
  open(): Promise<Readable>;
}

export type Submission =
  | { outcome: 'accepted'; jobId: string }
  /** The answer is the result itself. */
  | { outcome: 'finished'; parts: ResultPart[] }
  /** Nothing happened upstream. `fallOver`: the route's fault, so the model's next route may be tried. */
  | { outcome: 'refused'; error: GatewayError; fallOver: boolean }
  /** It may have happened. Never sent again blindly. */
  | { outcome: 'unknown'; reason: string };

export type Poll =
  | { state: 'processing'; retryAfterMs?: number }
  | { state: 'succeeded'; parts: ResultPart[] }
  | { state: 'failed'; error: GatewayError };

/** One file of a result, not read yet. */
export interface ResultPart {
  open(signal: AbortSignal): Promise<Readable>;
}
