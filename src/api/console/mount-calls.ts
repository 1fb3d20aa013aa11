/** From the records of calls to routes: origin, session, role, body, query, then the call itself. */
import Router from '@koa/router';
import * as z from 'zod';
import type { AccountId } from '../../domain/ids.ts';
import { GatewayError } from '../../domain/errors.ts';
import { parseWith } from '../../domain/requests/parse.ts';
import { findAccount } from '../../accounts/accounts.ts';
import { type Person, roleOf } from '../../accounts/people.ts';
import { namesOf } from '../body/json-names.ts';
import { requestJson, requestJsonOfUnknown } from '../body/request-json.ts';
import type { ApiContext, RequestState } from '../context.ts';
import type { ApiDependencies, DependenciesNow } from '../dependencies.ts';
import { readQuery } from '../lists/list-query.ts';
import { routePath } from '../operation.ts';
import type { Call, Caller, Needs, RoleHere } from './console-call.ts';
import { calls } from './all-calls.ts';
import { refuseOtherOrigins, signedInPerson } from './signed-in.ts';
import { consoleDocument } from './console-document.ts';

export const consoleApiRoot = '/console/api';
/** The largest body is a key with a list of models. */
const bodyBytesMax = 256 * 1024;

/** The console's API: a router of its own, so that a look at it shows all there is. */
export function consoleApi(now: DependenciesNow): Router<RequestState> {
  const router = new Router<RequestState>({ prefix: consoleApiRoot, sensitive: true });
  router.get('/openapi.json', (ctx) => {
    ctx.body = consoleDocument();
  });
  for (const call of calls) {
    router[call.method](routePath(call.path), async (ctx) => answer(call, ctx, ctx.params, now()));
  }
  return router;
}

async function answer(
  call: Call,
  ctx: ApiContext,
  params: Readonly<Record<string, string>>,
  deps: ApiDependencies,
): Promise<void> {
  if (call.method !== 'get') refuseOtherOrigins(ctx, deps);
  ctx.set('Cache-Control', 'no-store');
  let caller = await callerOf(call, ctx, params, deps);
  let body: unknown;
  if (call.body) {
    body = parseWith(call.body, await valueOf(call.needs, call.body, ctx, deps));
    // A body may take its time, and its sender may have been signed out meanwhile.
    caller = await callerOf(call, ctx, params, deps);
  }
  const query = call.query ? readQuery(call.query, ctx.query) : {};
  const answered = await call.run({ ctx, deps, params, query, body, ...caller });
  if (call.media !== undefined) return;
  if (answered === undefined) ctx.status = 204;
  else ctx.body = answered;
}

/** The caller of a call that needs no session is not known yet, so its body is a small one. */
async function valueOf(needs: Needs, schema: z.ZodType, ctx: ApiContext, deps: ApiDependencies): Promise<unknown> {
  const names = schema instanceof z.ZodObject ? namesOf(schema) : new Set<string>();
  const body =
    needs === 'none'
      ? await requestJsonOfUnknown(deps, ctx, names)
      : await requestJson(deps, ctx, { bytesMax: bodyBytesMax, names });
  return body.value;
}

/** The caller, with all that the call needs; else 401, 403, or 404 for an account that is none of theirs. */
async function callerOf(
  { needs }: Call,
  ctx: ApiContext,
  params: Readonly<Record<string, string>>,
  deps: ApiDependencies,
): Promise<Caller> {
  if (needs === 'none') return {};
  const { person, sessionId } = await signedInPerson(ctx, deps);
  ctx.state.personId = person.id;
  const by = { database: deps.database, ledgerKey: deps.secrets.first.ledger, actor: `person:${person.id}` } as const;
  if (needs === 'operator' && !person.isOperator) {
    throw new GatewayError('permission_denied', 'Only operators of the gateway may do this.');
  }
  if (needs === 'person' || needs === 'operator') return { person, sessionId, by };
  const { account, role } = await accountOf(person, params['account'] ?? '', deps);
  if (needs === 'owner' && role === 'member') {
    throw new GatewayError('permission_denied', 'Only owners of the account may do this. You have read access.');
  }
  return { person, sessionId, by, account, role };
}

/** The account of the path and what the person is to it. Another's account is refused like an unknown one. */
export async function accountOf(
  person: Person,
  id: string,
  { database, secrets }: ApiDependencies,
): Promise<{ account: AccountId; role: RoleHere }> {
  if (accountForm.test(id)) {
    const role = await roleOf(database, secrets.ledgerKeys, person.id, id);
    if (role) return { account: id as AccountId, role };
    const found = person.isOperator ? await findAccount(database, id) : undefined;
    if (found) return { account: found.id, role: 'operator' };
  }
  throw new GatewayError('route_not_found', 'Account not found, or you have no access to it.');
}

const accountForm = /^acc_[0-9a-f]{32}$/;
