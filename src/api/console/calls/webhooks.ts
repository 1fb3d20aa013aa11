/** The webhook of an account: its address, its secret, and trying it. */
import * as z from 'zod';
import { GatewayError } from '../../../domain/errors.ts';
import type { AccountId } from '../../../domain/ids.ts';
import { toAmount } from '../../../domain/money.ts';
import { accountChangesBody, accountChangesOf } from '../../../domain/requests/account.ts';
import { changeAccount, findAccount } from '../../../accounts/accounts.ts';
import { checkWebhookUrl } from '../../../tasks/create/caller-addresses.ts';
import { sendTestEvent } from '../../../webhooks/test-event.ts';
import { rotateWebhookSecret, webhookSecrets } from '../../../webhooks/webhook-secrets.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { accountCall, type RoleHere } from '../console-call.ts';

const settingsRecord = z.strictObject({
  webhook_url: z.string().nullable(),
  /** An amount. */
  low_balance: z.number().nullable(),
});

const getSettings = accountCall({
  method: 'get',
  path: '/accounts/{account}/webhook',
  id: 'getWebhook',
  summary: 'Where events go, and below which balance there is one',
  needs: 'owner',
  answer: settingsRecord,
  handle: ({ deps, account }) => settingsOf(deps, account),
});

const changeSettings = accountCall({
  method: 'patch',
  path: '/accounts/{account}/webhook',
  id: 'changeWebhook',
  summary: 'Set the address and the low-balance threshold; what is not named stays, null clears',
  needs: 'owner',
  body: accountChangesBody,
  answer: settingsRecord,
  handle: async ({ deps, account, by, body }) => {
    const changes = accountChangesOf(body);
    if (typeof changes.webhookUrl === 'string') await checkWebhookUrl(deps, { webhookUrl: changes.webhookUrl });
    await changeAccount(by, account, changes);
    return settingsOf(deps, account);
  },
});

const secretRecord = z.strictObject({ secret: z.string() });

const getSecret = accountCall({
  method: 'get',
  path: '/accounts/{account}/webhook/secret',
  id: 'showWebhookSecret',
  summary: 'The secret that events are signed with',
  needs: 'owner',
  answer: secretRecord,
  handle: async ({ deps, account, role }) => {
    refuseOperators(role);
    const [secret] = await webhookSecrets(deps.database, deps.secrets, account);
    if (secret === undefined) throw new Error('there is no webhook secret');
    return { secret };
  },
});

const rotateSecret = accountCall({
  method: 'post',
  path: '/accounts/{account}/webhook/secret/rotate',
  id: 'rotateAccountWebhookSecret',
  summary: 'Make a new secret; for 24 hours events carry the signatures of both',
  needs: 'owner',
  answer: secretRecord,
  handle: async ({ deps, account, role, by }) => {
    refuseOperators(role);
    return { secret: await rotateWebhookSecret(by, deps.secrets, account) };
  },
});

const testCall = accountCall({
  method: 'post',
  path: '/accounts/{account}/webhook/test',
  id: 'testWebhook',
  summary: 'Send a `webhook.test` to the address',
  needs: 'owner',
  answer: z.strictObject({ event: z.string() }),
  handle: async ({ deps, account }) => ({ event: await sendTestEvent(deps.database, account) }),
});

export const webhookCalls = [getSettings, changeSettings, getSecret, rotateSecret, testCall];

async function settingsOf({ database }: ApiDependencies, id: AccountId): Promise<z.input<typeof settingsRecord>> {
  const account = await findAccount(database, id);
  if (!account) throw new Error(`account ${id} is gone`);
  const { webhookUrl, lowBalance } = account;
  return { webhook_url: webhookUrl, low_balance: lowBalance === null ? null : toAmount(lowBalance) };
}

/** By a secret, events could be made that look like the gateway's to the account's own programs. */
function refuseOperators(role: RoleHere): void {
  if (role === 'operator')
    throw new GatewayError('permission_denied', 'Only owners of the account see the secret of its webhook.');
}
