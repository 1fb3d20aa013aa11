/** What `/metrics` shows besides what is counted: figures that are read when it is scraped. */
import { statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Readiness } from '../api/health/readiness.ts';
import type { Bounds, ConcurrencyLimits } from '../api/concurrency-limits.ts';
import type { WaitingTasks } from '../tasks/wait/unstarted-tasks.ts';
import type { Money } from '../domain/money.ts';
import type { ProcessMetrics, Reading } from '../observability/metrics/metric-registry.ts';
import { remembered } from '../observability/metrics/cached-gauge.ts';
import type { GaugeName } from '../observability/metrics/metric-table.ts';
import { type KeptAudit, lastWholeAudit } from '../audit/audit-results.ts';
import type { Database } from '../postgres/database.ts';
import { differenceKinds } from '../reconciliation/report.ts';
import { type KeptReconciliation, listReconciliations } from '../reconciliation/results.ts';
import { type Figures, readFigures } from '../tasks/rows/gauges.ts';
import { type GroupCommitter, waitingMembersMax } from '../ledger/commit/group-commit.ts';
import { unfinishedByProvider } from '../tasks/rows/tasks-by-provider.ts';
import type { CoreMetrics } from '../temporal/core-metrics.ts';

/** Asked anew by a scrape after so long. Scrapes are 15 to 60 s apart. */
const databaseKeptMs = 5_000;
const ownKeptMs = 1_000;

export interface FiguresOf {
  metrics: ProcessMetrics;
  database: Database;
  ledgerKeys: readonly Buffer[];
  currency: string;
  groups: Pick<GroupCommitter, 'waiting' | 'postponed' | 'inDoubt'>;
  dataDir: string;
  downloads: { readonly activeCount: number; readonly pendingCount: number };
  version: string;
  /** How many tasks may wait to be started, as configured now. */
  waitingTasksMax: () => number;
  warn: (part: string, error: unknown) => void;
}

/** Shows what every process has: build, pools, the ledger's queue, the disk, and the figures of the database. */
export function showFigures(of: FiguresOf): void {
  const { metrics, currency, database, groups, downloads, version } = of;
  metrics.gauge('tollgate_build_info', () => [{ labels: [version, process.version, currency], value: 1 }]);
  metrics.gauge('tollgate_ledger_moves_waiting', () => groups.waiting);
  metrics.gauge('tollgate_ledger_moves_postponed', () => groups.postponed);
  metrics.gauge('tollgate_ledger_moves_in_doubt', () => groups.inDoubt);
  metrics.gauge('tollgate_ledger_moves_waiting_max', () => waitingMembersMax);
  metrics.gauge('tollgate_downloads_running', () => downloads.activeCount);
  metrics.gauge('tollgate_downloads_waiting', () => downloads.pendingCount);
  metrics.gauge('tollgate_tasks_unstarted_max', of.waitingTasksMax);
  showPools(metrics, database);
  showDisk(of);
  showDatabase(of);
  showAudit(of);
  showReconciliations(of);
}

/**
 * Shows which tasks wait for a provider that this worker doesn't serve. None does where every worker says so: an API
 * whose configuration is older accepted them.
 */
export function showUnserved(
  { metrics, database, warn }: Pick<FiguresOf, 'metrics' | 'database' | 'warn'>,
  served: () => readonly string[],
): void {
  const errors = metrics.counter('tollgate_scrape_errors_total', 'database');
  const counts = remembered({
    ask: () => unfinishedByProvider(database),
    keptMs: databaseKeptMs,
    onError: (error) => {
      errors.add();
      warn('database', error);
    },
  });
  metrics.gauge('tollgate_tasks_unserved', async () => {
    const unserved = new Map(await counts());
    for (const provider of served()) unserved.set(provider, 0);
    return [...unserved].map(([provider, value]) => ({ labels: [provider], value }));
  });
}

/** Shows whether a process is ready, and what it reaches. */
export function showReadiness(metrics: ProcessMetrics, readiness: Readiness): void {
  metrics.gauge('tollgate_ready', async () => Number((await readiness.now()).ready));
  metrics.gauge('tollgate_part_up', async () =>
    Object.entries(await readiness.parts()).map(([part, isUp]) => ({ labels: [part], value: Number(isUp) })),
  );
}

