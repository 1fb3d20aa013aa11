/** One event: what was sent, every attempt, and sending it again. */
import { useQueryClient } from '@tanstack/react-query';
import { Drawer } from 'antd';
import { Link } from 'react-router';
import { type Answer, api, query } from '../../api/client.ts';
import { useAttemptText } from '../../parts/attempt-text.ts';
import { BusyButton } from '../../parts/busy-button.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Fact } from '../../parts/fact.tsx';
import { Loading } from '../../parts/loading.tsx';
import { durationText } from '../../parts/measures.ts';
import { Sheet } from '../../parts/sheet.tsx';
import { Time } from '../../parts/time.tsx';
import { useAccountId, useMayChange } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { DeliveryTag } from './delivery-tag.tsx';
import { eventsKey } from './event.ts';
import { texts } from './texts.ts';

const drawerPx = 560;
const refreshMs = 2_000;

/** Without an id it is closed. */
export function EventDrawer({ id, onClose }: { id: string | undefined; onClose: () => void }) {
  const say = useTexts(texts);
  const account = useAccountId();
  const { data, error } = query.useQuery(
    'get',
    '/console/api/accounts/{account}/events/{event}',
    { params: { path: { account, event: id ?? '' } } },
    { enabled: id !== undefined, refetchInterval: refreshMs },
  );
  return (
    <Drawer open={id !== undefined} onClose={onClose} size={drawerPx} title={say('event')} destroyOnHidden>
      {data ? <Content event={data} /> : error ? <ErrorState error={error} /> : <Loading rows={6} />}
    </Drawer>
  );
}

function Content({ event }: { event: Answer<'getEvent'> }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const account = useAccountId();
  const mayChange = useMayChange();
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
            { key: 'at', title: say('time'), cell: ({ at }) => <Time at={at} /> },
            { key: 'answer', title: say('answer'), cell: attemptText },
            { key: 'took', title: say('took'), isNumber: true, cell: ({ duration }) => durationText(duration, locale) },
          ]}
          rows={course}
          keyOf={({ attempt }) => String(attempt)}
        />
      )}
      {mayChange && delivered !== null && <Replay id={id} />}
      <h3>{say('payload')}</h3>
      {data === null ? (
        <p>{say('payloadOfTask')}</p>
      ) : (
        <CodeBlock label={say('payload')} code={JSON.stringify({ type, timestamp: created, data }, null, 2)} />
      )}
    </>
  );
}

function Replay({ id }: { id: string }) {
  const say = useTexts(texts);
  const account = useAccountId();
  const queries = useQueryClient();
  const replay = async () => {
    const params = { path: { account, event: id } };
    await api.POST('/console/api/accounts/{account}/events/{event}/replay', { params });
    await queries.invalidateQueries({ queryKey: ['get', '/console/api/accounts/{account}/events/{event}'] });
    await queries.invalidateQueries({ queryKey: [eventsKey, account] });
  };
  return (
    <p>
      <BusyButton act={replay}>{say('replay')}</BusyButton>
    </p>
  );
}
