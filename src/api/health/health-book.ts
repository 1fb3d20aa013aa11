/**
 * Which models work, by real traffic: the newest outcomes of each model's calls and tasks. A model without any is
 * judged by a free probe of its routes' providers. A caller's own mistakes don't count.
 */
import type { Logger } from 'pino';
import type { Model } from '../../domain/catalogue.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import { judgeProbe, type ProbeAnswer, type ProbeVerdict } from '../../domain/probes.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { Database } from '../../postgres/database.ts';
import { recentOutcomes, type TaskOutcome } from '../../tasks/rows/recent-outcomes.ts';
import { type Health, healthOf, type Probe } from './health-rules.ts';

const probeEveryMs = 60_000;
const probeMsMax = 5_000;
const reportKeptMs = 1_000;
const outcomesMax = 20;
/** Outcomes that say something about the model's routes, besides success. */
export const routeFaults: readonly ErrorCode[] = ['upstream_error', 'upstream_timeout', 'upstream_rate_limited'];

/** A provider, as far as it can be asked how it is. */
interface Probed {
  /** As `TaskProvider.probe`. */
  probe?(signal: AbortSignal): Promise<ProbeAnswer>;
}

export interface HealthTools {
  database: Database;
  /** Those of task-like models; for the names that are not among them, the chat providers of `now` are asked. */
  providers: ReadonlyMap<string, Probed>;
  /** What is in force. */
  now: () => { configuration: Configuration; chatProviders: ReadonlyMap<string, Probed> };
  /** Providers are not closed while it runs. */
  during: <T>(work: () => Promise<T>) => Promise<T>;
  log: Logger;
}

export class HealthBook {
  readonly #tools: HealthTools;
  /** By the provider's name. */
  readonly #probes = new Map<string, Probe & { of: Probed | undefined }>();
  /** Calls of this process, newest first; tasks are known by their rows. */
  readonly #calls = new Map<string, TaskOutcome[]>();
  #report: { atMs: number; health: Promise<Record<string, Health>> } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(tools: HealthTools) {
    this.#tools = tools;
  }

  /** Probes the providers of all published models now, and once a minute those of the idle ones. */
  async open(): Promise<void> {
    await this.#probeFor(this.#published());
    this.#timer = setInterval(() => void this.probeIdle(), probeEveryMs);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** The health of each published model by its id, at most a second old; a maintenance is not looked at. */
  async report(): Promise<Record<string, Health>> {
    const now = Date.now();
    if (!this.#report || this.#report.atMs + reportKeptMs < now) this.#report = { atMs: now, health: this.#compute() };
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
    calls.length = Math.min(calls.length, outcomesMax);
    this.#calls.set(model, calls);
  }

  /** What a provider answered when it was last asked how it is. */
  probeOf(provider: string): Probe | undefined {
    return this.#probes.get(provider);
  }

  /** After a reload or a switch: what stays keeps its history, what is gone is forgotten, and new adapters are probed. */
  async reloaded(): Promise<void> {
    const { models, providers } = this.#tools.now().configuration;
    for (const id of this.#calls.keys()) if (!models.has(id)) this.#calls.delete(id);
    for (const name of this.#probes.keys()) if (!providers.has(name)) this.#probes.delete(name);
    this.#report = undefined;
    const isNew = (name: string) => this.#probes.get(name)?.of !== this.#probed(name) || !this.#probes.has(name);
    await this.#probeFor(this.#published().filter(({ routes }) => routes.some(({ provider }) => isNew(provider))));
    this.#report = undefined;
  }

  /** Probes the providers of the models that have had no telling traffic for a minute. */
  async probeIdle(): Promise<void> {
    const sinceMs = Date.now() - probeEveryMs;
    try {
      const outcomes = await this.#outcomes();
      await this.#probeFor(this.#published().filter(({ id }) => (outcomes.get(id)?.[0]?.finishedAtMs ?? 0) < sinceMs));
    } catch (error) {
      this.#tools.log.warn({ err: error }, 'idle models could not be probed; it is tried again in a minute');
    }
  }

  async #compute(): Promise<Record<string, Health>> {
    const outcomes = await this.#outcomes();
    return Object.fromEntries(
      this.#published().map(({ id, routes }) => {
        const probes = routes.map(({ provider }) => this.#probes.get(provider));
        return [id, healthOf(outcomes.get(id) ?? [], probes, { idleMs: probeEveryMs })];
      }),
    );
  }

  #published(): Model[] {
    return [...this.#tools.now().configuration.models.values()].filter(({ published }) => published);
  }

  /** The newest telling outcomes of each published model, newest first. */
  async #outcomes(): Promise<Map<string, TaskOutcome[]>> {
    const ids = this.#published().map(({ id }) => id);
    const tasks = await recentOutcomes(this.#tools.database, ids, { faults: routeFaults, count: outcomesMax });
    const outcomes = new Map(ids.map((id) => [id, [...(this.#calls.get(id) ?? [])]]));
    for (const outcome of tasks) outcomes.get(outcome.model)?.push(outcome);
    return outcomes;
  }

  async #probeFor(models: readonly Model[]): Promise<void> {
    const names = new Set(models.flatMap(({ routes }) => routes.map(({ provider }) => provider)));
    await this.#tools.during(() => Promise.all([...names].map((name) => this.#probe(name))));
  }

  #probed(name: string): Probed | undefined {
    return this.#tools.providers.get(name) ?? this.#tools.now().chatProviders.get(name);
  }

  async #probe(name: string): Promise<void> {
    const of = this.#probed(name);
    const verdict = await this.#ask(name, of);
    // What was replaced meanwhile says nothing of its successor.
    if (of === this.#probed(name)) this.#probes.set(name, { atMs: Date.now(), verdict, of });
  }

  /** A provider that can't be asked anything is good. */
  async #ask(name: string, of: Probed | undefined): Promise<ProbeVerdict> {
    try {
      const answer = await of?.probe?.(AbortSignal.timeout(probeMsMax));
      const verdict = answer ? judgeProbe(answer) : 'good';
      if (verdict === 'bad')
        this.#tools.log.warn({ provider: name, status: answer?.status }, 'a provider refuses our credentials');
      return verdict;
    } catch (error) {
      this.#tools.log.warn({ err: error, provider: name }, 'a provider does not answer its probe');
      return 'bad';
    }
  }
}
