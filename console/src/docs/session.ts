/**
 * The console's session in place of a key: what the playground may call, a reader who is signed in may try here, by the same
 * routes and rules. No key is made for it, and none comes into the page.
 */
import { isRecord, listOf, recordOf, textOf } from '../parts/json.ts';

export interface SessionAccount {
  id: string;
  name: string;
}

/** The accounts that the reader owns; undefined where the reader is not signed in. Raises an error where the gateway doesn't answer. */
export async function findAccounts(): Promise<SessionAccount[] | undefined> {
  const response = await fetch('/console/api/session', { cache: 'no-store', credentials: 'same-origin' });
  if (response.status === 401) return undefined;
  if (!response.ok) throw new TypeError(`HTTP ${response.status}`);
  const session: unknown = await response.json();
  return listOf(recordOf(session)['accounts'])
    .filter(isRecord)
    .filter(({ role }) => role === 'owner')
    .map(({ id, name }) => ({ id: textOf(id), name: textOf(name) }));
}

/** Where the session's requests go, in place of a deployment's root. */
export const rootOfSession = (account: string): string => `/console/api/accounts/${encodeURIComponent(account)}/v1`;
