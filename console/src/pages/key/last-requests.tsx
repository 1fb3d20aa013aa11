/** The key's newest requests, each with its details, and the way to all of them. */
import { useState } from 'react';
import { Link } from 'react-router';
import { type Answer, query } from '../../api/client.ts';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Rows } from '../../parts/operator/rows.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useRequestColumns } from '../../parts/requests/request-columns.tsx';
import { RequestDetails } from '../../parts/requests/request-details.tsx';
import { useAccountId } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

type Request = Answer<'listRequests'>['data'][number];

const shownMax = 10;
const requestsRefreshMs = 2_000;

export function LastRequests({ of: id }: { of: string }) {
  const say = useTexts(texts);
  const account = useAccountId();
  const [open, setOpen] = useState<Request>();
  const init = { params: { path: { account }, query: { key_id: id, limit: shownMax } } };
  const { data, error } = query.useQuery('get', '/console/api/accounts/{account}/requests', init, {
    refetchInterval: requestsRefreshMs,
  });
  // All of them are of this key.
  const columns = useRequestColumns<Request>(setOpen).filter(({ key }) => key !== 'key');
  return (
    <Panel
      title={say('lastRequests')}
      aside={<Link to={`/${account}/requests?key=${encodeURIComponent(id)}`}>{say('allRequests')}</Link>}
    >
      {error !== null && <ErrorState error={error} />}
      {error === null && !data && <Loading rows={4} />}
      {data?.data.length === 0 && <p className="tg-quiet">{say('noRequests')}</p>}
      {data !== undefined && data.data.length > 0 && (
        <Rows
          caption={say('lastRequests')}
          columns={columns}
          items={data.data}
          idOf={({ id: request, created }) => `${request} ${created}`}
        />
      )}
      <RequestDetails
        id={open?.id}
        requests={open ? [open] : []}
        account={account}
        isLoading={false}
        error={null}
        onClose={() => setOpen(undefined)}
      />
    </Panel>
  );
}
