/** Whether the reader may run anything here: the account's money is spent, so its owners only, operators or not. */
import { useSession } from '../../../api/session.ts';
import { useAccountId } from '../../../parts/use-account.ts';

export type Bar = 'member' | 'operator' | 'suspended';

/** What bars the reader, or undefined. */
export function useBar(): Bar | undefined {
  const id = useAccountId();
  const account = useSession().accounts.find((candidate) => candidate.id === id);
  if (!account) return 'operator';
  if (account.role !== 'owner') return 'member';
  return account.status === 'suspended' ? 'suspended' : undefined;
}