/** Shows the bounds of an API process, and how much of them is taken. */
export function showApi(
  metrics: ProcessMetrics,
  {
    concurrencyLimits,
    waitingTasks,
    connections,
  }: { concurrencyLimits: ConcurrencyLimits; waitingTasks: WaitingTasks; connections: () => Promise<number> },
): void {
  const { bodyBytes, requests, calls, uploads, files, followers } = concurrencyLimits;
  const counts = { requests, calls, uploads, files, followers };
  const each = (valueOf: (gate: keyof typeof counts) => number): Reading =>
    (Object.keys(counts) as (keyof typeof counts)[]).map((gate) => ({ labels: [gate], value: valueOf(gate) }));
  metrics.gauge('tollgate_gate_taken', () => each((gate) => counts[gate].taken));
  metrics.gauge('tollgate_gate_places', () => each((gate) => counts[gate].max));
  metrics.gauge('tollgate_body_bytes', () => bodyBytes.taken);
  metrics.gauge('tollgate_body_bytes_max', () => bodyBytes.max);
  metrics.gauge('tollgate_task_starts_running', () => waitingTasks.starting);
  metrics.gauge('tollgate_http_connections', connections);
  metrics.gauge('tollgate_api_processes', () => 1);
}

/** Counts what the concurrency limits refuse. */
export function countRefusals(metrics: ProcessMetrics, concurrencyLimits: ConcurrencyLimits): void {
  for (const name of Object.keys(concurrencyLimits) as (keyof Bounds)[]) {
    const cell = metrics.counter('tollgate_gate_refused_total', name);
    concurrencyLimits[name].onRefusal = () => cell.add();
  }
}

/** Shows the metrics of Temporal's workers of this process. */
export function showTemporal(metrics: ProcessMetrics, core: CoreMetrics, log: Logger): void {
  const errors = metrics.counter('tollgate_scrape_errors_total', 'temporal');
  const text = remembered({
    ask: core,
    keptMs: ownKeptMs,
    onError: (error) => {
      errors.add();
      log.warn({ err: error }, "the metrics of Temporal's workers are missing in /metrics");
    },
  });
  metrics.append(async () => (await text()) ?? '');
}

function showPools(metrics: ProcessMetrics, { pool, keyed, longRunning, pipelined }: Database): void {
  const pools: readonly (readonly [string, pg.Pool])[] = [
    ['requests', pool],
    ['keyed', keyed],
    ['ledger', pipelined],
    ['unhurried', longRunning],
  ];
  metrics.gauge('tollgate_database_connections', () =>
    pools.flatMap(([name, { totalCount, idleCount }]) => [
      { labels: [name, 'used'], value: totalCount - idleCount },
      { labels: [name, 'idle'], value: idleCount },
    ]),
  );
  metrics.gauge('tollgate_database_connections_max', () =>
    pools.map(([name, { options }]) => ({ labels: [name], value: options.max })),
  );
  metrics.gauge('tollgate_database_waiting', () =>
    pools.map(([name, { waitingCount }]) => ({ labels: [name], value: waitingCount })),
  );
}

function showDisk({ metrics, dataDir, warn }: FiguresOf): void {
  const errors = metrics.counter('tollgate_scrape_errors_total', 'disk');
  const disk = remembered({
    ask: () => statfs(resolve(dataDir)),
    keptMs: ownKeptMs,
    onError: (error) => {
      errors.add();
      warn('disk', error);
    },
  });
  metrics.gauge('tollgate_data_disk_bytes', async () => {
    const stat = await disk();
    return stat && stat.bsize * stat.blocks;
  });
  metrics.gauge('tollgate_data_disk_available_bytes', async () => {
    const stat = await disk();
    return stat && stat.bsize * stat.bavail;
  });
}

