/** The ledger: every entry, newest first; the first page is live. */
import { DownloadOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { paths } from '../../api/schema.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pager } from '../../parts/pager.tsx';
import { useAccountId } from '../../parts/use-account.ts';
import { useListing } from '../../parts/use-listing.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { Details } from './details.tsx';
import { Entries } from './entries.tsx';
import { queryOf, useFilter } from './filter.ts';
import { Filters } from './filters.tsx';
import { texts } from './texts.ts';

type Answer = paths['/console/api/accounts/{account}/ledger']['get']['responses'][200]['content']['application/json'];
export type Entry = Answer['data'][number];

const refresh_ms = 3_000;
const pageRows = 25;

export function Component() {
  const say = useTexts(texts);
  const account = useAccountId();
  const [filter, isFiltered, change] = useFilter();
  const [open, setOpen] = useState<Entry>();
  const wanted = queryOf(filter);
  const listing = useListing<Entry>({
    key: ['ledger', account, wanted],
    read: async (cursor, signal) => {
      const query = { ...wanted, limit: pageRows, ...(cursor !== undefined && { cursor }) };
      const { data } = await api.GET('/console/api/accounts/{account}/ledger', {
        params: { path: { account }, query },
        signal,
      });
      return data ?? { data: [], has_more: false };
    },
    refreshMs: refresh_ms,
  });
  const file = `/console/api/accounts/${account}/ledger.csv?${new URLSearchParams(wanted).toString()}`;
  const clear = () =>
    change({ type: undefined, model: undefined, key: undefined, id: undefined, from: undefined, to: undefined });
  return (
    <>
      <PageHead
        title={say('title')}
        description={say('description')}
        actions={
          <Button icon={<DownloadOutlined />} href={file} download>
            {say('csv')}
          </Button>
        }
      />
      <Filters filter={filter} isFiltered={isFiltered} onChange={change} onClear={clear} />
      {listing.items.length > 0 ? (
        <Entries entries={listing.items} onOpen={setOpen} />
      ) : listing.isLoading ? (
        <Loading rows={8} />
      ) : listing.error === null ? (
        <EmptyState
          text={say(isFiltered ? 'emptyFiltered' : 'empty')}
          action={isFiltered && <Button onClick={clear}>{say('clear')}</Button>}
        />
      ) : null}
      {listing.error !== null && <ErrorState error={listing.error} onRetry={listing.refresh} />}
      <Pager listing={listing} />
      <Details entry={open} onClose={() => setOpen(undefined)} />
    </>
  );
}
