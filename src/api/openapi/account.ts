/** The account, its ledger, usage and settings in the document. */
import * as z from 'zod';
import { entryTypes } from '../../domain/billing/postings.ts';
import { accountChangesBody } from '../../domain/requests/account.ts';
import { ledgerQuery } from '../routes/ledger.ts';
import { usageQuery } from '../routes/usage.ts';
import { exampleIds } from './example-ids.ts';
import { headers } from './headers.ts';
import type { Answer, Group, JsonSchema } from './operation.ts';
import { queryParameters } from './queries.ts';
import { answer, listOfRecords, refOf, request } from './schemas.ts';

const yuan = z.number();
const unixSeconds = z.int().describe('Unix seconds.');

export const accountFields = {
  object: z.literal('account'),
  id: z.string(),
  name: z.string(),
  currency: z.literal('CNY'),
  balance: yuan.describe('Available balance in yuan.'),
  held: yuan.describe('On hold for running tasks and calls, not included in the balance.'),
  webhook_url: z.string().nullable().describe("The default for the account's tasks."),
  low_balance: yuan.nullable().describe('The webhook is notified when the balance falls below this many yuan.'),
};
export const accountAnswer = answer('Account', z.strictObject(accountFields));

const accountRequest = request('AccountChanges', accountChangesBody, {
  webhook_url: "The default for the account's tasks; null clears it.",
  low_balance:
    'The webhook receives `account.balance_low` when the balance falls below this many yuan; null clears it.',
});

/** A line of what a call costs. */
export const costLine = answer(
  'CostLine',
  z.strictObject({
    unit: z.enum(['input_token', 'cached_input_token', 'output_token', 'minimum_charge']),
    units: z.number(),
    unit_price: z.number().describe('Yuan.'),
    amount: yuan,
  }),
);

export const entryFields = {
  id: z.string(),
  object: z.literal('ledger_entry'),
  created: unixSeconds,
  type: z.enum(entryTypes),
  amount: yuan.describe('Signed, on the available balance.'),
  balance: yuan.describe('Available balance after this entry.'),
  charged: yuan.describe('Amount charged by this entry, in yuan.'),
  task_id: z.string().nullable(),
  request_id: z.string().nullable(),
  key_id: z.string().nullable(),
  model: z.string().nullable(),
  units: z.number().nullable(),
  unit: z.string().nullable().describe('`image`, `second` or `token`.'),
  unit_price: z.number().nullable(),
  usage_source: z.string().nullable().describe('`upstream` or `estimated`.'),
  lines: z.array(costLine).optional().describe('Of a chat call.'),
  reason: z.string().optional(),
};
const entry = answer('LedgerEntry', z.strictObject(entryFields));

export const usageFields = {
  calls: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  images: z.number(),
  seconds: z.number(),
  tokens: z.int(),
  cost: yuan,
};
const usage = answer(
  'UsageRow',
  z.strictObject({
    object: z.literal('usage'),
    day: z.string().optional().describe('With `group_by=day`.'),
    model: z.string().optional().describe('With `group_by=model`.'),
    key_id: z.string().optional().describe('With `group_by=key`.'),
    ...usageFields,
  }),
);

const secret = answer(
  'WebhookSecret',
  z.strictObject({
    object: z.literal('webhook_secret'),
    secret: z.string().describe('`whsec_…`, as Standard Webhooks has it.'),
  }),
);

const ok = (description: string, schema: JsonSchema): Record<number, Answer> => ({
  200: { description, content: { 'application/json': { schema } } },
});

const listed = (list: z.ZodType, columns: string): Record<number, Answer> => ({
  200: {
    description: 'A page; with `Accept: text/csv` as CSV, and then the whole list unless `limit` or `cursor` is sent.',
    headers: headers('Link'),
    content: {
      'application/json': { schema: refOf(list) },
      'text/csv': { schema: { type: 'string' }, example: columns },
    },
  },
});

const ledgerCsv = [
  'id,object,created,type,amount,balance,charged,task_id,request_id,key_id,model,units,unit,unit_price,usage_source,lines,reason',
  `${exampleIds.entry},ledger_entry,1767225602,capture,0,99.8,0.2,${exampleIds.image},${exampleIds.request},${exampleIds.key},sim-image,1,image,0.2,,,`,
  '',
].join('\r\n');
const usageCsv = [
  'object,day,calls,input_tokens,output_tokens,images,seconds,tokens,cost',
  'usage,2026-01-01,7,20,60,2,5,80,0.90078',
  '',
].join('\r\n');

export const accountOperations: Group = () => [
  {
    method: 'get',
    path: '/account',
    id: 'getAccount',
    tag: 'Account',
    level: 'read',
    summary: 'The account and its balance',
    answers: ok('The account.', refOf(accountAnswer)),
  },
  {
    method: 'patch',
    path: '/account',
    id: 'changeAccount',
    tag: 'Account',
    level: 'admin',
    summary: 'Update account settings',
    body: { content: { 'application/json': { schema: accountRequest, example: { low_balance: 10 } } } },
    answers: ok('The updated account.', refOf(accountAnswer)),
  },
  {
    method: 'get',
    path: '/account/ledger',
    id: 'listLedger',
    tag: 'Account',
    level: 'read',
    summary: 'Entries of the ledger, newest first',
    parameters: queryParameters(ledgerQuery, {
      task_id: 'Only entries of this task.',
      request_id: 'Only entries of this request.',
      type: 'Only entries of this type.',
    }),
    answers: listed(listOfRecords('LedgerPage', entry), ledgerCsv),
    errors: ['invalid_parameter'],
  },
  {
    method: 'get',
    path: '/account/usage',
    id: 'listUsage',
    tag: 'Account',
    level: 'read',
    summary: 'Usage and cost by day, model or key',
    parameters: queryParameters(usageQuery, { group_by: 'How rows are grouped.' }),
    answers: listed(listOfRecords('UsagePage', usage), usageCsv),
    errors: ['invalid_parameter'],
  },
  {
    method: 'get',
    path: '/account/webhook-secret',
    id: 'getWebhookSecret',
    tag: 'Account',
    level: 'admin',
    summary: "The secret that the account's webhooks are signed with",
    answers: ok('The secret.', refOf(secret)),
  },
  {
    method: 'post',
    path: '/account/webhook-secret/rotate',
    id: 'rotateWebhookSecret',
    tag: 'Account',
    level: 'admin',
    summary: 'Rotate the webhook secret',
    description: 'For 24 hours, deliveries carry the signatures of both secrets.',
    answers: ok('The new secret.', refOf(secret)),
  },
];
