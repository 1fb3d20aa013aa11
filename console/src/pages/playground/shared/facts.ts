/** What the forms are made of: the models that can be tried, limits of uploads, and the public address. */
import { type Answer, api, query, queryClient } from '../../../api/client.ts';
import { useAccountId } from '../../../parts/use-account.ts';

export type Facts = Answer<'getPlayground'>;
export type ModelFacts = Facts['models'][number];

export const accountPath = '/console/api/accounts/{account}';
const refreshMs = 30_000;

/** Models may be switched at any time, so it is asked again now and then. */
export const useFacts = () =>
  query.useQuery(
    'get',
    '/console/api/accounts/{account}/playground',
    { params: { path: { account: useAccountId() } } },
    { refetchInterval: refreshMs },
  );

/** The account as it stands now, with its balance. */
export const useBalance = () => query.useQuery('get', accountPath, { params: { path: { account: useAccountId() } } });

/** To be called when money has moved. */
export const refreshBalance = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['get', accountPath] });

/** The entries of a run, newest first. */
export async function readEntries(
  account: string,
  of: { task_id: string } | { request_id: string },
  signal: AbortSignal,
) {
  const params = { path: { account }, query: { limit: 100, ...of } };
  const { data } = await api.GET('/console/api/accounts/{account}/v1/account/ledger', { params, signal });
  return typeof data === 'object' ? data.data : []; // the other form is CSV, which isn't asked for
}
