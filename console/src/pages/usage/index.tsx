/** Usage of the account: by model, key, end user, tag and time, two at once, as a chart and as a table. */
import { DownloadOutlined } from '@ant-design/icons';
import { keepPreviousData } from '@tanstack/react-query';
import { Alert, Button } from 'antd';
import { Link } from 'react-router';
import { query } from '../../api/client.ts';
import { today } from '../../parts/days.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Choices } from '../../parts/usage/choices.tsx';
import { type Offer, usageQueryOf, useShown } from '../../parts/usage/shown.ts';
import { usageTexts } from '../../parts/usage/texts.ts';
import { UsageView } from '../../parts/usage/usage-view.tsx';
import { useAccountId } from '../../parts/use-account.ts';
import { useZoneText } from '../../parts/zone.ts';
import { useTexts } from '../../texts/define-texts.ts';

/** Each look sums anew, which takes half a second for 100,000 calls. */
const refreshMs = 10_000;

type Name = 'model' | 'key' | 'user' | 'tag';
type Metric = 'cost' | 'tokens' | 'calls' | 'errors' | 'latency' | 'p95';
const offer: Offer<Name, Metric> = {
  names: ['model', 'key', 'user', 'tag'],
  metrics: ['cost', 'tokens', 'calls', 'errors', 'latency', 'p95'],
};

export function Component() {
  const say = useTexts(usageTexts);
  const account = useAccountId();
  const zoneText = useZoneText();
  const [shown, change] = useShown(offer);
  const wanted = usageQueryOf(shown);
  const { data, isPlaceholderData, error, refetch } = query.useQuery(
    'get',
    '/console/api/accounts/{account}/usage-table',
    { params: { path: { account }, query: wanted } },
    {
      enabled: shown.isRange,
      placeholderData: keepPreviousData,
      refetchInterval: shown.last >= today(shown.zone) ? refreshMs : false,
    },
  );
  const file = `/console/api/accounts/${account}/usage-table.csv?${new URLSearchParams(wanted).toString()}`;
  const isShown = shown.isRange && data !== undefined && !isPlaceholderData;
  return (
    <>
      <PageHead
        title={say('title')}
        description={`${say('description')} ${zoneText}`}
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
      {isShown && data.rows.length === 0 && (
        <EmptyState text={say('nothing')} action={<Link to="../playground">{say('toPlayground')}</Link>} />
      )}
      {isShown && data.rows.length > 0 && <UsageView table={data} shown={shown} requests="../requests" />}
    </>
  );
}
