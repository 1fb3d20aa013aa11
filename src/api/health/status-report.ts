/** The public status of the models: states, rates of success and maintenance; no counts, prices or providers. */
import type { Model } from '../../domain/catalogue.ts';
import { maintenanceAt } from '../../domain/maintenance.ts';
import { callHours } from '../../request-records/call-hours.ts';
import { taskHours } from '../../tasks/rows/task-hours.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { routeFaults } from './health-book.ts';
import { hoursMax, type HourTally, overallOf, type StatusReport, statusOf } from './status-rules.ts';

type StatusTools = Pick<ApiDependencies, 'database' | 'health' | 'configuration'>;

/** How long an answer is kept: whatever is asked of a process, the database is asked that often at most. */
const keptMs = 5_000;
const keptOf = new WeakMap<StatusTools['configuration'], { atMs: number; report: Promise<StatusReport> }>();

/** Returns the status of the published models, at most five seconds old, and newer than the last switch or reload. */
export function readStatus(tools: StatusTools): Promise<StatusReport> {
  const { configuration } = tools;
  const known = keptOf.get(configuration);
  if (known && known.atMs + keptMs > Date.now()) return known.report;
  const report = compute(tools);
  keptOf.set(configuration, { atMs: Date.now(), report });
  report.catch(() => keptOf.delete(configuration)); // the next look tries again
  return report;
}

async function compute({ database, health: book, configuration }: StatusTools): Promise<StatusReport> {
  const published = [...configuration.models.values()].filter((model) => model.published);
  const ids = published.map(({ id }) => id);
  const [health, calls, tasks] = await Promise.all([
    book.report(),
    callHours(database, routeFaults),
    taskHours(database, ids, routeFaults),
  ]);
  const hours = new Map(ids.map((id) => [id, Array.from({ length: hoursMax }, (): HourTally => [0, 0])]));
  for (const { model, hoursAgo, succeeded, failed } of [...calls, ...tasks]) {
    const tally = hours.get(model)?.[hoursAgo];
    if (!tally) continue; // of a model that is gone, or on the edge of the day
    tally[0] += succeeded;
    tally[1] += failed;
  }
  const now = new Date();
  const models = published.map(({ id, kind, maintenance }: Model) =>
    statusOf(
      { id, kind, maintenance: maintenanceAt(maintenance, now), isAvailable: health[id]?.available ?? true },
      hours.get(id) ?? [],
    ),
  );
  return { state: overallOf(models), updatedAt: now, models };
}
