/** The secret that an account's webhooks are signed with, for its admin keys. */
import type Router from '@koa/router';
import { rotateWebhookSecret, webhookSecrets } from '../../webhooks/webhook-secrets.ts';
import { administratorOf } from '../acting-administrator.ts';
import { type ApiContext, keyOf, type RequestState } from '../context.ts';
import type { DependenciesNow } from '../dependencies.ts';
import { authenticated } from '../middleware/authenticated.ts';

export function webhookSecretRoutes(router: Router<RequestState>, now: DependenciesNow): void {
  const admin = authenticated(now().keys, 'admin');

  router.get('/account/webhook-secret', admin, async (ctx) => {
    const deps = now();
    const { database } = await administratorOf(ctx, deps);
    const [secret] = await webhookSecrets(database, deps.secrets, keyOf(ctx).accountId);
    answer(ctx, secret);
  });

  router.post('/account/webhook-secret/rotate', admin, async (ctx) => {
    const deps = now();
    answer(ctx, await rotateWebhookSecret(await administratorOf(ctx, deps), deps.secrets, keyOf(ctx).accountId));
  });
}

function answer(ctx: ApiContext, secret: string | undefined): void {
  if (secret === undefined) throw new Error('there is no webhook secret');
  ctx.set('Cache-Control', 'no-store');
  ctx.body = { object: 'webhook_secret', secret };
}
