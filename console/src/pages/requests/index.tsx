/** The account's requests: every call, refused ones too; the first page is live. */
import { DownloadOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { Link } from 'react-router';
import { type Answer, api, query } from '../../api/client.ts';
import { Choice } from '../../parts/filters/choice.tsx';
import { useKeyChoices } from '../../parts/filters/use-key-choices.ts';
import { Listed } from '../../parts/operator/listed.tsx';
import { Rows } from '../../parts/operator/rows.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { requestQueryOf, useRequestFilter } from '../../parts/requests/filter.ts';
import { useRequestColumns } from '../../parts/requests/request-columns.tsx';
import { RequestDetails } from '../../parts/requests/request-details.tsx';
import { IdFilter, RequestFilters } from '../../parts/requests/request-filters.tsx';
import { requestTexts } from '../../parts/requests/texts.ts';
import { useAccountId } from '../../parts/use-account.ts';
import { useListing } from '../../parts/use-listing.ts';
import { useZone, useZoneText } from '../../parts/zone.ts';
import { useTexts } from '../../texts/define-texts.ts';

type Request = Answer<'listRequests'>['data'][number];

const refreshMs = 2_000;
const pageRows = 50;
/** Of one id that a caller sent again and again, the newest. */
const sameIdMax = 5;

export function Component() {
  const say = useTexts(requestTexts);
  const account = useAccountId();
  const zone = useZone();
  const zoneText = useZoneText();
  const filtered = useRequestFilter();
  const [isLive, setLive] = useState(true);
  const { filter, isFiltered, change, clear, open, show } = filtered;
  const listing = useListing<Request>({
    key: ['requests', account, filter],
    read: async (cursor, signal) => {
      const { data } = await api.GET('/console/api/accounts/{account}/requests', {
        params: {
          path: { account },
          query: { ...requestQueryOf(zone, filter), limit: pageRows, ...(cursor !== undefined && { cursor }) },
        },
        signal,
      });
      return data ?? { data: [], has_more: false };
    },
    refreshMs: isLive && refreshMs,
  });
  const shown = query.useQuery(
    'get',
    '/console/api/accounts/{account}/requests',
    { params: { path: { account }, query: { request_id: open?.id ?? '', limit: sameIdMax } } },
    { enabled: open !== undefined },
  );
  const columns = useRequestColumns<Request>(({ id }) => show({ id }));
  const keys = useKeyChoices(account);
  const file = `/console/api/accounts/${account}/requests.csv?${new URLSearchParams(requestQueryOf(zone, filter)).toString()}`;
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
      <RequestFilters filtered={filtered} isLive={isLive} onLive={setLive}>
        <IdFilter name="model" hint="" filtered={filtered} />
        <Choice label={say('key')} value={filter.key} options={keys} onChange={(key) => change({ key })} />
      </RequestFilters>
      <Listed
        listing={listing}
        empty={say(isFiltered ? 'emptyFiltered' : 'empty')}
        action={
          isFiltered ? (
            <Button onClick={clear}>{say('clear')}</Button>
          ) : (
            <Link to="../playground">{say('toPlayground')}</Link>
          )
        }
      >
        {(items) => (
          <Rows caption={say('title')} columns={columns} items={items} idOf={({ id, created }) => `${id} ${created}`} />
        )}
      </Listed>
      <RequestDetails
        id={open?.id}
        requests={shown.data?.data ?? []}
        account={account}
        isLoading={shown.isLoading}
        error={shown.error}
        onClose={() => show(undefined)}
      />
    </>
  );
}
