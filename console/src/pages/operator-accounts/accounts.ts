/** What the parts of the page say to each other. */
import { useQueryClient } from '@tanstack/react-query';
import type { Answer } from '../../api/client.ts';

export type Account = Answer<'getListedAccount'>;

export const accounts_key = 'operator-accounts';
export const account_key = 'operator-account';

/** Has everything read anew that shows accounts. */
export function useAccountsChanged(): () => void {
  const queries = useQueryClient();
  return () => {
    for (const key of [accounts_key, account_key, 'session']) void queries.invalidateQueries({ queryKey: [key] });
  };
}
