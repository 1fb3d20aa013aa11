/** Responses that upstreams keep: which account may go on from one, and which route made it. */
import { GatewayError } from '../../domain/errors.ts';
import { isKeepable } from '../../domain/text.ts';
import { findResponse, insertResponse } from '../../storage/responses.ts';
import { type ApiContext, keyOf } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { Call } from './call.ts';

/**
 * The provider that made a response of the caller's account; refuses with `response_not_found` any other. A call that
 * goes on from it (`param` names it then) needs a route of its model to that provider.
 */
export async function ownResponse(
  deps: ApiDependencies,
  ctx: ApiContext,
  id: string,
  param: string | undefined,
): Promise<string> {
  const isId = id.length <= 200 && isKeepable(id);
  const found = isId ? await findResponse(deps.database, id, keyOf(ctx).accountId) : undefined;
  if (!found)
    throw new GatewayError('response_not_found', 'There is no such response.', param === undefined ? {} : { param });
  if (param !== undefined) requireRoute(deps, ctx.state.model, found.provider, param);
  return found.provider;
}

/** Before anything is held: the provider may have left the model's routes since, or the model never had it. */
function requireRoute({ configuration }: ApiDependencies, id: string | undefined, name: string, param: string): void {
  const model = id === undefined ? undefined : configuration.models.get(id);
  if (!model || model.routes.some(({ provider }) => provider === name)) return;
  throw new GatewayError(
    'invalid_parameter',
    `'${model.id}' can't go on from this response: none of its routes leads to where the response was made.`,
    { param },
  );
}

/** Notes whose response it is, so that nobody else can go on from it. */
export async function keepResponse(
  deps: ApiDependencies,
  ctx: ApiContext,
  id: string,
  call: Call,
  provider: string,
): Promise<void> {
  await insertResponse(deps.database, { id, account: keyOf(ctx).accountId, model: call.model.id, provider });
}
