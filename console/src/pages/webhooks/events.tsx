/** The events, newest first, live; those that were given up can be sent again together. */
import { useQueryClient } from '@tanstack/react-query';
import { App, Button, Segmented } from 'antd';
import { useState } from 'react';
import { Link } from 'react-router';
import { api } from '../../api/client.ts';
import { useAttemptText } from '../../parts/attempt-text.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Listed } from '../../parts/operator/listed.tsx';
import { type Column, Rows } from '../../parts/operator/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { useAccountId, useMayChange } from '../../parts/use-account.ts';
import { useListing } from '../../parts/use-listing.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { DeliveryTag } from './delivery-tag.tsx';
import { type Event, eventsKey } from './event.ts';
import { EventDrawer } from './event-drawer.tsx';
import { texts } from './texts.ts';

const refreshMs = 2_000;
const pageRows = 25;

export function Events() {
  const say = useTexts(texts);
  const account = useAccountId();
  const mayChange = useMayChange();
  const [status, setStatus] = useState<'all' | 'failed'>('all');
  const attemptText = useAttemptText();
  const [open, setOpen] = useState<string>();
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
  return (
    <>
      <div className="tg-row-filters">
        <Segmented
          aria-label={say('shown')}
          value={status}
          onChange={setStatus}
          options={(['all', 'failed'] as const).map((value) => ({ value, label: say(value) }))}
        />
        {mayChange && status === 'failed' && listing.items.length > 0 && <ReplayAll />}
      </div>
      <Listed listing={listing} empty={say(status === 'all' ? 'none' : 'noneFailed')}>
        {(items) => (
          <Rows
            caption={say('events')}
            columns={columns(say, attemptText, account, setOpen)}
            items={items}
            idOf={idOf}
          />
        )}
      </Listed>
      <EventDrawer id={open} onClose={() => setOpen(undefined)} />
    </>
  );
}

const idOf = ({ id }: Event) => id;

type Say = ReturnType<typeof useTexts<typeof texts.en>>;

const columns = (
  say: Say,
  attemptText: ReturnType<typeof useAttemptText>,
  account: string,
  onOpen: (id: string) => void,
): Column<Event>[] => [
  {
    key: 'type',
    title: say('event'),
    render: ({ id, type }) => (
      <Button type="link" size="small" onClick={() => onOpen(id)}>
        {type}
      </Button>
    ),
  },
  { key: 'status', title: say('status'), render: ({ delivered }) => <DeliveryTag delivered={delivered} /> },
  { key: 'answer', title: say('lastAnswer'), render: ({ last }) => (last ? attemptText(last) : '–') },
  { key: 'attempts', title: say('attempts'), isNumber: true, render: ({ attempts }) => attempts },
  {
    key: 'task',
    title: say('task'),
    isExtra: true,
    render: ({ task }) => (task === null ? '–' : <Link to={`/${account}/tasks/${task}`}>{task}</Link>),
  },
  { key: 'created', title: say('created'), render: ({ created }) => <Time at={created} /> },
];

function ReplayAll() {
  const say = useTexts(texts);
  const account = useAccountId();
  const queries = useQueryClient();
  const { message } = App.useApp();
  const replay = async () => {
    const { data } = await api.POST('/console/api/accounts/{account}/events/replay', { params: { path: { account } } });
    void message.success(say('replayed', { count: data?.replayed ?? 0 }));
    await queries.invalidateQueries({ queryKey: [eventsKey, account] });
  };
  return (
    <ConfirmButton
      title={say('replayAllTitle')}
      text={say('replayAllText')}
      onConfirm={replay}
      buttonProps={{ danger: false }}
    >
      {say('replayAll')}
    </ConfirmButton>
  );
}
