/** What was charged in the last 90 days, by model or key: what filters offer to choose from. */
import { query } from '../../api/client.ts';
import { today } from '../days.ts';

const choiceDays = 90;
const choicesStaleMs = 60_000;

export function useCharged(account: string, by: 'model' | 'key') {
  const path = { params: { path: { account }, query: { group_by: by, from: today('UTC', choiceDays) } } };
  const { data } = query.useQuery('get', '/console/api/accounts/{account}/usage', path, {
    staleTime: choicesStaleMs,
  });
  return data?.data ?? [];
}
