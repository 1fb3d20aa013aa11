/** The account's API keys in the document. */
import * as z from 'zod';
import { keyLevels, windows } from '../../domain/accounts/key-rules.ts';
import { keyBody, keyChangesBody } from '../../domain/requests/account.ts';
import { keysQuery } from '../routes/account-keys.ts';
import { exampleIds } from './example-ids.ts';
import type { Group, JsonSchema } from './operation.ts';
import { queryParameters } from './queries.ts';
import { answer, listOfRecords, refOf, request } from './schemas.ts';

const per = z.enum(windows).describe("The calendar's, in UTC.");
export const keyFields = {
  id: z.string(),
  object: z.literal('api_key'),
  name: z.string(),
  level: z.enum(keyLevels).describe('Each level contains the one before.'),
  models: z.array(z.string()).nullable().describe('The models that it may use; null: all.'),
  call_limits: z.array(z.strictObject({ calls: z.int(), per })),
  spend_limit: z.strictObject({ amount: z.number().describe('Yuan.'), per }).nullable(),
  max_running_tasks: z.int().nullable(),
  expires_at: z.iso.datetime().nullable(),
  created: z.int().describe('Unix seconds.'),
  last_used: z.int().nullable().describe('Unix seconds.'),
  start: z.string().describe('The first 10 characters of the key.'),
  last4: z.string(),
  revoked: z.boolean(),
};
const key = answer('ApiKey', z.strictObject(keyFields));
const newKey = answer(
  'NewApiKey',
  z.strictObject({ ...keyFields, key: z.string().describe('The key itself, shown only once.') }),
);
const keyList = listOfRecords('ApiKeyList', key);

const words = {
  name: 'Display name.',
  models: 'Ids of the models that it may use; null: all.',
  call_limits: 'How many calls it may make in a window.',
  spend_limit: 'How many yuan it may spend in a window.',
  max_running_tasks: 'How many of its tasks may run at once.',
  expires_at: 'When it stops to work, in ISO 8601.',
};
const keyRequest = request('ApiKeyRequest', keyBody, { ...words, level: 'Default `standard`.' });
const keyChanges = request('ApiKeyChanges', keyChangesBody, words);

const id: JsonSchema = {
  name: 'id',
  in: 'path',
  required: true,
  description: "The key's id.",
  schema: { type: 'string', pattern: '^key_[0-9a-f]{32}$' },
  example: exampleIds.key,
};
const keyContent = { 'application/json': { schema: refOf(key) } };

export const keyOperations: Group = () => [
  {
    method: 'post',
    path: '/account/keys',
    id: 'createKey',
    tag: 'Keys',
    level: 'admin',
    summary: 'Create a key',
    body: {
      content: {
        'application/json': {
          schema: keyRequest,
          example: { name: 'batch jobs', level: 'standard', call_limits: [{ calls: 60, per: 'minute' }] },
        },
      },
    },
    answers: {
      201: {
        description: 'The key, shown only once.',
        content: { 'application/json': { schema: refOf(newKey) } },
        next: ['getKey', 'changeKey', 'revokeKey'],
      },
    },
  },
  {
    method: 'get',
    path: '/account/keys',
    id: 'listKeys',
    tag: 'Keys',
    level: 'admin',
    summary: 'The keys, newest first',
    parameters: queryParameters(keysQuery, {}),
    answers: { 200: { description: 'A page.', content: { 'application/json': { schema: refOf(keyList) } } } },
    errors: ['invalid_parameter'],
  },
  {
    method: 'get',
    path: '/account/keys/{id}',
    id: 'getKey',
    tag: 'Keys',
    level: 'admin',
    summary: 'One key',
    parameters: [id],
    answers: { 200: { description: 'The key.', content: keyContent } },
    errors: ['route_not_found'],
  },
  {
    method: 'patch',
    path: '/account/keys/{id}',
    id: 'changeKey',
    tag: 'Keys',
    level: 'admin',
    summary: 'Change name and limits of a key',
    description: 'Omitted fields are unchanged; null removes a limit.',
    parameters: [id],
    body: { content: { 'application/json': { schema: keyChanges, example: { max_running_tasks: 5 } } } },
    answers: { 200: { description: 'The updated key.', content: keyContent } },
    errors: ['route_not_found'],
  },
  {
    method: 'delete',
    path: '/account/keys/{id}',
    id: 'revokeKey',
    tag: 'Keys',
    level: 'admin',
    summary: 'Revoke a key',
    description: 'It stops working everywhere within 5 seconds, and stays in the list.',
    parameters: [id],
    answers: { 200: { description: 'The revoked key.', content: keyContent } },
    errors: ['route_not_found'],
  },
];
