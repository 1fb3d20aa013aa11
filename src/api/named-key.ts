/** The API key that a path names, of the account that it has to be of. */
import * as z from 'zod';
import { GatewayError } from '../domain/errors.ts';
import type { AccountId } from '../domain/ids.ts';
import { type ApiKey, findKey } from '../accounts/api-keys.ts';
import type { ApiDependencies } from './dependencies.ts';
import { cursorRule, limit } from './lists/list-query.ts';

/** Returns the key of that id. Refuses one of another account like an unknown one: `route_not_found`. */
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

/** The query of a list of keys. */
export const keysQuery = z.object({ limit, cursor: z.string(cursorRule).regex(idForm, cursorRule).optional() });
