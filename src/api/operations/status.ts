/** The public status of the models, as the page `/status` shows it. No key is needed. */
import * as z from 'zod';
import { modelKinds } from '../../domain/catalogue.ts';
import { GatewayError } from '../../domain/errors.ts';
import { readStatus } from '../health/status-report.ts';
import { type ModelStatus, statusStates } from '../health/status-rules.ts';
import { one } from '../openapi/examples.ts';
import { answer } from '../openapi/schemas.ts';
import { operation } from '../public-operation.ts';

const rate = z.number().nullable();
const state = z.enum(statusStates);
const statusReport = answer(
  'Status',
  z.strictObject({
    object: z.literal('status'),
    state: state.describe('Of all models together; `unavailable` only if none can be called.'),
    updated_at: z.iso.datetime(),
    models: z.array(
      z.strictObject({
        id: z.string(),
        kind: z.enum(modelKinds),
        state,
        success_rate: z
          .strictObject({ last_hour: rate, last_day: rate })
          .describe('From 0 to 1; null without any call or task. Mistakes of callers do not count.'),
        hours: z.array(rate).describe('The rate of success of each of the last 24 hours, the newest last.'),
        maintenance: z
          .strictObject({ note: z.string().nullable(), until: z.iso.datetime().nullable() })
          .nullable()
          .describe('While it lasts: why, and when it ends by itself.'),
      }),
    ),
  }),
);

export const getStatus = operation({
  method: 'get',
  path: '/status.json',
  id: 'getStatus',
  tag: 'Service',
  summary: 'Public status of the models',
  description: 'What the page `/status` shows, at most five seconds old. 404 where `status_page` is `false`.',
  answer: statusReport,
  responses: {
    200: {
      description: 'The status.',
      examples: ({ model }) => one('All is well', exampleOf(model('chat'))),
    },
  },
  errors: ['route_not_found'],
  handle: async ({ ctx, deps }) => {
    if (!deps.configuration.statusPage) throw new GatewayError('route_not_found', `No route matches ${ctx.path}.`);
    const report = await readStatus(deps);
    ctx.set('Cache-Control', 'public, max-age=5');
    return {
      object: 'status' as const,
      state: report.state,
      updated_at: report.updatedAt.toISOString(),
      models: report.models.map(modelObject),
    };
  },
});

const modelObject = ({ id, kind, state: is, maintenance, lastHour, lastDay, hours }: ModelStatus) => ({
  ...{ id, kind, state: is, hours },
  success_rate: { last_hour: lastHour, last_day: lastDay },
  maintenance:
    maintenance === false ? null : { note: maintenance.note ?? null, until: maintenance.until?.toISOString() ?? null },
});

const exampleOf = (id: string) => ({
  object: 'status',
  state: 'available',
  updated_at: '2026-01-01T00:00:00.000Z',
  models: [
    {
      ...{ id, kind: 'chat', state: 'available' },
      success_rate: { last_hour: 1, last_day: 0.998 },
      hours: [...Array.from({ length: 22 }, () => null), 0.995, 1],
      maintenance: null,
    },
  ],
});
