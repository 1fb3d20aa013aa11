/** Batches: how far each has come, and what it has cost so far. */
import { Button } from 'antd';
import { Link, useSearchParams } from 'react-router';
import { api } from '../../api/client.ts';
import { type BatchLine, batchStatuses } from '../../parts/batches/batch.ts';
import { useBatchColumns } from '../../parts/batches/batch-columns.tsx';
import { batchTexts } from '../../parts/batches/texts.ts';
import { Choice } from '../../parts/filters/choice.tsx';
import { Listed } from '../../parts/operator/listed.tsx';
import { Rows } from '../../parts/operator/rows.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useAccountId, useOwns } from '../../parts/use-account.ts';
import { useListing } from '../../parts/use-listing.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

const refreshMs = 2_000;
const pageRows = 25;

export function Component() {
  const say = useTexts(texts);
  const account = useAccountId();
  const isOwner = useOwns();
  const sayOfBatch = useTexts(batchTexts);
  // The address keeps it.
  const [search, setSearch] = useSearchParams();
  const status = batchStatuses.find((one) => one === search.get('status'));
  const columns = useBatchColumns<BatchLine>(({ id }) => `/${account}/batches/${id}`);
  const listing = useListing<BatchLine>({
    key: ['batches', account, status],
    read: async (cursor, signal) => {
      const { data } = await api.GET('/console/api/accounts/{account}/batches', {
        params: {
          path: { account },
          query: { limit: pageRows, ...(status && { status }), ...(cursor !== undefined && { cursor }) },
        },
        signal,
      });
      return data ?? { data: [], has_more: false };
    },
    refreshMs,
  });
  const toNew = isOwner && (
    <Link to={`/${account}/batches/new`}>
      <Button type="primary" tabIndex={-1}>
        {say('newBatch')}
      </Button>
    </Link>
  );
  return (
    <>
      <PageHead title={say('title')} description={say('description')} actions={toNew} />
      <div className="tg-filters">
        <Choice
          label={sayOfBatch('status')}
          value={status}
          options={batchStatuses.map((value) => ({ value, label: sayOfBatch(value) }))}
          onChange={(chosen) => setSearch(chosen === undefined ? {} : { status: chosen }, { replace: true })}
        />
      </div>
      <Listed listing={listing} empty={say(status ? 'noneOfStatus' : 'none')}>
        {(items) => <Rows caption={say('title')} columns={columns} items={items} idOf={({ id }) => id} />}
      </Listed>
    </>
  );
}
