/** Who may see the pages of an account, and those of operators. The server decides; this spares a page full of errors. */
import { Outlet } from 'react-router';
import { useAccountId } from '../parts/use-account.ts';
import { useSession } from '../api/session.ts';
import { NotFound, OperatorsOnly } from './not-found.tsx';

/** Keyed by the account, so that nothing of one account is left on a page when another is chosen. */
export function AccountFrame() {
  const { person, accounts } = useSession();
  const id = useAccountId();
  const mayLook = accounts.some((account) => account.id === id) || (person.is_operator && /^acc_\w+$/.test(id));
  return mayLook ? <Outlet key={id} /> : <NotFound />;
}

export function OperatorFrame() {
  return useSession().person.is_operator ? <Outlet /> : <OperatorsOnly />;
}
