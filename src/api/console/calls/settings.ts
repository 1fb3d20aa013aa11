/** What owners set of their account, and what the operator set for all: shown together. */
import * as z from 'zod';
import { changeAccount, findAccount } from '../../../accounts/accounts.ts';
import type { AccountId } from '../../../domain/ids.ts';
import { accountChangesBody, accountChangesOf } from '../../../domain/requests/account.ts';
import { checkWebhookUrl } from '../../../tasks/create/caller-addresses.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { accountFields, accountObject } from '../../presenters/account.ts';
import { accountCall } from '../console-call.ts';

const { name, time_zone, low_balance, webhook_url } = accountFields;
const record = z.strictObject({
  ...{ name, time_zone, low_balance, webhook_url },
  result_retention_days: z.int().describe('How long results of tasks are kept.'),
  request_retention_days: z.int().describe('How long records of requests are kept.'),
});

const getSettings = accountCall({
  method: 'get',
  path: '/accounts/{account}/settings',
  id: 'getSettings',
  summary: 'Name, time zone and alert of the account, and how long things are kept',
  needs: 'member',
  answer: record,
  handle: ({ deps, account }) => settingsOf(deps, account),
});

const changeSettings = accountCall({
  method: 'patch',
  path: '/accounts/{account}/settings',
  id: 'changeSettings',
  summary: 'Set what is named; the rest stays, null clears',
  needs: 'owner',
  body: accountChangesBody,
  answer: record,
  handle: async ({ deps, account, by, body }) => {
    const changes = accountChangesOf(body);
    if (typeof changes.webhookUrl === 'string') await checkWebhookUrl(deps, { webhookUrl: changes.webhookUrl });
    await changeAccount(by, account, changes);
    return settingsOf(deps, account);
  },
});

export const settingsCalls = [getSettings, changeSettings];

async function settingsOf(
  { configuration, database }: ApiDependencies,
  id: AccountId,
): Promise<z.input<typeof record>> {
  const account = await findAccount(database, id);
  if (!account) throw new Error(`account ${id} is gone`);
  const { name, time_zone, low_balance, webhook_url } = accountObject(account, configuration.currency);
  return {
    ...{ name, time_zone, low_balance, webhook_url },
    result_retention_days: configuration.retentionDays,
    request_retention_days: configuration.requestRetentionDays,
  };
}
