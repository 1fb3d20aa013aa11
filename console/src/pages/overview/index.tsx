/** Overview: balance, spend and what is running, read anew every few seconds. */
import { Alert } from 'antd';
import { lazy, Suspense } from 'react';
import { Link } from 'react-router';
import { query } from '../../api/client.ts';
import type { paths } from '../../api/schema.ts';
import { ErrorState } from '../../parts/error-state.tsx';
import { Figure, Figures } from '../../parts/figure.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Money, useExactMoneyText, useMoneyText } from '../../parts/money.tsx';
import { Count } from '../../parts/numbers.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useAccountId } from '../../parts/use-account.ts';
import { useZoneText } from '../../parts/zone.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { Spend } from './spend.tsx';
import { Failures, Running } from './tasks.tsx';
import { texts } from './texts.ts';

export type Overview =
  paths['/console/api/accounts/{account}/overview']['get']['responses'][200]['content']['application/json'];

const refreshMs = 3_000;

/** With antd's tabs, 11 kB that accounts with calls don't need. */
const FirstSteps = lazy(async () => ({ default: (await import('./first-steps.tsx')).FirstSteps }));

export function Component() {
  const say = useTexts(texts);
  const account = useAccountId();
  const zoneText = useZoneText();
  const overview = query.useQuery(
    'get',
    '/console/api/accounts/{account}/overview',
    { params: { path: { account } } },
    { refetchInterval: refreshMs },
  );
  return (
    <>
      <PageHead title={say('title')} description={`${say('description')} ${zoneText}`} />
      {overview.data ? (
        <Content overview={overview.data} />
      ) : overview.isPending ? (
        <Loading rows={8} />
      ) : (
        <ErrorState error={overview.error} onRetry={() => void overview.refetch()} />
      )}
    </>
  );
}

function Content({ overview }: { overview: Overview }) {
  const say = useTexts(texts);
  const moneyText = useMoneyText();
  const { balance, held, today, month, running, failed, has_calls: hasCalls } = overview;
  return (
    <>
      <LowBalance overview={overview} />
      <Figures>
        <Figure label={say('balance')} hint={held > 0 ? say('held', { amount: moneyText(held) }) : say('heldNone')}>
          <Money amount={balance} />
        </Figure>
        <Figure label={say('today')} hint={say('calls', { count: today.calls })}>
          <Money amount={today.cost} />
        </Figure>
        <Figure label={say('month')} hint={say('calls', { count: month.calls })}>
          <Money amount={month.cost} />
        </Figure>
        <Figure
          label={say('running')}
          hint={
            failed.count === 0 ? (
              say('failedCount', { count: 0 })
            ) : (
              <Link to="../tasks?status=failed">{say('failedCount', { count: failed.count })}</Link>
            )
          }
        >
          <Count of={running.count} />
        </Figure>
      </Figures>
      {hasCalls ? (
        <Spend overview={overview} />
      ) : (
        <Suspense fallback={<Loading rows={6} />}>
          <FirstSteps model={overview.example_model} />
        </Suspense>
      )}
      {hasCalls && (
        <div className="tg-pair">
          <Running running={running} />
          <Failures failed={failed} />
        </div>
      )}
    </>
  );
}

function LowBalance({
  overview: { balance, held, low_balance: threshold, has_calls: hasCalls },
}: {
  overview: Overview;
}) {
  const say = useTexts(texts);
  const exactMoneyText = useExactMoneyText();
  if (balance === 0 && held === 0 && hasCalls) {
    return <Alert className="tg-form-alert" type="error" showIcon title={say('empty')} />;
  }
  if (threshold === null || balance + held >= threshold) return null;
  const amount = exactMoneyText(threshold);
  return <Alert className="tg-form-alert" type="warning" showIcon title={say('low', { amount })} />;
}
