/** The API keys of an account: making, listing, changing and revoking them, for its admin keys. */
import type Router from '@koa/router';
import * as z from 'zod';
import { GatewayError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/ids.ts';
import { refuseBeyond } from '../../domain/accounts/key-bounds.ts';
import { keyBody, parseKeyChanges, parseKeyRequest } from '../../domain/requests/account.ts';
import { type ApiKey, changeKey, createApiKey, findKey, listKeyPage, revokeKey } from '../../accounts/api-keys.ts';
import type { Database } from '../../postgres/database.ts';
import { administratorBy, administratorOf, freshKeyOf } from '../acting-administrator.ts';
import { namesOf } from '../body/json-names.ts';
import { requestJson } from '../body/request-json.ts';
import { type Listing, listObject, readPage } from '../lists/list-page.ts';
import { cursorRule, limit, pageRowsDefault, readQuery } from '../lists/list-query.ts';
import { type ApiContext, keyOf, type RequestState } from '../context.ts';
import type { ApiDependencies, DependenciesNow } from '../dependencies.ts';
import { authenticated } from '../middleware/authenticated.ts';
import { keyObject } from '../presenters/account.ts';

export function accountKeyRoutes(router: Router<RequestState>, now: DependenciesNow): void {
  const admin = authenticated(now().keys, 'admin');

  router.post('/account/keys', admin, async (ctx) => {
    const deps = now();
    const wanted = parseKeyRequest(await bodyOf(ctx, deps), new Date());
    const asking = await freshKeyOf(ctx, deps);
    refuseBeyond(asking, wanted);
    const { key, secret } = await createApiKey(administratorBy(asking, deps), asking.accountId, wanted);
    ctx.status = 201;
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { ...keyObject(key), key: secret };
  });

  router.get('/account/keys', admin, async (ctx) => {
    const { limit: asked, cursor: after } = readQuery(keysQuery, ctx.query);
    const listing = keyListing(now().database, keyOf(ctx).accountId);
    ctx.body = listObject(await readPage(listing, { limit: asked ?? pageRowsDefault, after }), listing.present);
  });

  router.get('/account/keys/:id', admin, async (ctx) => {
    ctx.body = keyObject(await namedKey(now(), keyOf(ctx).accountId, ctx.params['id']));
  });

  router.patch('/account/keys/:id', admin, async (ctx) => {
    const deps = now();
    const body = await bodyOf(ctx, deps);
    const key = await namedKey(deps, keyOf(ctx).accountId, ctx.params['id']);
    const changes = parseKeyChanges(body, new Date());
    refuseRevoked(key);
    const asking = await freshKeyOf(ctx, deps);
    refuseBeyond(asking, changes);
    const { id, accountId } = key;
    ctx.body = keyObject(found(await changeKey(administratorBy(asking, deps), id, changes, accountId)));
  });

  router.delete('/account/keys/:id', admin, async (ctx) => {
    const deps = now();
    const { id, accountId } = await namedKey(deps, keyOf(ctx).accountId, ctx.params['id']);
    ctx.body = keyObject(found(await revokeKey(await administratorOf(ctx, deps), id, accountId)));
  });
}

/** Those of a change are among those of a new key. */
const names = namesOf(keyBody);
const bodyOf = async (ctx: ApiContext, deps: ApiDependencies): Promise<unknown> =>
  (await requestJson(deps, ctx, { names })).value;

/** The key of that id. One of another account is not told from one that never was: `route_not_found`. */
export async function namedKey({ database }: ApiDependencies, account: AccountId, id = ''): Promise<ApiKey> {
  const key = idForm.test(id) ? await findKey(database, id) : undefined;
  return found(key?.accountId === account ? key : undefined);
}

export function found(key: ApiKey | undefined): ApiKey {
  if (!key) throw new GatewayError('route_not_found', 'This account has no key with this id.');
  return key;
}

/** Refuses with `invalid_parameter` to change a key that is revoked. */
export function refuseRevoked({ id, revoked }: ApiKey): void {
  if (revoked) throw new GatewayError('invalid_parameter', `Key ${id} is revoked and can't be changed.`);
}

const idForm = /^key_[0-9a-f]{32}$/;
export const keysQuery = z.object({ limit, cursor: z.string(cursorRule).regex(idForm, cursorRule).optional() });

/** Newest first: ids are ordered by time. */
const keyListing = (database: Database, account: AccountId): Listing<ApiKey, string> => ({
  read: (page) => listKeyPage(database, account, page),
  placeOf: ({ id }) => id,
  cursorOf: (id) => id,
  present: keyObject,
});
