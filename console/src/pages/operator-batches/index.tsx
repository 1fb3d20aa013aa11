/** The batches of all accounts: what runs, what it waits for, and cancelling it. */
import { Segmented } from 'antd';
import { useState } from 'react';
import { Link } from 'react-router';
import { type Answer, api } from '../../api/client.ts';
import { canCancel } from '../../parts/batches/batch.ts';
import { useBatchColumns } from '../../parts/batches/batch-columns.tsx';
import { CancelBatch } from '../../parts/batches/cancel-batch.tsx';
import { Listed } from '../../parts/operator/listed.tsx';
import { type Column, Rows } from '../../parts/operator/rows.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Time } from '../../parts/time.tsx';
import { useListing } from '../../parts/use-listing.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

type OperatorBatch = Answer<'listAllBatches'>['data'][number];

const pageRows = 25;

export function Component() {
  const say = useTexts(texts);
  const [state, setState] = useState<'under_way' | 'all'>('under_way');
  const columns = useBatchColumns<OperatorBatch>(({ id, account }) => `/${account.id}/batches/${id}`);
  const listing = useListing<OperatorBatch>({
    key: ['operator-batches', state],
    read: async (cursor, signal) => {
      const query = { limit: pageRows, state, ...(cursor !== undefined && { cursor }) };
      const { data } = await api.GET('/console/api/operator/batches', { params: { query }, signal });
      return data ?? { data: [], has_more: false };
    },
  });
  const [first, ...rest] = columns;
  const all: Column<OperatorBatch>[] = [
    ...(first ? [first] : []),
    {
      key: 'account',
      title: say('account'),
      isShort: true,
      render: ({ account: { id, name } }: OperatorBatch) => <Link to={`/${id}/overview`}>{name}</Link>,
    },
    ...rest,
    {
      key: 'seen',
      title: say('seen'),
      isExtra: true,
      render: ({ seen }: OperatorBatch) => (seen === null ? '–' : <Time at={seen} relative />),
    },
    {
      key: 'actions',
      title: say('actions'),
      isPlain: true,
      render: (batch: OperatorBatch) =>
        canCancel(batch) && (
          <CancelBatch
            account={batch.account.id}
            id={batch.id}
            onChange={listing.refresh}
            buttonProps={{ size: 'small' }}
          />
        ),
    },
  ];
  return (
    <>
      <PageHead title={say('title')} description={say('description')} />
      <div className="tg-row-filters">
        <Segmented
          aria-label={say('shown')}
          value={state}
          onChange={setState}
          options={(['under_way', 'all'] as const).map((value) => ({ value, label: say(value) }))}
        />
      </div>
      <Listed listing={listing} empty={say(state === 'all' ? 'none' : 'noneUnderWay')}>
        {(items) => <Rows caption={say('title')} columns={all} items={items} idOf={({ id }) => id} />}
      </Listed>
    </>
  );
}
