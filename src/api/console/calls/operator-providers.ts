/** How the providers do. Of an address only its host is shown, and never a credential. */
import * as z from 'zod';
import type { ProviderSettings } from '../../../domain/catalogue.ts';
import {
  type Outcomes,
  type ProviderFigures,
  providerFigures,
} from '../../../tasks/provider-calls/provider-figures.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { routeFaults } from '../../health/health-book.ts';
import type { Health } from '../../health/health-rules.ts';
import { operatorCall } from '../console-call.ts';
import { healthFields, healthObject } from './model-fields.ts';

const count = z.int();
const outcomes = z.strictObject({ accepted: count, refused: count, unknown: count, faults: count });

const provider = z.strictObject({
  object: z.literal('provider'),
  name: z.string(),
  kind: z.string(),
  /** Null: its kind's own address. */
  host: z.string().nullable(),
  models: z.array(
    z.strictObject({
      id: z.string(),
      upstream_model: z.string(),
      /** 1: tried first. */
      position: count,
      published: z.boolean(),
      maintenance: z.boolean(),
      health: healthFields.nullable(),
    }),
  ),
  max_per_second: z.number().nullable(),
  max_concurrent: count.nullable(),
  /** Of `max_concurrent`; null without a bound. */
  places_taken: count.nullable(),
  /** Null: it takes chat calls only, which are not counted by provider. */
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
    const [figures, health] = await Promise.all([
      providerFigures(deps.database, routeFaults, new Date()),
      deps.health.report(),
    ]);
    const data = [...deps.configuration.providers.values()].map((settings) =>
      providerObject(deps, settings, figures.get(settings.name), health),
    );
    return { object: 'list', data, has_more: false, next_cursor: null };
  },
});

export const operatorProviderCalls = [listProviders];

function providerObject(
  { configuration, providers, health: book }: ApiDependencies,
  { name, kind, baseUrl, maxPerSecond, maxConcurrent }: ProviderSettings,
  figures: ProviderFigures | undefined,
  health: Readonly<Record<string, Health>>,
): z.input<typeof provider> {
  const probe = book.probeOf(name);
  const models = [...configuration.models.values()].flatMap((model) =>
    model.routes.flatMap((route, at) =>
      route.provider === name
        ? [
            {
              id: model.id,
              upstream_model: route.model,
              position: at + 1,
              published: model.published,
              maintenance: model.maintenance,
              health: healthObject(health[model.id], model),
            },
          ]
        : [],
    ),
  );
  return {
    object: 'provider',
    name,
    kind,
    host: baseUrl === undefined ? null : new URL(baseUrl).host,
    models,
    max_per_second: maxPerSecond ?? null,
    max_concurrent: maxConcurrent ?? null,
    places_taken: maxConcurrent === undefined ? null : (figures?.placesTaken ?? 0),
    tasks: providers.has(name)
      ? {
          unfinished: figures?.unfinishedTasks ?? 0,
          last_hour: figures?.lastHour ?? none,
          last_day: figures?.lastDay ?? none,
        }
      : null,
    probe: probe ? { good: probe.verdict !== 'bad', at: Math.floor(probe.atMs / 1000) } : null,
  };
}

const none: Outcomes = { accepted: 0, refused: 0, unknown: 0, faults: 0 };
