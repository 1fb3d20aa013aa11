/** Margin: what all accounts paid, what providers charge for it, and what is left, where the cost is known. */
import { DownloadOutlined } from '@ant-design/icons';
import { keepPreviousData } from '@tanstack/react-query';
import { Alert, Button } from 'antd';
import { query } from '../../api/client.ts';
import { dayAfter } from '../../parts/days.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { Choices, useShown } from './choices.tsx';
import { MarginView } from './margin-view.tsx';
import { texts } from './texts.ts';

/** Each look sums all accounts anew, which takes a second for a million entries: only when it is asked for. */
export function Component() {
  const say = useTexts(texts);
  const [shown, change] = useShown();
  const { by, first, last } = shown;
  const isRange = first <= last;
  const range = { group_by: by, from: first, to: dayAfter(last) };
  const { data, isPlaceholderData, error, refetch } = query.useQuery(
    'get',
    '/console/api/operator/margin',
    { params: { query: range } },
    { enabled: isRange, placeholderData: keepPreviousData, refetchOnWindowFocus: false },
  );
  const file = `/console/api/operator/margin.csv?${new URLSearchParams(range).toString()}`;
  const isShown = data !== undefined && !isPlaceholderData;
  return (
    <>
      <PageHead
        title={say('title')}
        description={say('description')}
        actions={
          <Button icon={<DownloadOutlined />} href={file} download disabled={!isRange}>
            {say('csv')}
          </Button>
        }
      />
      <Choices shown={shown} onChange={change} />
      {!isRange && <Alert type="warning" showIcon role="alert" title={say('toBeforeFrom')} />}
      {isRange && !isShown && error === null && <Loading rows={8} />}
      {isRange && error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {isRange && isShown && data.data.length === 0 && <EmptyState text={say('nothing')} />}
      {isRange && isShown && data.data.length > 0 && <MarginView rows={data.data} hasMore={data.has_more} by={by} />}
    </>
  );
}
