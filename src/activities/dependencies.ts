/** What the activities work with; made once by `runtime`. */
import type { Logger } from 'pino';
import type { ProviderSettings } from '../domain/catalogue.ts';
import type { BatchPause, BatchState, FinalBatchState } from '../domain/batches/batch-states.ts';
import type { AccountId, KeyId } from '../domain/ids.ts';
import type { Money } from '../domain/money.ts';
import type { DeliveryPace, WebhookOutcome, WebhookRequest } from '../domain/webhook-rules.ts';
import type { StepMeter } from '../observability/metrics/meters.ts';
import type { TaskProvider } from '../providers/contract.ts';
import type { AuditReport } from '../audit/audit.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Database } from '../postgres/database.ts';
import type { EventToDeliver } from '../webhooks/events.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ProviderAddresses } from '../tasks/provider-calls/provider-addresses.ts';
import type { Tracing } from '../observability/tracing/tracing.ts';
import type { Step } from './step.ts';

/** What a provider bears, over all workers: creates a second, and unfinished jobs. */
export type ProviderLimits = Pick<ProviderSettings, 'maxPerSecond' | 'maxConcurrent'>;

/** What stands between a provider's queue and the submits of this process. */
export interface SubmitLimiter {
  /** A submit no longer waits for the provider's limits, so another may come; to be called back when it has ended. */
  acquire(): () => void;
  /** The provider has no room: no submit is tried for this long. */
  closeFor(ms: number): void;
}

/** What delivering events takes. */
export interface WebhookTools {
  /** Signs and sends one attempt; rejects with the reason of `signal`. */
  post(request: WebhookRequest, signal: AbortSignal): Promise<WebhookOutcome>;
  /** The data of an event: what was stored with it, or the record of its task as it is now. */
  dataOf(event: Pick<EventToDeliver, 'data' | 'taskId'>): Promise<unknown>;
  /** All that are valid now. */
  secrets(account: AccountId): Promise<readonly string[]>;
  pace: DeliveryPace;
}

export interface ActivityDependencies {
  database: Database;
  ledger: Ledger;
  /** Those that seals may have been made with, the newest first. */
  ledgerKeys: readonly Buffer[];
  blobs: BlobStore;
  /** By the name that the settings give them. */
  providers: ReadonlyMap<string, TaskProvider>;
  /** ISO 4217; of all amounts. */
  currency: string;
  /** As configured at the moment of asking. */
  limits: (provider: string) => ProviderLimits;
  /** Of the provider whose submits run with these; none where it had no limits when its worker started. */
  submitLimiter?: SubmitLimiter;
  /** Of the options of routes, as configured at the moment of asking. */
  variables: () => Readonly<Record<string, string>>;
  /** Addresses of this gateway that a provider is handed, good for as long as the task may run. */
  addresses: ProviderAddresses;
  /** Runs a download when it is its turn: so many at a time in this process. */
  downloads: <T>(download: () => Promise<T>) => Promise<T>;
  webhooks: WebhookTools;
  /** Has a key's next queued tasks started soon; without it a scan does. */
  startNext?: (key: KeyId) => void;
  /** In a step, the step's: each line names the task. */
  log: Logger;
  /** Of the attempt that runs with these; none outside of one. */
  step?: Step;
  /** Undefined: there are no traces. */
  tracing?: Tracing | undefined;
  /** The longest that the result of an avatar-talk task is kept. */
  fetchWindowMs: number;
  /** A job that its provider says it doesn't know, for this long and at every poll, is lost. */
  lostAfterMs: number;
}

/** What a slice of a batch came to. */
export interface BatchSlice {
  /** Lines that are not final yet. */
  left: number;
  paused: BatchPause | null;
  /** When a next slice makes sense; 0: at once. */
  againInMs: number;
}

/** The steps of batches; each may be repeated at any time. */
export interface BatchSteps {
  validate(batchId: string, signal: AbortSignal): Promise<{ state: BatchState; total: number; mistakes: number }>;
  runSlice(batchId: string, signal: AbortSignal): Promise<BatchSlice>;
  finalize(batchId: string, signal: AbortSignal): Promise<FinalBatchState>;
  cancel(batchId: string): Promise<BatchState>;
  /** How it is now. */
  progress(batchId: string): Promise<{ total: number; completed: number; failed: number; cost: Money }>;
}

/** What workers need besides. */
export interface WorkerDependencies extends ActivityDependencies {
  batches: BatchSteps;
  /** Has every run of a step counted. */
  steps?: StepMeter;
  /** Audits everything, until it is done or the signal aborts. */
  audit: (signal: AbortSignal) => Promise<AuditReport>;
  /** How long results are kept, as configured at the moment of asking. */
  retentionMs: () => number;
  /** Removes what processes that died left on this machine's disk besides blobs; returns how much that was. */
  removeLeftovers: () => Promise<number>;
}
