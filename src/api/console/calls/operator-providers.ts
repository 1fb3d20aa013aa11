/** How the providers do. Of an address only its host is shown, and never a credential. */
import * as z from 'zod';
import { modelKinds, type Model, type ProviderSettings } from '../../../domain/catalogue.ts';
import { maintenanceAt } from '../../../domain/maintenance.ts';
import { taskKinds } from '../../../domain/tasks/task-states.ts';
import {
  type Outcomes,
  type ProviderFigures,
  providerFigures,
} from '../../../tasks/provider-calls/provider-figures.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { routeFaults } from '../../health/health-book.ts';
import type { Health } from '../../health/health-rules.ts';
import { readTraffic, type TrafficReport } from '../../health/traffic.ts';
import { stateOf, type Traffic } from '../../health/traffic-rules.ts';
import { operatorCall } from '../console-call.ts';
import {
  healthFields,
  healthObject,
  healthState,
  tally,
  tallyObject,
  trafficFields,
  trafficObject,
} from './model-fields.ts';

const count = z.int();
const outcomes = z.strictObject({ accepted: count, refused: count, unknown: count, faults: count, done: tally });

const callFields = {
  ...trafficFields,
  median_ms: z.number().nullable().describe('Of the successful calls of the last day, from head to end.'),
  p95_ms: z.number().nullable().describe('What 95 of 100 of these did not exceed.'),
};

const provider = z.strictObject({
  object: z.literal('provider'),
  name: z.string(),
  kind: z.string(),
  /** Null: its kind's own address. */
  host: z.string().nullable(),
  models: z.array(
    z.strictObject({
      id: z.string(),
      kind: z.enum(modelKinds),
      upstream_model: z.string(),
      /** 1: tried first. */
      position: count,
      published: z.boolean(),
      maintenance: z.boolean(),
      health: healthFields.nullable(),
      /** Of this model's calls those that this provider was asked to answer; null: it is made by tasks. */
      calls: z.strictObject(callFields).nullable(),
    }),
  ),
  max_per_second: z.number().nullable(),
  max_concurrent: count.nullable(),
  /** Of `max_concurrent`; null without a bound. */
  places_taken: count.nullable(),
  /** Null: nothing of it is published or was probed. */
  state: healthState.nullable(),
  /** Calls that it was asked to answer, such as chat. */
  calls: z.strictObject(callFields),
  /** Null: no model that is made by tasks is routed to it, and no task was sent to it. */
  tasks: z.strictObject({ unfinished: count, last_hour: outcomes, last_day: outcomes }).nullable(),
  /** The last one that this process made; null without any. One that says nothing, such as 404, is not bad. */
  probe: z.strictObject({ good: z.boolean(), at: z.int() }).nullable(),
});

const listProviders = operatorCall({
  method: 'get',
  path: '/operator/providers',
  id: 'listProviders',
  summary: 'The providers: what is routed to them, and how they do',
  answer: z.strictObject({
    object: z.literal('list'),
    data: z.array(provider),
    has_more: z.literal(false),
    next_cursor: z.null(),
  }),
  handle: async ({ deps }) => {
    const [figures, health, traffic] = await Promise.all([
      providerFigures(deps.database, routeFaults, new Date()),
      deps.health.report(),
      readTraffic(deps.database, deps.configuration.models.keys()),
    ]);
    const data = [...deps.configuration.providers.values()].map((settings) =>
      providerObject(deps, settings, { figures: figures.get(settings.name), health, traffic }),
    );
    return { object: 'list', data, has_more: false, next_cursor: null };
  },
});

export const operatorProviderCalls = [listProviders];

interface Known {
  figures: ProviderFigures | undefined;
  health: Readonly<Record<string, Health>>;
  traffic: TrafficReport;
}

function providerObject(
  { configuration, providers, health: book }: ApiDependencies,
  { name, kind, baseUrl, maxPerSecond, maxConcurrent }: ProviderSettings,
  { figures, health, traffic }: Known,
): z.input<typeof provider> {
  const probe = book.probeOf(name);
  const calls = traffic.callsOf(name);
  const tasks = figures ?? { unfinishedTasks: 0, lastHour: none, lastDay: none };
  const models = [...configuration.models.values()].flatMap((model) =>
    model.routes.flatMap((route, at) =>
      route.provider === name
        ? [
            {
              id: model.id,
              kind: model.kind,
              upstream_model: route.model,
              position: at + 1,
              published: model.published,
              maintenance: isInMaintenance(model),
              health: healthObject(health[model.id], traffic.modelTraffic(model.id), {
                published: model.published,
                maintenance: isInMaintenance(model),
              }),
              calls: isOfTasks(model) ? null : callsObject(traffic.callsOfRoute(name, model.id)),
            },
          ]
        : [],
    ),
  );
  const hasTasks = figures !== undefined || (providers.has(name) && models.some(isOfTasks));
  return {
    object: 'provider',
    name,
    kind,
    host: baseUrl === undefined ? null : new URL(baseUrl).host,
    models,
    max_per_second: maxPerSecond ?? null,
    max_concurrent: maxConcurrent ?? null,
    places_taken: maxConcurrent === undefined ? null : (figures?.placesTaken ?? 0),
    state: probe ? stateOf(probe.verdict !== 'bad', calls.lastHour, tallyOf(tasks.lastHour)) : null,
    calls: callsObject(calls),
    tasks: hasTasks
      ? {
          unfinished: tasks.unfinishedTasks,
          last_hour: outcomesObject(tasks.lastHour),
          last_day: outcomesObject(tasks.lastDay),
        }
      : null,
    probe: probe ? { good: probe.verdict !== 'bad', at: Math.floor(probe.atMs / 1000) } : null,
  };
}

const isInMaintenance = ({ maintenance }: Model): boolean => maintenanceAt(maintenance, new Date()) !== false;

const isOfTasks = ({ kind }: Pick<Model, 'kind'>): boolean => taskKinds.some((one) => one === kind);

const callsObject = (traffic: Traffic) => ({
  ...trafficObject(traffic),
  ...{ median_ms: traffic.medianMs, p95_ms: traffic.p95Ms },
});

const none: Outcomes = { accepted: 0, refused: 0, unknown: 0, faults: 0, succeeded: 0, faultCodes: [] };

const tallyOf = ({ succeeded, faultCodes }: Outcomes) => ({ succeeded, faults: faultCodes });

const outcomesObject = (of: Outcomes): z.input<typeof outcomes> => ({
  ...{ accepted: of.accepted, refused: of.refused, unknown: of.unknown, faults: of.faults },
  done: tallyObject(tallyOf(of)),
});
