/** What the API works with; made once by the wiring. */
import type { Logger } from 'pino';
import type { AddressGuard } from '../net/public-hosts.ts';
import type { Configuration } from '../settings/configuration.ts';
import type { Secrets } from '../settings/secrets.ts';
import type { ChatProvider } from '../providers/chat-contract.ts';
import type { BlobStore } from '../storage/blobs.ts';
import type { Database } from '../storage/database.ts';
import type { CallLedger } from '../storage/ledger/calls.ts';
import type { Ledger } from '../storage/ledger/ledger.ts';
import type { Owner } from '../storage/ledger/sweep.ts';
import type { TaskNews } from '../storage/task-news.ts';
import type { TaskStarter } from '../temporal/task-starter.ts';
import type { HealthBook } from './health/health-book.ts';
import type { KeyCache } from './keys/key-cache.ts';
import type { Readiness } from './health/readiness.ts';

export interface ApiDependencies {
  configuration: Configuration;
  database: Database;
  ledger: Ledger;
  /** The money of chat calls, and this process as the owner of their holds. */
  calls: CallLedger;
  owner: Owner;
  /** By the name that the settings give them. */
  chatProviders: ReadonlyMap<string, ChatProvider>;
  blobs: BlobStore;
  news: TaskNews;
  starter: TaskStarter;
  keys: KeyCache;
  guard: AddressGuard;
  secrets: Secrets;
  health: HealthBook;
  readiness: Readiness;
  log: Logger;
  /** The address under which callers reach this gateway, without a slash at its end. */
  publicUrl: () => string;
  /** How long the result of an avatar-talk task can be fetched. */
  fetchWindowMs: number;
  /** Aborts when the process drains: waiting callers get their 202, and no new work is taken. */
  draining: AbortSignal;
  /** Work that goes on after its answer was sent; the drain waits for it. */
  background: (work: Promise<unknown>) => void;
}
