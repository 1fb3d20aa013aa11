/** The events that webhooks receive, as OpenAPI 3.1's `webhooks`. */
import * as z from 'zod';
import { batchRecord } from '../presenters/batches.ts';
import { currencyField } from '../presenters/currency.ts';
import { endedAvatarTalkTask, imageTask, videoTask } from '../presenters/task-records.ts';
import type { GatewayFacts } from '../public-operation.ts';
import { batchExample } from './batch-example.ts';
import { exampleIds } from './example-ids.ts';
import { answer, type JsonSchema, refOf } from './schemas.ts';
import { cancelledError, imageTasks, videoTasks } from './task-examples.ts';

const lowBalance = answer(
  'LowBalance',
  z.strictObject({
    id: z.string(),
    object: z.literal('account'),
    currency: currencyField,
    balance: z.number(),
    held: z.number(),
    low_balance: z.number(),
  }),
);

const testedAccount = answer(
  'TestedAccount',
  z.strictObject({ id: z.string(), object: z.literal('account'), currency: currencyField }),
);

const talk = { id: exampleIds.avatar_talk, object: 'avatar_talk' };

interface Event {
  summary: string;
  data: z.ZodType;
  example: (facts: GatewayFacts) => object;
}

const events: Readonly<Record<string, Event>> = {
  'image.succeeded': {
    summary: 'An image task has succeeded',
    data: imageTask,
    example: (facts) => imageTasks(facts).succeeded,
  },
  'image.failed': {
    summary: 'An image task has failed or was cancelled',
    data: imageTask,
    example: (facts) => imageTasks(facts).failed,
  },
  'video.succeeded': {
    summary: 'A video task has succeeded',
    data: videoTask,
    example: (facts) => videoTasks(facts).succeeded,
  },
  'video.failed': {
    summary: 'A video task has failed or was cancelled',
    data: videoTask,
    example: (facts) => videoTasks(facts).failed,
  },
  'avatar_talk.succeeded': {
    summary: 'An avatar-talk video can be fetched',
    data: endedAvatarTalkTask,
    example: () => ({ ...talk, status: 'completed', duration: 12.4, tokens: 12_400, cost: 0.62, error: null }),
  },
  'avatar_talk.failed': {
    summary: 'An avatar-talk task has failed or was cancelled',
    data: endedAvatarTalkTask,
    example: () => ({ ...talk, status: 'error', duration: null, tokens: null, cost: null, error: cancelledError }),
  },
  ...batchEvents(),
  'account.balance_low': {
    summary: "The account's money has fallen below its threshold",
    data: lowBalance,
    example: ({ currency }) => ({
      id: exampleIds.account,
      object: 'account',
      currency,
      balance: 9.8,
      held: 0,
      low_balance: 10,
    }),
  },
  'webhook.test': {
    summary: 'An owner tries the webhook from the console',
    data: testedAccount,
    example: ({ currency }) => ({ id: exampleIds.account, object: 'account', currency }),
  },
};

function batchEvents(): Readonly<Record<string, Event>> {
  const ends = { completed: 'completed', failed: 'failed', expired: 'expired', cancelled: 'been cancelled' } as const;
  const states = ['completed', 'failed', 'expired', 'cancelled'] as const;
  return Object.fromEntries(
    states.map((state) => [
      `batch.${state}`,
      { summary: `A batch has ${ends[state]}`, data: batchRecord, example: () => batchExample(state) },
    ]),
  );
}

const header = (name: string, description: string): JsonSchema => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});
const signed = [
  header('webhook-id', "The event's id, the same in every attempt."),
  header('webhook-timestamp', 'Unix seconds of this attempt.'),
  header('webhook-signature', '`v1,<base64>` for each valid secret, with spaces between (Standard Webhooks).'),
];

/** `webhooks` of the document, with an example of each event's data. */
export const webhooks = (facts: GatewayFacts): JsonSchema =>
  Object.fromEntries(
    Object.entries(events).map(([type, { data, summary, example }]) => [
      type,
      {
        post: {
          operationId: `on_${type.replace('.', '_')}`,
          summary,
          description: 'Retried for 24 hours until it is answered with 2xx.',
          security: [],
          parameters: signed,
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: eventOf(type, refOf(data)), example: exampleOf(type, example(facts)) },
            },
          },
          responses: {
            '2XX': { description: 'Delivered.' },
            '410': { description: 'The receiver wants no more events; it is not retried.' },
          },
        },
      },
    ]),
  );

const exampleOf = (type: string, data: unknown) => ({ type, timestamp: '2026-01-01T00:00:02.000Z', data });

const eventOf = (type: string, data: JsonSchema): JsonSchema => ({
  type: 'object',
  required: ['type', 'timestamp', 'data'],
  properties: { type: { const: type }, timestamp: { type: 'string', format: 'date-time' }, data },
});
