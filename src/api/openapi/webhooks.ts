/** The events that accounts are told by webhook, as OpenAPI 3.1's `webhooks`. */
import * as z from 'zod';
import type { JsonSchema } from './operation.ts';
import { answer, refOf } from './schemas.ts';
import { endedAvatarTalkTask, imageTask, videoTask } from './tasks.ts';

const lowBalance = answer(
  'LowBalance',
  z.strictObject({
    id: z.string(),
    object: z.literal('account'),
    currency: z.literal('CNY'),
    balance: z.number(),
    held: z.number(),
    low_balance: z.number(),
  }),
);

const events = {
  'image.succeeded': { data: imageTask, summary: 'An image task has succeeded' },
  'image.failed': { data: imageTask, summary: 'An image task has failed or was cancelled' },
  'video.succeeded': { data: videoTask, summary: 'A video task has succeeded' },
  'video.failed': { data: videoTask, summary: 'A video task has failed or was cancelled' },
  'avatar_talk.succeeded': { data: endedAvatarTalkTask, summary: 'An avatar-talk video can be fetched' },
  'avatar_talk.failed': { data: endedAvatarTalkTask, summary: 'An avatar-talk task has failed or was cancelled' },
  'account.balance_low': { data: lowBalance, summary: "The account's money has fallen below its threshold" },
} as const satisfies Record<string, { data: z.ZodType; summary: string }>;

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
export const webhooks = (examples: Readonly<Record<string, unknown>>): JsonSchema =>
  Object.fromEntries(
    Object.entries(events).map(([type, { data, summary }]) => [
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
              'application/json': { schema: eventOf(type, refOf(data)), example: exampleOf(type, examples[type]) },
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
