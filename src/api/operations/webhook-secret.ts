/** The secret that an account's webhooks are signed with, for its admin keys. */
import * as z from 'zod';
import { rotateWebhookSecret, webhookSecrets } from '../../webhooks/webhook-secrets.ts';
import { administratorOf } from '../acting-administrator.ts';
import { type ApiContext, keyOf } from '../context.ts';
import { one } from '../openapi/examples.ts';
import { answer } from '../openapi/schemas.ts';
import { operation } from '../public-operation.ts';

const secretRecord = answer(
  'WebhookSecret',
  z.strictObject({
    object: z.literal('webhook_secret'),
    secret: z.string().describe('`whsec_…`, as Standard Webhooks has it.'),
  }),
);
const examples = () =>
  one('The secret', { object: 'webhook_secret', secret: 'whsec_ZXhhbXBsZSBvZiBhIHNlY3JldCBvZiAzMiBieXRlcyE=' });

export const getWebhookSecret = operation({
  method: 'get',
  path: '/account/webhook-secret',
  id: 'getWebhookSecret',
  tag: 'Account',
  level: 'admin',
  summary: "The secret that the account's webhooks are signed with",
  answer: secretRecord,
  responses: { 200: { description: 'The secret.', examples } },
  handle: async ({ ctx, deps }) => {
    const { database } = await administratorOf(ctx, deps);
    const [secret] = await webhookSecrets(database, deps.secrets, keyOf(ctx).accountId);
    return shown(ctx, secret);
  },
});

export const rotateSecret = operation({
  method: 'post',
  path: '/account/webhook-secret/rotate',
  id: 'rotateWebhookSecret',
  tag: 'Account',
  level: 'admin',
  summary: 'Rotate the webhook secret',
  description: 'For 24 hours, deliveries carry the signatures of both secrets.',
  answer: secretRecord,
  responses: { 200: { description: 'The new secret.', examples } },
  handle: async ({ ctx, deps }) =>
    shown(ctx, await rotateWebhookSecret(await administratorOf(ctx, deps), deps.secrets, keyOf(ctx).accountId)),
});

function shown(ctx: ApiContext, secret: string | undefined): z.input<typeof secretRecord> {
  if (secret === undefined) throw new Error('there is no webhook secret');
  ctx.set('Cache-Control', 'no-store');
  return { object: 'webhook_secret', secret };
}
