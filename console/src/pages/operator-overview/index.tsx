/** Operators' overview: what was earned, what fails, what waits, and what needs a look. Each figure leads to its page. */
import { query } from '../../api/client.ts';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { Attention, LowAccounts } from './attention.tsx';
import { Errors } from './errors.tsx';
import { Queues } from './queues.tsx';
import { Sales } from './sales.tsx';
import { texts } from './texts.ts';

const refreshMs = 10_000;
/** The server sums all accounts once a minute at the most. */
const salesRefreshMs = 60_000;

export function Component() {
  const say = useTexts(texts);
  const sales = query.useQuery('get', '/console/api/operator/sales', {}, { refetchInterval: salesRefreshMs });
  const overview = query.useQuery('get', '/console/api/operator/overview', {}, { refetchInterval: refreshMs });
  const isLoading = sales.isPending || overview.isPending;
  return (
    <>
      <PageHead title={say('title')} description={say('description')} />
      {isLoading && <Loading rows={8} />}
      {!isLoading && (
        <>
          {overview.data && <Attention overview={overview.data} />}
          {sales.data ? (
            <Sales sales={sales.data} />
          ) : (
            <ErrorState error={sales.error} onRetry={() => void sales.refetch()} />
          )}
          {overview.data ? (
            <>
              <Queues overview={overview.data} />
              <div className="tg-pair">
                <Errors of="requests" errors={overview.data.requests} />
                <Errors of="tasks" errors={overview.data.tasks} />
              </div>
              <LowAccounts low={overview.data.low_accounts} />
            </>
          ) : (
            <ErrorState error={overview.error} onRetry={() => void overview.refetch()} />
          )}
        </>
      )}
    </>
  );
}
