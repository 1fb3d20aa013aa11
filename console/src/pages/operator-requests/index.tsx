/** The requests of all accounts, with the routes that were asked. */
import { DownloadOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { Link } from 'react-router';
import { type Answer, api, query } from '../../api/client.ts';
import { AccountChoice } from '../../parts/operator/account-choice.tsx';
import { Listed } from '../../parts/operator/listed.tsx';
import { type Column, Rows } from '../../parts/operator/rows.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { requestQueryOf, useRequestFilter } from '../../parts/requests/filter.ts';
import { useRequestColumns } from '../../parts/requests/request-columns.tsx';
import { RequestDetails } from '../../parts/requests/request-details.tsx';
import { IdFilter, RequestFilters } from '../../parts/requests/request-filters.tsx';
import { requestTexts } from '../../parts/requests/texts.ts';
import { useListing } from '../../parts/use-listing.ts';
import { useTexts } from '../../texts/define-texts.ts';

type Request = Answer<'listAllRequests'>['data'][number];

const refreshMs = 2_000;
const pageRows = 50;
const sameIdMax = 5;

export function Component() {
  const say = useTexts(requestTexts);
  const filtered = useRequestFilter();
  const [isLive, setLive] = useState(true);
  const { filter, isFiltered, change, open, show } = filtered;
  const { account, provider } = filter;
  const wanted = () => ({
    ...requestQueryOf('UTC', filter),
    ...(account !== undefined && { account }),
    ...(provider !== undefined && { provider }),
  });
  const listing = useListing<Request>({
    key: ['operator-requests', filter],
    read: async (cursor, signal) => {
      const { data } = await api.GET('/console/api/operator/requests', {
        params: { query: { ...wanted(), limit: pageRows, ...(cursor !== undefined && { cursor }) } },
        signal,
      });
      return data ?? { data: [], has_more: false };
    },
    refreshMs: isLive && refreshMs,
  });
  const asked = { request_id: open?.id ?? '', ...(open?.account !== undefined && { account: open.account }) };
  const shown = query.useQuery(
    'get',
    '/console/api/operator/requests',
    { params: { query: { ...asked, limit: sameIdMax } } },
    { enabled: open !== undefined },
  );
  const [first, ...rest] = useRequestColumns<Request>(({ id, account: of }) => show({ id, account: of.id }));
  const columns: Column<Request>[] = [
    ...(first ? [first] : []),
    {
      key: 'account',
      title: say('account'),
      isShort: true,
      render: ({ account: { id, name } }) => <Link to={`/${id}/requests`}>{name ?? id}</Link>,
    },
    ...rest.filter(({ key }) => key !== 'client'),
    {
      key: 'provider',
      title: say('provider'),
      isShort: true,
      render: ({ served_by: { provider: served } }) => served ?? '–',
    },
  ];
  const file = `/console/api/operator/requests.csv?${new URLSearchParams(wanted()).toString()}`;
  return (
    <>
      <PageHead
        title={say('allTitle')}
        description={say('allDescription')}
        actions={
          <Button icon={<DownloadOutlined />} href={file} download>
            {say('csv')}
          </Button>
        }
      />
      <RequestFilters filtered={filtered} isLive={isLive} onLive={setLive}>
        <AccountChoice label={say('account')} value={account} onChange={(id) => change({ account: id })} />
        <IdFilter name="model" hint="" filtered={filtered} />
        <IdFilter name="provider" hint="" filtered={filtered} />
      </RequestFilters>
      <Listed listing={listing} empty={say(isFiltered ? 'emptyFiltered' : 'empty')}>
        {(items) => (
          <Rows
            caption={say('allTitle')}
            columns={columns}
            items={items}
            idOf={({ id, created, account: { id: of } }) => `${id} ${created} ${of}`}
          />
        )}
      </Listed>
      <RequestDetails
        id={open?.id}
        requests={shown.data?.data ?? []}
        isLoading={shown.isLoading}
        error={shown.error}
        onClose={() => show(undefined)}
      />
    </>
  );
}
