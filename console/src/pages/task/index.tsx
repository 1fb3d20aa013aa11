/** Task: what was asked, what happened, and what it cost. */
import { useParams } from 'react-router';
import { query } from '../../api/client.ts';
import { toConsoleError } from '../../api/error.ts';
import { ErrorState } from '../../parts/error-state.tsx';
import { NotRead, NotThere } from '../../parts/one-page.tsx';
import { useAccountId } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { Timeline } from './timeline.tsx';
import { Details } from './details.tsx';
import { Facts } from './facts.tsx';
import { Result } from './result.tsx';
import { TaskHead } from './task-head.tsx';
import './task.css';
import type { TaskPage } from './task-page.ts';
import { texts } from './texts.ts';

const liveMs = 2_000;
const calmMs = 15_000;

export function Component() {
  const say = useTexts(texts);
  const account = useAccountId();
  const { task: id = '' } = useParams();
  const { data, error, refetch } = query.useQuery(
    'get',
    '/console/api/accounts/{account}/tasks/{id}',
    { params: { path: { account, id } } },
    { refetchInterval: ({ state }) => (isLive(state.data) ? liveMs : calmMs), retry: retries },
  );
  if (error !== null && toConsoleError(error).status === 404) return <NoSuchTask />;
  if (!data) return <NotRead title={say('title')} error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <TaskHead task={data} onChange={() => void refetch()} />
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      <div className="tg-task-columns">
        <div>
          <Result task={data} />
          <Details task={data} />
        </div>
        <div>
          <Facts task={data} />
          <Timeline task={data} />
        </div>
      </div>
    </>
  );
}

/** Whether something of it is about to change. */
const isLive = (task: TaskPage | undefined): boolean =>
  task === undefined ||
  task.status === 'processing' ||
  task.webhook?.delivered === null ||
  task.fetchable_until !== null;

const retries = (failures: number, error: unknown): boolean => {
  const { status } = toConsoleError(error);
  return failures < 2 && (status === 0 || status >= 500);
};

function NoSuchTask() {
  const say = useTexts(texts);
  const account = useAccountId();
  return (
    <NotThere
      title={say('noSuchTaskTitle')}
      text={say('noSuchTask')}
      to={`/${account}/tasks`}
      toList={say('toTasks')}
    />
  );
}
