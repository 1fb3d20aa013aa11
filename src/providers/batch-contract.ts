/**
 * The contract of providers with a batch API of their own: many requests go in as one paid job, and their answers come out
 * as lines of JSON. A request's id there is its line's number, never a text of the caller's.
 */
import type { ProviderEndpoint } from '../domain/call-endpoints.ts';
import type { StreamedBody } from './http/wire.ts';

export interface BatchProvider {
  /** Those of `ChatProvider.endpoints` that its batches take. */
  readonly endpoints: readonly ProviderEndpoint[];
  /** What stands around each request, so that the length of all is known before they are sent. */
  frameOf(endpoint: ProviderEndpoint): RequestFrame;
  /** Hands the requests over, free of charge, where they go ahead of the create. Returns what the create names them by. */
  upload?(requests: StreamedBody, signal: AbortSignal): Promise<BatchUploaded>;
  /** The paid create, sent once. Never rejects. */
  create(job: BatchJob, signal: AbortSignal): Promise<BatchCreated>;
  /** Looks a lost create up by our id of it; undefined: it is not there. Absent where it could not be known. */
  find?(batchId: string, openedAt: Date): Promise<string | undefined>;
  /** Rejects where there is no usable answer. */
  poll(jobId: string): Promise<BatchStanding>;
  /** Has the job end soon; what was carried out stays. Harmless where it has ended. */
  cancel(jobId: string): Promise<void>;
  /** The lines of one of its results, as they come. Rejects where there is no such file. */
  results(name: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** What a line of its results says; undefined: it is none. */
  resultOf(line: Buffer): BatchResult | undefined;
  /** Deletes what the provider keeps of a job that has ended and was collected. Rejects where something may be left. */
  forget(job: EndedJob): Promise<void>;
  close(): Promise<void>;
}

export interface RequestFrame {
  start: string;
  /** Before and behind the body of a request. */
  around: (n: number, isFirst: boolean) => readonly [string, string];
  end: string;
}

export interface BatchJob {
  /** Ours. */
  batchId: string;
  endpoint: ProviderEndpoint;
  /** Of its upload; absent where the provider has none. */
  inputFile?: string;
  requests: StreamedBody;
}

export interface EndedJob {
  jobId: string;
  /** Of its upload, if it had one. */
  inputFile: string | null;
  results: readonly string[];
}

export type BatchUploaded = { inputFile: string } | { refused: string };

export type BatchCreated =
  | { outcome: 'accepted'; jobId: string }
  /** Nothing was begun, and nothing will be. */
  | { outcome: 'refused'; reason: string }
  /** Nothing was begun; another time it may be. */
  | { outcome: 'busy' }
  /** It may have been begun. */
  | { outcome: 'unknown'; reason: string };

export type BatchStanding =
  /** `done`: as far as the provider says so while it works. */
  | { state: 'running'; done?: RequestCounts }
  /** Nothing of it was carried out. */
  | { state: 'failed'; reason: string }
  /** In the order in which they are read. */
  | { state: 'ended'; endedAs: 'completed' | 'expired' | 'cancelled'; results: readonly string[] };

export interface RequestCounts {
  completed: number;
  failed: number;
}

/** What became of a request: answered, refused for what it says, or not carried out. */
export type BatchResult = { n: number } & (
  | { became: 'answered'; body: Buffer }
  | { became: 'refused'; status: number; body: Buffer }
  | { became: 'unrun' }
);
