/** How models and providers have done lately: what their calls and tasks came to, over all processes. */
import type { Database } from '../../postgres/database.ts';
import { callOutcomes } from '../../request-records/call-outcomes.ts';
import { outcomeCounts } from '../../tasks/rows/outcome-counts.ts';
import { routeFaults } from './health-book.ts';
import { noTraffic, type Traffic } from './traffic-rules.ts';

/** By the model's id and by the provider's name. A provider's tasks are counted by its paid calls, not here. */
export interface TrafficReport {
  modelTraffic: (model: string) => Traffic;
  callsOf: (provider: string) => Traffic;
  /** Of the calls of a model that a provider was asked to answer. */
  callsOfRoute: (provider: string, model: string) => Traffic;
}

const keptMs = 2_000;
const keptOf = new WeakMap<Database, { atMs: number; models: string; report: Promise<TrafficReport> }>();

/** Returns the figures of the last hour and day, at most two seconds old. */
export function readTraffic(database: Database, ids: Iterable<string>): Promise<TrafficReport> {
  const models = [...ids];
  const known = keptOf.get(database);
  const name = JSON.stringify(models);
  if (known?.models === name && known.atMs + keptMs > Date.now()) return known.report;
  const report = count(database, models);
  keptOf.set(database, { atMs: Date.now(), models: name, report });
  report.catch(() => keptOf.delete(database)); // the next look tries again
  return report;
}

interface Outcome {
  code: string | null;
  lastHour: number;
  lastDay: number;
  medianMs?: number | null;
}

async function count(database: Database, models: readonly string[]): Promise<TrafficReport> {
  const [calls, tasks] = await Promise.all([
    callOutcomes(database, routeFaults),
    outcomeCounts(database, models, routeFaults),
  ]);
  const ofModels = new Map<string, Traffic>();
  const ofProviders = new Map<string, Traffic>();
  const ofRoutes = new Map<string, Traffic>();
  const all = { model: ofModels, provider: ofProviders, route: ofRoutes };
  const nameOf = ({ of, name, model }: { of: keyof typeof all; name: string; model: string }) =>
    of === 'route' ? routeName(name, model) : name;
  for (const outcome of calls.outcomes) add(all[outcome.of], nameOf(outcome), outcome);
  for (const { medianMs, p95Ms, ...measured } of calls.latencies) {
    const name = nameOf(measured);
    all[measured.of].set(name, { ...(all[measured.of].get(name) ?? noTraffic), medianMs, p95Ms });
  }
  for (const outcome of tasks) add(ofModels, outcome.model, outcome);
  return {
    modelTraffic: (model) => ofModels.get(model) ?? noTraffic,
    callsOf: (provider) => ofProviders.get(provider) ?? noTraffic,
    callsOfRoute: (provider, model) => ofRoutes.get(routeName(provider, model)) ?? noTraffic,
  };
}

const routeName = (provider: string, model: string): string => JSON.stringify([provider, model]);

function add(all: Map<string, Traffic>, name: string, { code, lastHour, lastDay, medianMs }: Outcome): void {
  const known = all.get(name) ?? noTraffic;
  const added = ({ succeeded, faults }: Traffic['lastDay'], count: number) =>
    code === null
      ? { succeeded: succeeded + count, faults }
      : { succeeded, faults: count === 0 ? faults : [...faults, { code, count }] };
  all.set(name, {
    ...known,
    lastHour: added(known.lastHour, lastHour),
    lastDay: added(known.lastDay, lastDay),
    medianMs: medianMs ?? known.medianMs,
  });
}
