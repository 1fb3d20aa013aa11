/** What the API works with; made by the wiring, and anew by each reload of the configuration. */
import type { Logger } from 'pino';
import type { AddressGuard } from '../net/public-hosts.ts';
import type { Configuration } from '../config/configuration.ts';
import type { CorsOrigins } from '../config/cors-origins.ts';
import type { Secrets } from '../config/secrets.ts';
import type { Meters } from '../observability/metrics/meters.ts';
import type { ChatProvider } from '../providers/chat-contract.ts';
import type { TaskProvider } from '../providers/contract.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Database } from '../postgres/database.ts';
import type { CallLedger } from '../ledger/call-ledger.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Owner } from '../ledger/sweep.ts';
import type { TaskNotifier } from '../tasks/rows/task-notifier.ts';
import type { RequestRecorder } from '../request-records/request-recorder.ts';
import type { BodyRecorder } from '../bodies/body-recorder.ts';
import type { Tracing } from '../observability/tracing/tracing.ts';
import type { AuditRuns } from '../audit/audit-runs.ts';
import type { TaskStarter } from '../tasks/start/task-starter.ts';
import type { BatchStarter } from '../batches/batch-starter.ts';
import type { CallerAddress } from './server/caller-address.ts';
import type { Attempts } from './console/sign-in-attempts.ts';
import type { DownloadPace } from './download-pace.ts';
import type { HealthBook } from './health/health-book.ts';
import type { ConcurrencyLimits } from './concurrency-limits.ts';
import type { KeyCache } from '../accounts/key-cache.ts';
import type { WaitingTasks } from '../tasks/wait/unstarted-tasks.ts';
import type { Readiness } from './health/readiness.ts';

/** Metrics in Prometheus' text format. */
export interface Metrics {
  readonly contentType: string;
  metrics(): Promise<string>;
}

/** What is in force now. A request asks once, when it comes, and works with that to its end. */
export type DependenciesNow = () => ApiDependencies;

export interface ApiDependencies {
  /** With what operators have switched of its models. */
  configuration: Configuration;
  /** The same as it was written, for showing both. */
  written: Configuration;
  /** Has what was just switched hold in this process. */
  refreshSwitches: () => Promise<void>;
  database: Database;
  ledger: Ledger;
  /** The money of chat calls, and this process as the owner of their holds. */
  calls: CallLedger;
  owner: Owner;
  /** By the name that the settings give them. */
  chatProviders: ReadonlyMap<string, ChatProvider>;
  /** Likewise; the API only reads their hooks. */
  providers: ReadonlyMap<string, TaskProvider>;
  /** Runs work whose providers are not closed before it is over, whatever is reloaded meanwhile. */
  during: <T>(work: () => Promise<T>) => Promise<T>;
  blobs: BlobStore;
  news: TaskNotifier;
  /** Where the records of requests go. */
  requests: RequestRecorder;
  /** Where their bodies go, of accounts that want that. */
  bodies: BodyRecorder;
  starter: TaskStarter;
  batchStarter: BatchStarter;
  /** The audit that runs by the clock, which operators may ask for at once. */
  auditRuns: AuditRuns;
  /** Accepted tasks that wait to be started, of all processes. */
  waitingTasks: WaitingTasks;
  /** The bounds of what this process does at once. */
  concurrencyLimits: ConcurrencyLimits;
  keys: KeyCache;
  /** Of people to sign in. */
  attempts: Attempts;
  callerAddress: CallerAddress;
  /** Whose pages may call the public API from a browser. */
  corsOrigins: CorsOrigins;
  guard: AddressGuard;
  secrets: Secrets;
  health: HealthBook;
  readiness: Readiness;
  /** What `/metrics` shows. */
  metrics: Metrics;
  /** What is counted for it. */
  meters: Pick<Meters, 'requests' | 'chat' | 'providers'>;
  log: Logger;
  /** Undefined: there are no traces. */
  tracing: Tracing | undefined;
  /** The address under which callers reach this gateway, without a slash at its end. */
  publicUrl: () => string;
  /** Where operators see the workflow of a task or batch, if Temporal's web interface has an address. */
  workflowUrl: (id: string) => string | undefined;
  /** How long the result of an avatar-talk task can be fetched. */
  fetchWindowMs: number;
  /** How fast callers must read stored files. */
  downloadPace: DownloadPace;
  /** Aborts when the process drains: a caller that follows another call is refused and may retry. New work is refused by when it came (`draining.ts`). */
  draining: AbortSignal;
  /** Work that goes on after its answer was sent; the drain waits for it. */
  background: (work: Promise<unknown>) => void;
}
