/** All keys of the account to choose from, the newest first, revoked ones too: their requests are still there. */
import { useQuery } from '@tanstack/react-query';
import { type Answer, api } from '../../api/client.ts';

type Key = Answer<'listKeys'>['data'][number];

const pageRows = 100;
/** Beyond so many, the oldest are found by their id in the address. */
const pagesMax = 20;
const staleMs = 60_000;

/** Options for a filter: keys of one name differ by their last characters. */
export function useKeyChoices(account: string): { value: string; label: string }[] {
  const { data = [] } = useQuery({
    queryKey: ['key-choices', account],
    queryFn: ({ signal }) => readKeys(account, signal),
    staleTime: staleMs,
  });
  return data.map(({ id, name, last4 }) => ({ value: id, label: `${name} …${last4}` }));
}

async function readKeys(account: string, signal: AbortSignal): Promise<Key[]> {
  const keys: Key[] = [];
  let cursor: string | null | undefined;
  for (let page = 0; page < pagesMax && cursor !== null; page++) {
    const query = { limit: pageRows, state: 'all' as const, ...(cursor !== undefined && { cursor }) };
    const init = { params: { path: { account }, query }, signal };
    const { data } = await api.GET('/console/api/accounts/{account}/keys', init);
    keys.push(...(data?.data ?? []));
    cursor = data?.next_cursor ?? null;
  }
  return keys;
}
