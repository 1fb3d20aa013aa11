/** The account that a key belongs to: its balance, and what its admin keys may set of it. */
import { GatewayError } from '../../domain/errors.ts';
import { accountChangesBody, parseAccountChanges } from '../../domain/requests/account.ts';
import { changeAccount, findAccount } from '../../accounts/accounts.ts';
import { checkWebhookUrl } from '../../tasks/create/caller-addresses.ts';
import { administratorOf } from '../acting-administrator.ts';
import { keyOf } from '../context.ts';
import { exampleIds } from '../openapi/example-ids.ts';
import { one } from '../openapi/examples.ts';
import { jsonBody } from '../openapi/json-body.ts';
import { accountObject, accountRecord } from '../presenters/account.ts';
import { type GatewayFacts, operation } from '../public-operation.ts';

const account = ({ currency }: GatewayFacts) => ({
  object: 'account',
  id: exampleIds.account,
  name: 'Example',
  currency,
  balance: 99.8,
  held: 0,
  webhook_url: null,
  low_balance: null,
  time_zone: 'UTC',
});

export const getAccount = operation({
  method: 'get',
  path: '/account',
  id: 'getAccount',
  tag: 'Account',
  level: 'read',
  summary: 'The account and its balance',
  answer: accountRecord,
  responses: { 200: { description: 'The account.', examples: (facts) => one('The account', account(facts)) } },
  handle: async ({ ctx, deps: { calls, configuration, database } }) => {
    const { accountId } = keyOf(ctx);
    await calls.settled(accountId);
    const found = await findAccount(database, accountId);
    if (!found) throw new GatewayError('internal_error', 'This account no longer exists.');
    return accountObject(found, configuration.currency);
  },
});

export const changeAccountSettings = operation({
  method: 'patch',
  path: '/account',
  id: 'changeAccount',
  tag: 'Account',
  level: 'admin',
  summary: 'Update account settings',
  body: {
    ...jsonBody('AccountChanges', accountChangesBody, {
      words: {
        name: 'A display name.',
        webhook_url: "The default for the account's tasks; null clears it.",
        low_balance:
          'The webhook receives `account.balance_low` when the balance falls below this amount; null clears it.',
        time_zone: 'Of the days and months that the console shows: a name such as `Asia/Shanghai`; null: UTC.',
      },
      shown: () => ({ example: { low_balance: 10 } }),
    }),
    parse: parseAccountChanges,
  },
  answer: accountRecord,
  responses: {
    200: {
      description: 'The updated account.',
      examples: (facts) => one('The account', { ...account(facts), low_balance: 10 }),
    },
  },
  handle: async ({ ctx, deps, body: changes }) => {
    const { accountId } = keyOf(ctx);
    if (typeof changes.webhookUrl === 'string') await checkWebhookUrl(deps, { webhookUrl: changes.webhookUrl });
    await deps.calls.settled(accountId);
    const changed = await changeAccount(await administratorOf(ctx, deps), accountId, changes);
    if (!changed) throw new Error(`account ${accountId} is gone`);
    return accountObject(changed, deps.configuration.currency);
  },
});
