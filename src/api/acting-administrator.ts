/** Who administers an account through the API: the admin key of the request, under whose name the audit log has it. */
import { refusalOfAddress } from '../domain/accounts/allowed-ips.ts';
import { refusalOfKey } from '../domain/billing/admission.ts';
import { GatewayError } from '../domain/errors.ts';
import type { Administrator } from '../ledger/audit-log.ts';
import { type ApiKey, findSealedKey } from '../accounts/api-keys.ts';
import { type ApiContext, keyOf } from './context.ts';
import type { ApiDependencies } from './dependencies.ts';

/** The administrator of this request, to be asked for right before the act: see `freshKeyOf`. */
export async function administratorOf(
  ctx: ApiContext,
  deps: Pick<ApiDependencies, 'database' | 'secrets' | 'callerAddress'>,
): Promise<Administrator> {
  return administratorBy(await freshKeyOf(ctx, deps), deps);
}

/** The administrator that a key is which was just read. */
export const administratorBy = (
  { id }: Pick<ApiKey, 'id'>,
  { database, secrets }: Pick<ApiDependencies, 'database' | 'secrets'>,
): Administrator => ({ database, ledgerKey: secrets.first.ledger, actor: `key:${id}` });

/**
 * The admin key of this request, read once more: what is remembered of it may be three seconds old, and its body may have
 * taken longer to come, while the holder of a revoked key could still make a new one.
 */
export async function freshKeyOf(
  ctx: ApiContext,
  { database, secrets, callerAddress }: Pick<ApiDependencies, 'database' | 'secrets' | 'callerAddress'>,
): Promise<ApiKey> {
  const key = await findSealedKey(database.pool, secrets.ledgerKeys, keyOf(ctx).id);
  if (!key) throw new GatewayError('invalid_api_key', 'Invalid API key.');
  const refusal =
    refusalOfKey({ needs: 'admin' }, { status: key.accountStatus }, key, new Date()) ??
    refusalOfAddress(key, callerAddress(ctx.req));
  if (refusal) throw refusal;
  return key;
}
