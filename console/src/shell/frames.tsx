/** Who may see the pages of an account, and those of operators. The server decides; this spares a page full of errors. */
import { Outlet } from 'react-router';
import { useAccountId } from '../parts/use-account.ts';
import { query } from '../api/client.ts';
import { useSession } from '../api/session.ts';
import { ZoneContext } from '../parts/zone.ts';
import { Loading } from '../parts/loading.tsx';
import { NotFound, OperatorsOnly } from './not-found.tsx';

/** Keyed by the account, so that nothing of one account is left on a page when another is chosen. */
export function AccountFrame() {
  const { person, accounts } = useSession();
  const id = useAccountId();
  const own = accounts.find((account) => account.id === id);
  const isForeign = own === undefined && person.is_operator && /^acc_\w+$/.test(id);
  const path = { params: { path: { account: id } } };
  const foreign = query.useQuery('get', '/console/api/accounts/{account}', path, { enabled: isForeign });
  if (!own && !isForeign) return <NotFound />;
  if (isForeign && foreign.isPending) return <Loading rows={8} />;
  return (
    <ZoneContext value={own?.time_zone ?? foreign.data?.time_zone ?? 'UTC'}>
      <Outlet key={id} />
    </ZoneContext>
  );
}

export function OperatorFrame() {
  return useSession().person.is_operator ? <Outlet /> : <OperatorsOnly />;
}
