/** Responses that upstreams keep: which account may go on from one, and which route made it. */
import { GatewayError } from '../domain/errors.ts';
import { isKeepable } from '../domain/text.ts';
import { findResponse, insertResponse, noteContext, type StoredResponse } from './response-rows.ts';
import type { TokenCounts } from '../domain/billing/pricing.ts';
import { type ApiContext, keyOf } from '../api/context.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import type { Call } from './call.ts';

/**
 * A response of the caller's account, with the provider that made it; refuses with `response_not_found` any other. A call that
 * goes on from it (`param` names it then) needs a route of its model to that provider.
 */
export async function ownResponse(
  deps: ApiDependencies,
  ctx: ApiContext,
  id: string,
  param: string | undefined,
): Promise<StoredResponse> {
  const isId = id.length <= 200 && isKeepable(id);
  const found = isId ? await findResponse(deps.database, id, keyOf(ctx).accountId) : undefined;
  if (!found) throw new GatewayError('response_not_found', 'Response not found.', param === undefined ? {} : { param });
  if (param !== undefined) requireRoute(deps, ctx.state.model, found.provider, param);
  return found;
}

/** The response that a call goes on from, if it does. */
export async function responseBefore(
  deps: ApiDependencies,
  ctx: ApiContext,
  { previousResponseId: id }: Call,
): Promise<StoredResponse | undefined> {
  return id === undefined ? undefined : await ownResponse(deps, ctx, id, 'previous_response_id');
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

/** Notes whose response it is, so that no other account can go on from it; and how long it is by `usage`, once that is known. */
export async function keepResponse(
  deps: ApiDependencies,
  ctx: ApiContext,
  response: { id: string; call: Call; provider: string; usage?: TokenCounts | undefined },
): Promise<void> {
  const { id, call, provider, usage } = response;
  const account = keyOf(ctx).accountId;
  await insertResponse(deps.database, { id, account, model: call.model.id, provider, contextTokens: lengthBy(usage) });
}

/** Notes how long a response is that was noted before, so that a call which goes on from it is held in full. */
export async function noteLength(
  deps: ApiDependencies,
  ctx: ApiContext,
  id: string,
  usage: TokenCounts,
): Promise<void> {
  await noteContext(deps.database, { id, account: keyOf(ctx).accountId, contextTokens: lengthBy(usage) });
}

/** All that was said so far, reasoning included, which vendors leave out again. */
const lengthBy = (usage: TokenCounts | undefined): number | undefined => usage && usage.input + usage.output;
