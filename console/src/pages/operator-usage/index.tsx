/** Usage of all accounts, with what serving them cost and what is left. */
import { DownloadOutlined } from '@ant-design/icons';
import { keepPreviousData } from '@tanstack/react-query';
import { Alert, Button } from 'antd';
import { query } from '../../api/client.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Choices } from '../../parts/usage/choices.tsx';
import { type Offer, usageQueryOf, useShown } from '../../parts/usage/shown.ts';
import { usageTexts } from '../../parts/usage/texts.ts';
import { UsageView } from '../../parts/usage/usage-view.tsx';
import { useTexts } from '../../texts/define-texts.ts';

type Name = 'account' | 'model' | 'provider' | 'key' | 'user' | 'tag';
type Metric = 'revenue' | 'cost' | 'margin' | 'tokens' | 'calls' | 'errors' | 'latency' | 'p95';
const offer: Offer<Name, Metric> = {
  names: ['account', 'model', 'provider', 'key', 'user', 'tag'],
  metrics: ['revenue', 'cost', 'margin', 'tokens', 'calls', 'errors', 'latency', 'p95'],
};

/** Each look sums all accounts anew, which takes seconds for a million calls: only when it is asked for. */
export function Component() {
  const say = useTexts(usageTexts);
  const [shown, change] = useShown(offer);
  const wanted = usageQueryOf(shown);
  const { data, isPlaceholderData, error, refetch } = query.useQuery(
    'get',
    '/console/api/operator/usage-table',
    { params: { query: wanted } },
    { enabled: shown.isRange, placeholderData: keepPreviousData, refetchOnWindowFocus: false },
  );
  const file = `/console/api/operator/usage-table.csv?${new URLSearchParams(wanted).toString()}`;
  const isShown = shown.isRange && data !== undefined && !isPlaceholderData;
  return (
    <>
      <PageHead
        title={say('allTitle')}
        description={say('allDescription')}
        actions={
          <Button icon={<DownloadOutlined />} href={file} download disabled={!shown.isRange}>
            {say('csv')}
          </Button>
        }
      />
      <Choices offer={offer} shown={shown} onChange={change} />
      {!shown.isRange && <Alert type="warning" showIcon role="alert" title={say('toBeforeFrom')} />}
      {shown.isRange && !isShown && error === null && <Loading rows={8} />}
      {shown.isRange && error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {isShown && data.rows.length === 0 && <EmptyState text={say('nothing')} />}
      {isShown && data.rows.length > 0 && <UsageView table={data} shown={shown} requests="/operator/requests" />}
    </>
  );
}
