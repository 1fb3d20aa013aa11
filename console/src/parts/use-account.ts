/** The account whose page is shown. */
import { useParams } from 'react-router';
import { useSession } from '../api/session.ts';

/** Its id, from the address. */
export function useAccountId(): string {
  const { account } = useParams();
  if (account === undefined) throw new TypeError('this page belongs to no account');
  return account;
}

/** Whether the reader may change it: its owners and operators may, members read. */
export function useMayChange(): boolean {
  const id = useAccountId();
  const { person, accounts } = useSession();
  return person.is_operator || accounts.some((account) => account.id === id && account.role === 'owner');
}

/** Whether the reader is its owner: what spends its money is not for operators. */
export function useOwns(): boolean {
  const id = useAccountId();
  return useSession().accounts.some((account) => account.id === id && account.role === 'owner');
}
