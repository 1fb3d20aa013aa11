/** The webhook events of all accounts: what was given up, why, and sending it again. */
import { useState } from 'react';
import { Link } from 'react-router';
import { type Answer, api } from '../../api/client.ts';
import { Choice } from '../../parts/filters/choice.tsx';
import { useAddressFilter } from '../../parts/filters/use-address-filter.ts';
import { AccountChoice } from '../../parts/operator/account-choice.tsx';
import { FilterPanel } from '../../parts/filters/filter-panel.tsx';
import { Listed } from '../../parts/operator/listed.tsx';
import { type Column, Rows } from '../../parts/operator/rows.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { isPlainId } from '../../parts/requests/filter.ts';
import { useListing } from '../../parts/use-listing.ts';
import { allEventsKey } from '../../parts/webhooks/event.ts';
import { useEventColumns } from '../../parts/webhooks/event-columns.tsx';
import { EventDrawer } from '../../parts/webhooks/event-drawer.tsx';
import { ReplayAll } from '../../parts/webhooks/replay-all.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

type OperatorEvent = Answer<'listAllEvents'>['data'][number];

const pageRows = 50;
const statuses = ['failed', 'pending', 'delivered'] as const;
const kinds = ['image', 'video', 'avatar_talk'].flatMap((kind) => [`${kind}.succeeded`, `${kind}.failed`]);
const types = [
  ...kinds,
  ...['completed', 'failed', 'expired', 'cancelled'].map((state) => `batch.${state}`),
  'account.balance_low',
  'webhook.test',
];

const names = ['account', 'status', 'type'] as const;
const isGood = (name: (typeof names)[number], value: string): boolean =>
  name === 'status' ? statuses.some((status) => status === value) : isPlainId(value);

export function Component() {
  const say = useTexts(texts);
  const { filter, isFiltered, change, clear } = useAddressFilter(names, isGood);
  const { account, type } = filter;
  const status = statuses.find((one) => one === filter.status);
  const those = { ...(account !== undefined && { account }), ...(type !== undefined && { type }) };
  const [open, setOpen] = useState<{ id: string; account: string }>();
  const listing = useListing<OperatorEvent>({
    key: [allEventsKey, filter],
    read: async (cursor, signal) => {
      const query = { ...those, ...(status && { status }), limit: pageRows, ...(cursor !== undefined && { cursor }) };
      const { data } = await api.GET('/console/api/operator/events', { params: { query }, signal });
      return data ?? { data: [], has_more: false };
    },
  });
  const replay = async () => {
    const { data } = await api.POST('/console/api/operator/events/replay', { body: those });
    return data?.replayed ?? 0;
  };
  const [first, ...rest] = useEventColumns<OperatorEvent>(
    ({ account: { id } }) => id,
    ({ id, account: of }) => setOpen({ id, account: of.id }),
  );
  const columns: Column<OperatorEvent>[] = [
    first,
    {
      key: 'account',
      title: say('account'),
      isShort: true,
      render: ({ account: { id, name } }) => <Link to={`/${id}/webhooks`}>{name ?? id}</Link>,
    },
    ...rest,
  ];
  return (
    <>
      <PageHead title={say('title')} description={say('description')} />
      <FilterPanel
        active={[account, status, type].filter((value) => value !== undefined).length}
        onClear={clear}
        aside={
          status === 'failed' && listing.items.length > 0 && <ReplayAll replay={replay} queryKey={[allEventsKey]} />
        }
      >
        <AccountChoice label={say('account')} value={account} onChange={(id) => change({ account: id })} />
        <Choice
          label={say('status')}
          value={status}
          options={statuses.map((value) => ({ value, label: say(value) }))}
          onChange={(value) => change({ status: value })}
        />
        <Choice
          label={say('type')}
          value={type}
          options={types.map((value) => ({ value, label: value }))}
          onChange={(value) => change({ type: value })}
        />
      </FilterPanel>
      <Listed listing={listing} empty={say(isFiltered ? 'noneFound' : 'none')}>
        {(items) => <Rows caption={say('title')} columns={columns} items={items} idOf={({ id }) => id} />}
      </Listed>
      <EventDrawer account={open?.account ?? ''} id={open?.id} mayChange onClose={() => setOpen(undefined)} />
    </>
  );
}
