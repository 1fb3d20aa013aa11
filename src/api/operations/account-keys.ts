/** The API keys of an account: making, listing, changing and revoking them, for its admin keys. */
import * as z from 'zod';
import { refuseBeyond } from '../../domain/accounts/key-bounds.ts';
import { keyBody, keyChangesBody, parseKeyChanges, parseKeyRequest } from '../../domain/requests/account.ts';
import { type ApiKey, changeKey, createApiKey, listKeyPage, revokeKey } from '../../accounts/api-keys.ts';
import { administratorBy, administratorOf, freshKeyOf } from '../acting-administrator.ts';
import { keyOf } from '../context.ts';
import { found, keysQuery, namedKey, refuseRevoked } from '../named-key.ts';
import { exampleIds } from '../openapi/example-ids.ts';
import { exampleCreated, examplePage, one } from '../openapi/examples.ts';
import { jsonBody } from '../openapi/json-body.ts';
import { pathParameter } from '../openapi/parameters.ts';
import { queryParameters } from '../openapi/queries.ts';
import { answer, listOfRecords } from '../openapi/schemas.ts';
import { keyFields, keyObject, keyRecord } from '../presenters/keys.ts';
import { type Listing, listObject, readPage } from '../lists/list-page.ts';
import { pageRowsDefault } from '../lists/list-query.ts';
import { operation } from '../public-operation.ts';

const words = {
  name: 'Display name.',
  models: 'Ids of the models that it may use; null: all.',
  call_limits: 'How many calls it may make in a window.',
  spend_limit: 'How much it may spend in a window.',
  max_running_tasks: 'How many of its tasks may run at once.',
  queue:
    'Whether up to 10,000 tasks beyond `max_running_tasks` are accepted and wait for their turn, up to seven days. They are refused without.',
  expires_at: 'When it stops to work, in ISO 8601.',
  allowed_ips: 'Addresses and CIDR ranges, IPv4 or IPv6, from which it may be used; null or empty: all.',
};
const parameters = [pathParameter('id', "The key's id.", exampleIds.key, '^key_[0-9a-f]{32}$')];
const keyExample = {
  id: exampleIds.key,
  object: 'api_key',
  name: 'batch jobs',
  level: 'standard',
  models: null,
  call_limits: [{ calls: 60, per: 'minute' }],
  spend_limit: null,
  max_running_tasks: null,
  queue: false,
  expires_at: null,
  allowed_ips: null,
  created: exampleCreated,
  created_by: 'person',
  last_used: null,
  start: 'sk-tg-AbCd',
  last4: 'wXyZ',
  revoked: false,
};

const createKey = operation({
  method: 'post',
  path: '/account/keys',
  id: 'createKey',
  tag: 'Keys',
  level: 'admin',
  summary: 'Create a key',
  body: {
    ...jsonBody('ApiKeyRequest', keyBody, {
      words: { ...words, level: 'Default `standard`.' },
      shown: () => ({
        example: { name: 'batch jobs', level: 'standard', call_limits: [{ calls: 60, per: 'minute' }] },
      }),
    }),
    parse: (body) => parseKeyRequest(body, new Date()),
  },
  answer: answer(
    'NewApiKey',
    z.strictObject({ ...keyFields, key: z.string().describe('The key itself, shown only once.') }),
  ),
  responses: {
    201: {
      description: 'The key, shown only once.',
      examples: () => one('The key', { ...keyExample, key: `${keyExample.start}${'x'.repeat(35)}${keyExample.last4}` }),
      next: ['getKey', 'changeKey', 'revokeKey'],
    },
  },
  handle: async ({ ctx, deps, body: wanted }) => {
    const asking = await freshKeyOf(ctx, deps);
    refuseBeyond(asking, wanted);
    const { key, secret } = await createApiKey(administratorBy(asking, deps), asking.accountId, wanted);
    ctx.set('Cache-Control', 'no-store');
    return { ...keyObject(key), key: secret };
  },
});

const listKeys = operation({
  method: 'get',
  path: '/account/keys',
  id: 'listKeys',
  tag: 'Keys',
  level: 'admin',
  summary: 'Keys, newest first',
  query: keysQuery,
  parameters: queryParameters(keysQuery, {}),
  answer: listOfRecords('ApiKeyList', keyRecord),
  responses: { 200: { description: 'A page.', examples: () => one('A page', examplePage(keyExample)) } },
  errors: ['invalid_parameter'],
  handle: async ({ ctx, deps: { database }, query: { limit = pageRowsDefault, cursor: after } }) => {
    // Newest first: ids are ordered by time.
    const listing: Listing<ApiKey, string> = {
      read: (page) => listKeyPage(database, keyOf(ctx).accountId, page),
      positionOf: ({ id }) => id,
      cursorOf: (id) => id,
    };
    return listObject(await readPage(listing, { limit, after }), keyObject);
  },
});

const getKey = operation({
  method: 'get',
  path: '/account/keys/{id}',
  id: 'getKey',
  tag: 'Keys',
  level: 'admin',
  summary: 'One key',
  parameters,
  answer: keyRecord,
  responses: { 200: { description: 'The key.', examples: () => one('The key', keyExample) } },
  errors: ['route_not_found'],
  handle: async ({ ctx, deps, params }) => keyObject(await namedKey(deps, keyOf(ctx).accountId, params['id'])),
});

const changeKeyOperation = operation({
  method: 'patch',
  path: '/account/keys/{id}',
  id: 'changeKey',
  tag: 'Keys',
  level: 'admin',
  summary: 'Update name and limits of a key',
  description: 'Omitted fields are unchanged; null removes a limit.',
  parameters,
  body: jsonBody('ApiKeyChanges', keyChangesBody, {
    words,
    shown: () => ({ example: { max_running_tasks: 5 } }),
    names: keyBody, // of which those of a change are some
  }),
  answer: keyRecord,
  responses: {
    200: {
      description: 'The updated key.',
      examples: () => one('The key', { ...keyExample, max_running_tasks: 5 }),
    },
  },
  errors: ['route_not_found'],
  handle: async ({ ctx, deps, params, body }) => {
    const key = await namedKey(deps, keyOf(ctx).accountId, params['id']);
    const changes = parseKeyChanges(body, new Date());
    refuseRevoked(key);
    const asking = await freshKeyOf(ctx, deps);
    refuseBeyond(asking, changes);
    return keyObject(found(await changeKey(administratorBy(asking, deps), key.id, changes, key.accountId)));
  },
});

const revokeKeyOperation = operation({
  method: 'delete',
  path: '/account/keys/{id}',
  id: 'revokeKey',
  tag: 'Keys',
  level: 'admin',
  summary: 'Revoke a key',
  description: 'It stops working everywhere within 5 seconds, and stays in the list.',
  parameters,
  answer: keyRecord,
  responses: {
    200: { description: 'The revoked key.', examples: () => one('The key', { ...keyExample, revoked: true }) },
  },
  errors: ['route_not_found'],
  handle: async ({ ctx, deps, params }) => {
    const { id, accountId } = await namedKey(deps, keyOf(ctx).accountId, params['id']);
    return keyObject(found(await revokeKey(await administratorOf(ctx, deps), id, accountId)));
  },
});

export const keyOperations = [createKey, listKeys, getKey, changeKeyOperation, revokeKeyOperation];
