/** The events, newest first, live; those that were given up can be sent again together. */
import { Segmented } from 'antd';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Listed } from '../../parts/operator/listed.tsx';
import { Rows } from '../../parts/operator/rows.tsx';
import { useAccountId, useMayChange } from '../../parts/use-account.ts';
import { useListing } from '../../parts/use-listing.ts';
import { type Event, eventsKey } from '../../parts/webhooks/event.ts';
import { useEventColumns } from '../../parts/webhooks/event-columns.tsx';
import { EventDrawer } from '../../parts/webhooks/event-drawer.tsx';
import { ReplayAll } from '../../parts/webhooks/replay-all.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

const refreshMs = 2_000;
const pageRows = 25;

export function Events() {
  const say = useTexts(texts);
  const account = useAccountId();
  const mayChange = useMayChange();
  const [status, setStatus] = useState<'all' | 'failed'>('all');
  const [open, setOpen] = useState<string>();
  const columns = useEventColumns<Event>(
    () => account,
    ({ id }) => setOpen(id),
  );
  const listing = useListing<Event>({
    key: [eventsKey, account, status],
    read: async (cursor, signal) => {
      const { data } = await api.GET('/console/api/accounts/{account}/events', {
        params: { path: { account }, query: { limit: pageRows, status, ...(cursor !== undefined && { cursor }) } },
        signal,
      });
      return data ?? { data: [], has_more: false };
    },
    refreshMs,
  });
  const replay = async () => {
    const { data } = await api.POST('/console/api/accounts/{account}/events/replay', { params: { path: { account } } });
    return data?.replayed ?? 0;
  };
  return (
    <>
      <div className="tg-row-filters">
        <Segmented
          aria-label={say('shown')}
          value={status}
          onChange={setStatus}
          options={(['all', 'failed'] as const).map((value) => ({ value, label: say(value) }))}
        />
        {mayChange && status === 'failed' && listing.items.length > 0 && (
          <ReplayAll replay={replay} queryKey={[eventsKey, account]} />
        )}
      </div>
      <Listed listing={listing} empty={say(status === 'all' ? 'none' : 'noneFailed')}>
        {(items) => <Rows caption={say('events')} columns={columns} items={items} idOf={({ id }) => id} />}
      </Listed>
      <EventDrawer account={account} id={open} mayChange={mayChange} onClose={() => setOpen(undefined)} />
    </>
  );
}
