/**
 * Which models work, told from real traffic: the newest outcomes of each model's tasks and, for idle ones, a free probe
 * of their first route. A caller's own mistakes don't count.
 */
import type { Logger } from 'pino';
import type { TaskProvider } from '../../providers/contract.ts';
import type { Configuration } from '../../settings/configuration.ts';
import type { Database } from '../../storage/database.ts';
import { recentOutcomes, type TaskOutcome } from '../../storage/task-outcomes.ts';

const probe_every_ms = 60_000;
const probe_ms_max = 5_000;
const report_kept_ms = 1_000;
const outcomes_max = 20;
/** Route faults in a row after which a model counts as unavailable. */
const faults_max = 3;
const routeFaults: ReadonlySet<string> = new Set(['upstream_error', 'upstream_timeout', 'upstream_rate_limited']);

export interface ModelHealth {
  available: boolean;
  /** The median of the last outcomes, 0 without any. */
  latencyMs: number;
  /** Unix milliseconds. */
  lastChecked: number;
}

export interface HealthTools {
  database: Database;
  providers: ReadonlyMap<string, Pick<TaskProvider, 'probe'>>;
  configuration: Configuration;
  log: Logger;
}

export class HealthBook {
  readonly #tools: HealthTools;
  readonly #probes = new Map<string, { atMs: number; good: boolean }>();
  /** Calls of this process, newest first; tasks are told by their rows. */
  readonly #calls = new Map<string, TaskOutcome[]>();
  #report: { atMs: number; health: Promise<Record<string, ModelHealth>> } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(tools: HealthTools) {
    this.#tools = tools;
  }

  /** Probes every provider now, and then once a minute. */
  async open(): Promise<void> {
    await this.#probeAll();
    this.#timer = setInterval(() => void this.#probeAll(), probe_every_ms);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** The health of each published model by its id, at most a second old. */
  async report(): Promise<Record<string, ModelHealth>> {
    const now = Date.now();
    if (!this.#report || this.#report.atMs + report_kept_ms < now)
      this.#report = { atMs: now, health: this.#compute() };
    try {
      return await this.#report.health;
    } catch (error) {
      this.#report = undefined;
      throw error;
    }
  }

  /** Notes how a chat call went. */
  record(model: string, { errorCode, latencyMs }: { errorCode?: string; latencyMs: number }): void {
    const calls = this.#calls.get(model) ?? [];
    calls.unshift({ model, errorCode, finishedAtMs: Date.now(), latencyMs });
    calls.length = Math.min(calls.length, outcomes_max);
    this.#calls.set(model, calls);
  }

  async #compute(): Promise<Record<string, ModelHealth>> {
    const models = [...this.#tools.configuration.models.values()].filter(({ published }) => published);
    const outcomes = await recentOutcomes(
      this.#tools.database,
      models.map(({ id }) => id),
      outcomes_max,
    );
    return Object.fromEntries(
      models.map(({ id, maintenance, routes }) => {
        const own = [...(this.#calls.get(id) ?? []), ...outcomes.filter(({ model }) => model === id)];
        const health = judged(own, this.#probes.get(routes[0]?.provider ?? ''));
        return [id, { ...health, available: health.available && !maintenance }];
      }),
    );
  }

  async #probeAll(): Promise<void> {
    await Promise.all([...this.#tools.providers].map(([name, provider]) => this.#probe(name, provider)));
  }

  async #probe(name: string, provider: Pick<TaskProvider, 'probe'>): Promise<void> {
    let good = true;
    try {
      await provider.probe?.(AbortSignal.timeout(probe_ms_max));
    } catch (error) {
      good = false;
      this.#tools.log.warn({ err: error, provider: name }, 'a provider does not answer its probe');
    }
    this.#probes.set(name, { atMs: Date.now(), good });
  }
}

/** Judges a model by its newest outcomes (newest first) and the last probe of its provider. */
function judged(outcomes: readonly TaskOutcome[], probe: { atMs: number; good: boolean } | undefined): ModelHealth {
  const telling = outcomes.filter(({ errorCode }) => errorCode === undefined || routeFaults.has(errorCode));
  const newest = telling.slice(0, faults_max);
  const newestAtMs = newest[0]?.finishedAtMs ?? 0;
  const faulty = newest.length === faults_max && newest.every(({ errorCode }) => errorCode !== undefined);
  const probedSince = probe !== undefined && probe.atMs > newestAtMs;
  return {
    available: probedSince ? probe.good : !faulty,
    latencyMs: median(telling.map(({ latencyMs }) => latencyMs)),
    lastChecked: Math.max(newestAtMs, probe?.atMs ?? 0),
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
