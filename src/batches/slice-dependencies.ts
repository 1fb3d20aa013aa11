/** What running the lines of batches takes; made by `runtime`, and asked for by each slice. */
import type { ApiDependencies } from '../api/dependencies.ts';
import type { BatchMeter } from '../observability/metrics/meters.ts';
import type { RouteTools } from '../chat/try-routes.ts';
import type { BatchPaces } from './pace.ts';
import type { LinesUnderWay } from './lines-under-way.ts';

export type SliceDependencies = RouteTools &
  Pick<
    ApiDependencies,
    | 'database'
    | 'ledger'
    | 'calls'
    | 'owner'
    | 'chatProviders'
    | 'providers'
    | 'during'
    | 'blobs'
    | 'waitingTasks'
    | 'concurrencyLimits'
    | 'guard'
    | 'secrets'
    | 'publicUrl'
    | 'tracing'
    | 'background'
  > & {
    /** Those that seals may have been made with, the newest first. */
    ledgerKeys: readonly Buffer[];
    starter: Pick<ApiDependencies['starter'], 'start'>;
    paces: BatchPaces;
    underWay: LinesUnderWay;
    lineMeter: BatchMeter;
    /** How long a slice sends lines; tests make it short. */
    sliceMs: number;
  };

export interface BatchSlice {
  /** Lines that are not final yet. */
  left: number;
  /** Why nothing is sent at the moment. */
  paused: 'insufficient_balance' | 'provider_busy' | null;
  /** When a next slice makes sense; 0: at once. */
  againInMs: number;
}
