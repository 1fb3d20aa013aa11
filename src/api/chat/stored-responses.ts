/** Responses that upstreams keep: which account may go on from one, and which route made it. */
import { GatewayError } from '../../domain/errors.ts';
import { findResponse, insertResponse } from '../../storage/responses.ts';
import { type ApiContext, keyOf } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';
import type { Call } from './call.ts';

/** The provider that made a response of the caller's account; refuses with `response_not_found` any other. */
export async function ownResponse(
  deps: ApiDependencies,
  ctx: ApiContext,
  id: string,
  param: string | undefined,
): Promise<string> {
  const found = id.length <= 200 ? await findResponse(deps.database, id, keyOf(ctx).accountId) : undefined;
  if (found) return found.provider;
  throw new GatewayError('response_not_found', 'There is no such response.', param === undefined ? {} : { param });
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
