/** The ledger, newest first: a row for each call, or every entry; the first page is live. */
import { DownloadOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { type ReactNode, useState } from 'react';
import { api, query } from '../../api/client.ts';
import type { paths } from '../../api/schema.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Money } from '../../parts/money.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pager } from '../../parts/pager.tsx';
import { useTimeText } from '../../parts/time.tsx';
import { useAccountId } from '../../parts/use-account.ts';
import { type Listing, useListing } from '../../parts/use-listing.ts';
import { useZone, useZoneText } from '../../parts/zone.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { Details } from './details.tsx';
import { Entries } from './entries.tsx';
import { type Filter, queryOf, useFilter, viewOf } from './filter.ts';
import { Filters } from './filters.tsx';
import { texts } from './texts.ts';
import { TransferDetails } from './transfer-details.tsx';
import { type Transfer, Transfers } from './transfers.tsx';

type Answer = paths['/console/api/accounts/{account}/ledger']['get']['responses'][200]['content']['application/json'];
export type Entry = Answer['data'][number];

const refreshMs = 3_000;
/** Of a long ledger the sums read many entries. */
const sumsRefreshMs = 10_000;
const pageRows = 25;

export function Component() {
  const say = useTexts(texts);
  const account = useAccountId();
  const zone = useZone();
  const zoneText = useZoneText();
  const [filter, isFiltered, change] = useFilter();
  const file = `/console/api/accounts/${account}/ledger.csv?${new URLSearchParams(queryOf(zone, filter)).toString()}`;
  const clear = () =>
    change({ type: undefined, model: undefined, key: undefined, id: undefined, from: undefined, to: undefined });
  const empty = (
    <EmptyState
      text={say(isFiltered ? 'emptyFiltered' : 'empty')}
      action={isFiltered && <Button onClick={clear}>{say('clear')}</Button>}
    />
  );
  const List = viewOf(filter) === 'entries' ? EntryList : TransferList;
  return (
    <>
      <PageHead
        title={say('title')}
        description={`${say('description')} ${zoneText}`}
        actions={
          <Button icon={<DownloadOutlined />} href={file} download>
            {say('csv')}
          </Button>
        }
      />
      <Filters filter={filter} onChange={change} onClear={clear} />
      <Sums filter={filter} />
      <List filter={filter} empty={empty} />
    </>
  );
}

interface ListProps {
  filter: Filter;
  /** In place of a list that has nothing. */
  empty: ReactNode;
}

function TransferList({ filter, empty }: ListProps) {
  const account = useAccountId();
  const zone = useZone();
  const [open, setOpen] = useState<Transfer>();
  const wanted = queryOf(zone, { ...filter, type: undefined });
  const listing = useListing<Transfer>({
    key: ['transfers', account, wanted],
    read: async (cursor, signal) => {
      const { data } = await api.GET('/console/api/accounts/{account}/ledger/transfers', {
        params: { path: { account }, query: { ...wanted, limit: pageRows, ...(cursor !== undefined && { cursor }) } },
        signal,
      });
      return data ?? { data: [], has_more: false };
    },
    refreshMs,
  });
  return (
    <Listed listing={listing} empty={empty}>
      <Transfers transfers={listing.items} onOpen={setOpen} />
      <TransferDetails transfer={open} onClose={() => setOpen(undefined)} />
    </Listed>
  );
}

function EntryList({ filter, empty }: ListProps) {
  const account = useAccountId();
  const zone = useZone();
  const [open, setOpen] = useState<Entry>();
  const wanted = queryOf(zone, filter);
  const listing = useListing<Entry>({
    key: ['ledger', account, wanted],
    read: async (cursor, signal) => {
      const { data } = await api.GET('/console/api/accounts/{account}/ledger', {
        params: { path: { account }, query: { ...wanted, limit: pageRows, ...(cursor !== undefined && { cursor }) } },
        signal,
      });
      return data ?? { data: [], has_more: false };
    },
    refreshMs,
  });
  return (
    <Listed listing={listing} empty={empty}>
      <Entries entries={listing.items} onOpen={setOpen} />
      <Details entry={open} onClose={() => setOpen(undefined)} />
    </Listed>
  );
}

interface ListedProps<Item> {
  listing: Listing<Item>;
  empty: ReactNode;
  children: ReactNode;
}

/** A list that could not be read again stays, above what went wrong. */
function Listed<Item>({ listing, empty, children }: ListedProps<Item>) {
  return (
    <>
      {listing.items.length > 0 ? (
        children
      ) : listing.isLoading ? (
        <Loading rows={8} />
      ) : listing.error === null ? (
        empty
      ) : null}
      {listing.error !== null && <ErrorState error={listing.error} onRetry={listing.refresh} />}
      <Pager listing={listing} />
    </>
  );
}

/** What the entries that pass the filter come to, on all pages. */
function Sums({ filter }: { filter: Filter }) {
  const say = useTexts(texts);
  const account = useAccountId();
  const zone = useZone();
  const timeText = useTimeText();
  const { data } = query.useQuery(
    'get',
    '/console/api/accounts/{account}/ledger/sums',
    { params: { path: { account }, query: queryOf(zone, { ...filter, type: undefined }) } },
    { refetchInterval: sumsRefreshMs },
  );
  if (!data) return null;
  return (
    <p>
      {data.since === null ? say('sum') : say('sumSince', { time: timeText(new Date(data.since * 1000)) })}
      {say('charges')} <Money amount={data.charged} /> · {say('credits')} <Money amount={data.credited} />
    </p>
  );
}
