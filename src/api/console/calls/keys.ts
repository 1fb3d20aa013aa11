/** The keys of an account: members see them and what they do, owners make, change and revoke them. */
import * as z from 'zod';
import { GatewayError } from '../../../domain/errors.ts';
import { allows } from '../../../domain/accounts/key-rules.ts';
import { keyBody, keyChangesBody, keyChangesOf, keyRequestOf } from '../../../domain/requests/account.ts';
import { type ApiKey, changeKey, createApiKey, listKeyPage, revokeKey } from '../../../accounts/api-keys.ts';
import { findPlaygroundKeyId } from '../../../accounts/playground-keys.ts';
import { rotateKey } from '../../../accounts/rotate-key.ts';
import { listed } from '../../model-catalogue.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { type Listing, listObject, readPage } from '../../lists/list-page.ts';
import { pageRowsDefault } from '../../lists/list-query.ts';
import { found, keysQuery, namedKey, refuseRevoked } from '../../named-key.ts';
import { accountCall } from '../console-call.ts';
import { consoleKeyRecord, keyPresenter } from '../key-record.ts';
import { listOf } from '../list-record.ts';

const madeRecord = consoleKeyRecord.extend({
  key: z.string(),
  /** What to try first with it: a root of the API, and a model to chat with; null if it may chat with none. */
  example: z.strictObject({ root: z.string(), model: z.string().nullable() }),
});

const listKeys = accountCall({
  method: 'get',
  path: '/accounts/{account}/keys',
  id: 'listKeys',
  summary: 'The keys, newest first, with what they did so far',
  needs: 'member',
  query: keysQuery.extend({ state: z.enum(['active', 'all'], "must be 'active' or 'all'").optional() }),
  answer: listOf(consoleKeyRecord),
  handle: async ({ deps, account, query: { limit, cursor, state } }) => {
    // Calls that have ended are booked a moment later; the reader is to see them.
    await deps.calls.settled(account);
    const listing: Listing<ApiKey, string> = {
      read: (page) => listKeyPage(deps.database, account, { ...page, usableOnly: state === 'active' }),
      positionOf: ({ id }) => id,
      cursorOf: (id) => id,
    };
    const page = await readPage(listing, { limit: limit ?? pageRowsDefault, after: cursor });
    return listObject(page, await keyPresenter(deps, account, page.rows));
  },
});

const getKey = accountCall({
  method: 'get',
  path: '/accounts/{account}/keys/{key}',
  id: 'getKey',
  summary: 'One key, with what it did so far',
  needs: 'member',
  answer: consoleKeyRecord,
  handle: async ({ deps, account, params }) => {
    await deps.calls.settled(account);
    return shown(deps, await namedKey(deps, account, params['key']));
  },
});

const createKey = accountCall({
  method: 'post',
  path: '/accounts/{account}/keys',
  id: 'createKey',
  summary: 'Make a key; the answer shows it this once',
  needs: 'owner',
  body: keyBody,
  answer: madeRecord,
  handle: async ({ deps, account, role, by, body }) => {
    if (role === 'operator') throw notForOperators();
    const { key, secret } = await createApiKey(by, account, keyRequestOf(body, new Date()));
    return { ...(await shown(deps, key)), key: secret, example: exampleOf(key, deps) };
  },
});

const changeKeyCall = accountCall({
  method: 'patch',
  path: '/accounts/{account}/keys/{key}',
  id: 'changeKey',
  summary: 'Change name and limits of a key; what is not named stays, null lifts a limit',
  needs: 'owner',
  body: keyChangesBody,
  answer: consoleKeyRecord,
  handle: async ({ deps, account, by, params, body }) => {
    const key = await namedKey(deps, account, params['key']);
    const changes = keyChangesOf(body, new Date());
    refuseRevoked(key);
    return shown(deps, found(await changeKey(by, key.id, changes, account)));
  },
});

const hourSeconds = 3_600;
const overlapHoursMax = 30 * 24;
const overlapRule = `must be a whole number of hours from 0 to ${overlapHoursMax}`;

const rotateKeyCall = accountCall({
  method: 'post',
  path: '/accounts/{account}/keys/{key}/rotate',
  id: 'rotateKey',
  summary: 'Make a key with the same name and limits, and have this one expire after some hours; shown this once',
  needs: 'owner',
  body: z.strictObject({ overlap_hours: z.int(overlapRule).min(0, overlapRule).max(overlapHoursMax, overlapRule) }),
  answer: madeRecord,
  handle: async ({ deps, account, role, by, params, body: { overlap_hours: hours } }) => {
    if (role === 'operator') throw notForOperators();
    const old = await namedKey(deps, account, params['key']);
    refuseRevoked(old);
    if (old.expiresAt && old.expiresAt <= new Date())
      throw new GatewayError('invalid_parameter', `Key ${old.id} has expired. Create a new one instead.`);
    if (old.id === (await findPlaygroundKeyId(deps.database, account)))
      throw new GatewayError('invalid_parameter', 'The key of the playground has no secret that could be replaced.');
    const made = await rotateKey(by, old, hours * hourSeconds);
    if (!made) throw new GatewayError('invalid_parameter', `Key ${old.id} is revoked and can't be changed.`);
    return { ...(await shown(deps, made.key)), key: made.secret, example: exampleOf(made.key, deps) };
  },
});

const revokeKeyCall = accountCall({
  method: 'delete',
  path: '/accounts/{account}/keys/{key}',
  id: 'revokeKey',
  summary: 'Revoke a key for good; it stops working everywhere within 5 seconds',
  needs: 'owner',
  answer: consoleKeyRecord,
  handle: async ({ deps, account, by, params }) => {
    const { id } = await namedKey(deps, account, params['key']);
    return shown(deps, found(await revokeKey(by, id, account)));
  },
});

/** A key spends the account's money, which is not the operator's. */
const notForOperators = (): GatewayError =>
  new GatewayError(
    'permission_denied',
    'Only owners of the account make its keys. Invite an owner, or run `tollgate keys create` where the gateway runs.',
  );

export const keyCalls = [listKeys, getKey, createKey, changeKeyCall, rotateKeyCall, revokeKeyCall];

/** One key as it is shown. */
async function shown(deps: ApiDependencies, key: ApiKey) {
  return (await keyPresenter(deps, key.accountId, [key]))(key);
}

function exampleOf(key: ApiKey, { configuration }: ApiDependencies): { root: string; model: string | null } {
  const model = allows(key.level, 'chat') && listed(key, configuration).find(({ kind }) => kind === 'chat');
  return { root: configuration.deployments[0]?.root ?? '/v1', model: model ? model.id : null };
}
