/**
 * The playground's operations: those of the public API, by the same records and rules, for an owner who is signed in
 * instead of for a key. What they cost is booked under the account's playground key.
 */
import Router from '@koa/router';
import { GatewayError } from '../../domain/errors.ts';
import { playgroundKeyOf, playgroundKeyToLook } from '../../accounts/playground-keys.ts';
import type { ApiContext, RequestState } from '../context.ts';
import type { DependenciesNow } from '../dependencies.ts';
import { mountOperations } from '../mount-operations.ts';
import { playgroundOperations } from '../operations/all-operations.ts';
import { createQuote } from '../operations/quotes.ts';
import { accountOf, consoleApiRoot } from './mount-calls.ts';
import { refuseOtherOrigins, refuseOtherSites, signedInPerson } from './signed-in.ts';

/** A router of its own: whatever stands below this root passes `asOwner` first, and nothing administers keys. */
export function playgroundApi(now: DependenciesNow): Router<RequestState> {
  const router = new Router<RequestState>({ prefix: `${consoleApiRoot}/accounts/:account/v1`, sensitive: true });
  router.use(async (ctx, next) => {
    await asOwner(now, ctx, ctx.params['account'] ?? '');
    await next();
  });
  mountOperations(router, now, playgroundOperations);
  return router;
}

/**
 * Gives the request the account's playground key, for its owners only: an operator looks into accounts that are not
 * theirs, and spends no money of theirs. The first request that may spend makes the key. The key's own rules, and a
 * suspension, are the routes' matter as ever.
 */
async function asOwner(now: DependenciesNow, ctx: ApiContext, id: string): Promise<void> {
  const deps = now();
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  if (isRead) refuseOtherSites(ctx); // fetching some results takes them away
  else refuseOtherOrigins(ctx, deps);
  ctx.set('Cache-Control', 'no-store');
  const { person } = await signedInPerson(ctx, deps);
  ctx.state.personId = person.id;
  const { account, role } = await accountOf(person, id, deps);
  if (role !== 'owner') throw new GatewayError('permission_denied', refusals[role]);
  const [deployment] = deps.configuration.deployments;
  if (!deployment) throw new GatewayError('route_not_found', 'This gateway has no deployment.');
  const { first, ledgerKeys } = deps.secrets;
  const by = { database: deps.database, ledgerKey: first.ledger, ledgerKeys, actor: `person:${person.id}` } as const;
  ctx.state.isUnrecorded = isRead || ctx.path.endsWith(createQuote.path); // the page asks them while its reader types
  ctx.state.key = await (ctx.state.isUnrecorded ? playgroundKeyToLook(by, account) : playgroundKeyOf(by, account));
  ctx.state.deployment = deployment;
}

const refusals = {
  member: "The playground spends the account's money. Only owners of the account may use it.",
  operator: "The playground spends the account's money. Only owners of the account may use it, not operators.",
} as const;
