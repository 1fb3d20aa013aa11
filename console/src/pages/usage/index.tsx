/** Usage: spend and calls by day, model and API key, as a chart and as a table. */
import { DownloadOutlined } from '@ant-design/icons';
import { keepPreviousData } from '@tanstack/react-query';
import { Alert, Button } from 'antd';
import { Link } from 'react-router';
import { query } from '../../api/client.ts';
import type { paths } from '../../api/schema.ts';
import { dayAfter, daysBetween, utcDay } from '../../parts/days.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Figure, Figures } from '../../parts/figure.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Money } from '../../parts/money.tsx';
import { Count } from '../../parts/numbers.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useAccountId } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { Choices } from './choices.tsx';
import { type Shown, useShown } from './range.ts';
import { texts } from './texts.ts';
import { UsageChart, UsageSheet } from './views.tsx';

type Answer = paths['/console/api/accounts/{account}/usage']['get']['responses'][200]['content']['application/json'];
export type UsageRow = Answer['data'][number];

/** Each look sums the days anew, which takes 0.1 s for 100,000 entries. */
const refreshMs = 5_000;

export function Component() {
  const say = useTexts(texts);
  const account = useAccountId();
  const [shown, change] = useShown();
  const { by, first, last, isRange } = shown;
  const range = { group_by: by, from: first, to: dayAfter(last) };
  const usage = query.useQuery(
    'get',
    '/console/api/accounts/{account}/usage',
    { params: { path: { account }, query: range } },
    {
      enabled: isRange,
      placeholderData: keepPreviousData,
      refetchInterval: last >= utcDay() ? refreshMs : false,
    },
  );
  const file = `/console/api/accounts/${account}/usage.csv?${new URLSearchParams(range).toString()}`;
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
      {!isRange ? (
        <Alert type="warning" showIcon role="alert" title={say('toBeforeFrom')} />
      ) : usage.data && !(usage.isPlaceholderData && isOther(usage.data, by)) ? (
        <Content answer={usage.data} shown={shown} />
      ) : usage.isError ? (
        <ErrorState error={usage.error} onRetry={() => void usage.refetch()} />
      ) : (
        <Loading rows={8} />
      )}
    </>
  );
}

/** What is still shown while something else is read must be of the same columns. */
function isOther({ data }: Answer, by: Shown['by']): boolean {
  const field = by === 'key' ? 'key_id' : by;
  return data.some((row) => row[field] === undefined);
}

function Content({ answer: { data, has_more: hasMore }, shown }: { answer: Answer; shown: Shown }) {
  const say = useTexts(texts);
  if (data.length === 0) {
    return <EmptyState text={say('nothing')} action={<Link to="../playground">{say('toPlayground')}</Link>} />;
  }
  const cost = data.reduce((sum, row) => sum + row.cost, 0);
  const days = daysBetween(shown.first, shown.last).length;
  return (
    <>
      <Figures>
        <Figure label={say('spent')}>
          <Money amount={cost} />
        </Figure>
        <Figure label={say('calls')}>
          <Count of={data.reduce((sum, row) => sum + row.calls, 0)} />
        </Figure>
        <Figure label={say('perDay')}>
          <Money amount={cost / days} />
        </Figure>
      </Figures>
      <UsageChart rows={data} shown={shown} />
      {hasMore && <Alert className="tg-form-alert" type="info" showIcon title={say('more')} />}
      <UsageSheet rows={data} shown={shown} />
    </>
  );
}
