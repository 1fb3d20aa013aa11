/** The account that a key belongs to, and its balance. */
import type Router from '@koa/router';
import { GatewayError } from '../../domain/errors.ts';
import { findAccount } from '../../accounts/accounts.ts';
import { keyOf, type RequestState } from '../context.ts';
import type { DependenciesNow } from '../dependencies.ts';
import { authenticated } from '../middleware/authenticated.ts';
import { accountObject } from '../presenters/account.ts';

export function accountRoutes(router: Router<RequestState>, now: DependenciesNow): void {
  router.get('/account', authenticated(now().keys, 'read'), async (ctx) => {
    const { calls, database } = now();
    await calls.settled(keyOf(ctx).accountId);
    const account = await findAccount(database, keyOf(ctx).accountId);
    if (!account) throw new GatewayError('internal_error', 'This account no longer exists.');
    ctx.body = accountObject(account);
  });
}
