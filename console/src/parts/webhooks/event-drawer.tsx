/** One event: what was sent, every attempt, and sending it again. */
import { useQueryClient } from '@tanstack/react-query';
import { Drawer } from 'antd';
import { Link } from 'react-router';
import { type Answer, api, query } from '../../api/client.ts';
import { useAttemptText } from '../attempt-text.ts';
import { BusyButton } from '../busy-button.tsx';
import { CodeBlock } from '../code-block.tsx';
import { ErrorState } from '../error-state.tsx';
import { Fact } from '../fact.tsx';
import { Loading } from '../loading.tsx';
import { durationText } from '../measures.ts';
import { Sheet } from '../sheet.tsx';
import { Time } from '../time.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { DeliveryTag } from './delivery-tag.tsx';
import { allEventsKey, eventsKey } from './event.ts';
import { ReceiverAnswers } from './receiver-answers.tsx';
import { eventTexts } from './texts.ts';

const drawerPx = 560;
const refreshMs = 2_000;

interface EventDrawerProps {
  account: string;
  /** Undefined: it is closed. */
  id: string | undefined;
  /** Whether it offers to send the event again. */
  mayChange: boolean;
  onClose: () => void;
}

export function EventDrawer({ account, id, mayChange, onClose }: EventDrawerProps) {
  const say = useTexts(eventTexts);
  const { data, error } = query.useQuery(
    'get',
    '/console/api/accounts/{account}/events/{event}',
    { params: { path: { account, event: id ?? '' } } },
    { enabled: id !== undefined, refetchInterval: refreshMs },
  );
  return (
    <Drawer open={id !== undefined} onClose={onClose} size={drawerPx} title={say('event')} destroyOnHidden>
      {data ? (
        <Content account={account} event={data} mayChange={mayChange} />
      ) : error ? (
        <ErrorState error={error} />
      ) : (
        <Loading rows={6} />
      )}
    </Drawer>
  );
}

interface ContentProps {
  account: string;
  event: Answer<'getEvent'>;
  mayChange: boolean;
}

function Content({ account, event, mayChange }: ContentProps) {
  const say = useTexts(eventTexts);
  const locale = localeOf(useLanguage());
  const attemptText = useAttemptText();
  const { id, type, host, task, created, delivered, data, course } = event;
  return (
    <>
      <dl className="tg-facts">
        <Fact name={say('event')}>{type}</Fact>
        <Fact name="ID">{id}</Fact>
        <Fact name={say('receiver')}>{host}</Fact>
        <Fact name={say('created')}>
          <Time at={created} />
        </Fact>
        <Fact name={say('status')}>
          <DeliveryTag delivered={delivered} />
        </Fact>
        {task !== null && (
          <Fact name={say('task')}>
            <Link to={`/${account}/tasks/${task}`}>{task}</Link>
          </Fact>
        )}
      </dl>
      <h3>{say('attempts')}</h3>
      {course.length === 0 ? (
        <p>{say('noAttempt')}</p>
      ) : (
        <Sheet
          label={say('attempts')}
          columns={[
            { key: 'attempt', title: '#', cell: ({ attempt }) => attempt },
            { key: 'at', title: say('time'), cell: ({ at }) => <Time at={at} /> },
            { key: 'answer', title: say('answer'), cell: attemptText },
            { key: 'took', title: say('took'), isNumber: true, cell: ({ duration }) => durationText(duration, locale) },
          ]}
          rows={course}
          keyOf={({ attempt }) => String(attempt)}
        />
      )}
      <ReceiverAnswers attempts={course} />
      {mayChange && delivered !== null && <Replay account={account} id={id} />}
      <h3>{say('payload')}</h3>
      {data === null ? (
        <p>{say('payloadOfTask')}</p>
      ) : (
        <CodeBlock label={say('payload')} code={JSON.stringify({ type, timestamp: created, data }, null, 2)} />
      )}
    </>
  );
}

function Replay({ account, id }: { account: string; id: string }) {
  const say = useTexts(eventTexts);
  const queries = useQueryClient();
  const replay = async () => {
    const params = { path: { account, event: id } };
    await api.POST('/console/api/accounts/{account}/events/{event}/replay', { params });
    await queries.invalidateQueries({ queryKey: ['get', '/console/api/accounts/{account}/events/{event}'] });
    await queries.invalidateQueries({ queryKey: [eventsKey, account] });
    await queries.invalidateQueries({ queryKey: [allEventsKey] });
  };
  return (
    <p>
      <BusyButton act={replay}>{say('replay')}</BusyButton>
    </p>
  );
}
