/** What the activities work with; made once by the wiring. */
import type { Logger } from 'pino';
import type { TaskProvider } from '../providers/contract.ts';
import type { BlobStore } from '../storage/blobs.ts';
import type { Database } from '../storage/database.ts';
import type { Ledger } from '../storage/ledger/ledger.ts';

export interface ActivityDependencies {
  database: Database;
  ledger: Ledger;
  blobs: BlobStore;
  /** By the name that the settings give them. */
  providers: ReadonlyMap<string, TaskProvider>;
  log: Logger;
  /** The longest that the result of an avatar-talk task is kept. */
  fetchWindowMs: number;
}
