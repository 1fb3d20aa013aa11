/** What an account's admin keys may set of it: its default webhook and its low-balance threshold. */
import type Router from '@koa/router';
import { accountChangesBody, parseAccountChanges } from '../../domain/requests/account.ts';
import { changeAccount } from '../../accounts/accounts.ts';
import { administratorOf } from '../acting-administrator.ts';
import { namesOf } from '../body/json-names.ts';
import { requestJson } from '../body/request-json.ts';
import { keyOf, type RequestState } from '../context.ts';
import type { DependenciesNow } from '../dependencies.ts';
import { authenticated } from '../middleware/authenticated.ts';
import { accountObject } from '../presenters/account.ts';
import { checkWebhookUrl } from '../../tasks/create/caller-addresses.ts';

const names = namesOf(accountChangesBody);

export function accountSettingRoutes(router: Router<RequestState>, now: DependenciesNow): void {
  router.patch('/account', authenticated(now().keys, 'admin'), async (ctx) => {
    const deps = now();
    const { accountId } = keyOf(ctx);
    const { value: body } = await requestJson(deps, ctx, { names });
    const changes = parseAccountChanges(body);
    if (typeof changes.webhookUrl === 'string') await checkWebhookUrl(deps, { webhookUrl: changes.webhookUrl });
    await deps.calls.settled(accountId);
    const account = await changeAccount(await administratorOf(ctx, deps), accountId, changes);
    if (!account) throw new Error(`account ${accountId} is gone`);
    ctx.body = accountObject(account);
  });
}
