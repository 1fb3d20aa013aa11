/** The columns of a list of events; the first one opens the event. */
import { Button } from 'antd';
import { Link } from 'react-router';
import { useAttemptText } from '../attempt-text.ts';
import type { Column } from '../operator/rows.tsx';
import { Time } from '../time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { DeliveryTag } from './delivery-tag.tsx';
import type { Event } from './event.ts';
import { eventTexts } from './texts.ts';

export function useEventColumns<One extends Event>(
  accountOf: (event: One) => string,
  onOpen: (event: One) => void,
): [Column<One>, ...Column<One>[]] {
  const say = useTexts(eventTexts);
  const attemptText = useAttemptText();
  return [
    {
      key: 'type',
      title: say('event'),
      render: (event) => (
        <Button type="link" size="small" onClick={() => onOpen(event)}>
          {event.type}
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
      render: (event) =>
        event.task === null ? '–' : <Link to={`/${accountOf(event)}/tasks/${event.task}`}>{event.task}</Link>,
    },
    { key: 'created', title: say('created'), render: ({ created }) => <Time at={created} /> },
  ];
}
