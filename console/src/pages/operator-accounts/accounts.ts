/** What the parts of the page say to each other. */
import { useQueryClient } from '@tanstack/react-query';
import type { Answer } from '../../api/client.ts';

export type Account = Answer<'getListedAccount'>;

export const accountsKey = 'operator-accounts';
export const accountKey = 'operator-account';

/** Has everything read anew that shows accounts. */
export function useAccountsChanged(): () => void {
  const queries = useQueryClient();
  return () => {
    for (const key of [accountsKey, accountKey, 'session']) void queries.invalidateQueries({ queryKey: [key] });
  };
}
