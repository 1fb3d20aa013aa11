/** Bills: how the ledger compared with the last bill of each provider, with its sums and the first differences. */
import { query } from '../../api/client.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { Bill } from './bill.tsx';
import './reconcile.css';
import { texts } from './texts.ts';

export function Component() {
  const say = useTexts(texts);
  const { data, error, refetch } = query.useQuery('get', '/console/api/operator/reconciliations');
  return (
    <>
      <PageHead title={say('title')} description={say('description')} />
      {!data && !error && <Loading rows={8} />}
      {!data && error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data?.data.length === 0 && <EmptyState text={say('none')} />}
      {data?.data.map((bill) => (
        <Bill key={bill.provider} bill={bill} />
      ))}
    </>
  );
}
