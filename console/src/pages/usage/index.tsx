/** Usage of the account: by model, key, end user, tag and time, two at once, as a chart and as a table. */
import { keepPreviousData } from '@tanstack/react-query';
import { Link } from 'react-router';
import { query } from '../../api/client.ts';
import { today } from '../../parts/days.ts';
import { queryBefore } from '../../parts/usage/comparison.ts';
import { useShown } from '../../parts/usage/shown.ts';
import { type Offer, usageQueryOf } from '../../parts/usage/usage-query.ts';
import { usageTexts } from '../../parts/usage/texts.ts';
import { UsagePage } from '../../parts/usage/usage-page.tsx';
import { useAccountId } from '../../parts/use-account.ts';
import { useZoneText } from '../../parts/zone.ts';
import { useTexts } from '../../texts/define-texts.ts';

/** Each look sums anew, which takes half a second for 100,000 calls. */
const refreshMs = 10_000;
/** What is over changes no more, but for calls that end late. */
const beforeStaleMs = 300_000;

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
  const table = query.useQuery(
    'get',
    '/console/api/accounts/{account}/usage-table',
    { params: { path: { account }, query: usageQueryOf(shown) } },
    {
      enabled: shown.isRange,
      placeholderData: keepPreviousData,
      refetchInterval: shown.last >= today(shown.zone) ? refreshMs : false,
    },
  );
  const tableBefore = query.useQuery(
    'get',
    '/console/api/accounts/{account}/usage-table',
    { params: { path: { account }, query: queryBefore(shown) } },
    { enabled: shown.isRange && shown.isCompared, staleTime: beforeStaleMs },
  );
  return (
    <UsagePage
      title={say('title')}
      description={`${say('description')} ${zoneText}`}
      {...{ offer, shown, table, tableBefore }}
      onChange={change}
      file={`/console/api/accounts/${account}/usage-table.csv`}
      requests="../requests"
      action={<Link to="../playground">{say('toPlayground')}</Link>}
    />
  );
}