function showDatabase({ metrics, database, warn }: FiguresOf): void {
  const errors = metrics.counter('tollgate_scrape_errors_total', 'database');
  const figures = remembered({
    ask: () => readFigures(database),
    keptMs: databaseKeptMs,
    onError: (error) => {
      errors.add();
      warn('database', error);
    },
  });
  const show = (name: GaugeName, valueOf: (figures: Figures) => Reading) =>
    metrics.gauge(name, async () => {
      const now = await figures();
      return now && valueOf(now);
    });
  show('tollgate_tasks_unfinished', ({ unfinished }) =>
    unfinished.map(({ kind, state, count }) => ({ labels: [kind, state], value: count })),
  );
  show('tollgate_tasks_unstarted', ({ unstarted }) => unstarted);
  show('tollgate_tasks_queued', ({ queued }) => queued);
  show('tollgate_tasks_oldest_unstarted_seconds', ({ oldestUnstartedSeconds }) => oldestUnstartedSeconds);
  show('tollgate_unknown_outcomes', ({ unknownOutcomes }) => unknownOutcomes);
  show('tollgate_events_undelivered', ({ eventsUnstarted, eventsUnderWay }) => [
    { labels: ['unstarted'], value: eventsUnstarted },
    { labels: ['under_way'], value: eventsUnderWay },
  ]);
  show('tollgate_events_oldest_unstarted_seconds', ({ oldestEventSeconds }) => oldestEventSeconds);
  show('tollgate_held_amount', ({ held }) => amountOf(held));
  show('tollgate_orphaned_holds', ({ orphans }) => orphans.count);
  show('tollgate_orphaned_held_amount', ({ orphans }) => amountOf(orphans.held));
}

/** The last whole audit; without one, or without the database, these have no value. */
function showAudit({ metrics, database, ledgerKeys, warn }: FiguresOf): void {
  const errors = metrics.counter('tollgate_scrape_errors_total', 'audit');
  const last = remembered({
    ask: () => lastWholeAudit(database, ledgerKeys),
    keptMs: ownKeptMs,
    onError: (error) => {
      errors.add();
      warn('audit', error);
    },
  });
  const show = (name: GaugeName, valueOf: (audit: KeptAudit) => number) =>
    metrics.gauge(name, async () => {
      const audit = await last();
      return audit && valueOf(audit);
    });
  show('tollgate_audit_agrees', ({ agrees }) => Number(agrees));
  show('tollgate_audit_findings', ({ findingCount }) => findingCount);
  show('tollgate_audit_entries', ({ looked }) => looked['entries'] ?? 0);
  show('tollgate_audit_started_timestamp_seconds', ({ startedAt }) => secondsOf(startedAt));
  show('tollgate_audit_finished_timestamp_seconds', ({ finishedAt }) => secondsOf(finishedAt));
}

/** Shows how the ledger compared with the last bill of each provider. */
function showReconciliations({ metrics, database, warn }: FiguresOf): void {
  const errors = metrics.counter('tollgate_scrape_errors_total', 'reconcile');
  const last = remembered({
    ask: () => listReconciliations(database),
    keptMs: databaseKeptMs,
    onError: (error) => {
      errors.add();
      warn('reconcile', error);
    },
  });
  const show = (
    name: Exclude<ReconcileGauge, 'tollgate_reconcile_differences'>,
    valueOf: (one: KeptReconciliation) => number,
  ) =>
    metrics.gauge(name, async () =>
      (await last())?.map((one) => ({ labels: [one.provider] as const, value: valueOf(one) })),
    );
  show('tollgate_reconcile_differing_ratio', ({ share }) => share);
  show('tollgate_reconcile_agrees', ({ share, tolerance }) => Number(share <= tolerance));
  show('tollgate_reconcile_period_end_timestamp_seconds', ({ period }) => secondsOf(period.to));
  metrics.gauge('tollgate_reconcile_differences', async () =>
    (await last())?.flatMap(({ provider, report }) =>
      differenceKinds.map((kind) => ({ labels: [provider, kind] as const, value: report[kind] })),
    ),
  );
}

type ReconcileGauge = Extract<GaugeName, `tollgate_reconcile_${string}`>;

const secondsOf = (date: Date): number => date.getTime() / 1000;
const amountOf = (amount: Money): number => Number(amount) / 1_000_000;
