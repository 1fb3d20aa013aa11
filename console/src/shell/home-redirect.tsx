/** `/console` leads to the overview of the reader's first account, or to that of operators. */
import { Navigate } from 'react-router';
import { useSession } from '../api/session.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { useTexts } from '../texts/define-texts.ts';
import { shellTexts } from './texts.ts';

export function HomeRedirect() {
  const say = useTexts(shellTexts);
  const { person, accounts } = useSession();
  const [first] = accounts;
  if (first) return <Navigate to={`/${first.id}/overview`} replace />;
  if (person.is_operator) return <Navigate to="/operator/overview" replace />;
  return (
    <>
      <PageHead title={say('account')} />
      <EmptyState text={say('noAccount')} />
    </>
  );
}
