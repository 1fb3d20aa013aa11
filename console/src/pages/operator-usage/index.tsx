/** Usage of all accounts, with what serving them cost and what is left. */
import { keepPreviousData } from '@tanstack/react-query';
import { query } from '../../api/client.ts';
import { queryBefore } from '../../parts/usage/comparison.ts';
import { useShown } from '../../parts/usage/shown.ts';
import { type Offer, usageQueryOf } from '../../parts/usage/usage-query.ts';
import { usageTexts } from '../../parts/usage/texts.ts';
import { UsagePage } from '../../parts/usage/usage-page.tsx';
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
  const table = query.useQuery(
    'get',
    '/console/api/operator/usage-table',
    { params: { query: usageQueryOf(shown) } },
    { enabled: shown.isRange, placeholderData: keepPreviousData, refetchOnWindowFocus: false },
  );
  const tableBefore = query.useQuery(
    'get',
    '/console/api/operator/usage-table',
    { params: { query: queryBefore(shown) } },
    { enabled: shown.isRange && shown.isCompared, refetchOnWindowFocus: false },
  );
  return (
    <UsagePage
      title={say('allTitle')}
      description={say('allDescription')}
      {...{ offer, shown, table, tableBefore }}
      onChange={change}
      file="/console/api/operator/usage-table.csv"
      requests="/operator/requests"
    />
  );
}
