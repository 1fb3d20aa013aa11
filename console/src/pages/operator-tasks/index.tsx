/** The tasks of all accounts: what runs, what failed and why, and where each was sent. */
import { Link } from 'react-router';
import { type Answer, api } from '../../api/client.ts';
import { Listed } from '../../parts/operator/listed.tsx';
import { type Column, Rows } from '../../parts/operator/rows.tsx';
import { Money } from '../../parts/money.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { StatusTag } from '../../parts/status-tag.tsx';
import { Elapsed } from '../../parts/tasks/elapsed.tsx';
import { taskTexts } from '../../parts/tasks/texts.ts';
import { Time } from '../../parts/time.tsx';
import { useListing } from '../../parts/use-listing.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { TaskFilters } from './filters.tsx';
import { texts } from './texts.ts';
import { taskQueryOf, useTaskFilter } from './task-filter.ts';

type Task = Answer<'listAllTasks'>['data'][number];

const refreshMs = 5_000;
const pageRows = 50;

export function Component() {
  const say = useTexts(texts);
  const filtered = useTaskFilter();
  const { filter, isFiltered } = filtered;
  const columns = useColumns();
  const listing = useListing<Task>({
    key: ['operator-tasks', filter],
    read: async (cursor, signal) => {
      const { data } = await api.GET('/console/api/operator/tasks', {
        params: { query: { ...taskQueryOf(filter), limit: pageRows, ...(cursor !== undefined && { cursor }) } },
        signal,
      });
      return data ?? { data: [], has_more: false };
    },
    refreshMs,
  });
  return (
    <>
      <PageHead title={say('title')} description={say('description')} />
      <TaskFilters filtered={filtered} />
      <Listed listing={listing} empty={say(isFiltered ? 'noneFound' : 'none')}>
        {(items) => <Rows caption={say('title')} columns={columns} items={items} idOf={({ id }) => id} />}
      </Listed>
    </>
  );
}

function useColumns(): Column<Task>[] {
  const say = useTexts(texts);
  const sayTask = useTexts(taskTexts);
  return [
    {
      key: 'task',
      title: say('task'),
      render: ({ id, kind, excerpt, account }) => (
        <Link to={`/${account.id}/tasks/${id}`}>{excerpt !== null && excerpt !== '' ? excerpt : sayTask(kind)}</Link>
      ),
    },
    {
      key: 'account',
      title: say('account'),
      isShort: true,
      render: ({ account: { id, name } }) => <Link to={`/${id}/overview`}>{name}</Link>,
    },
    {
      key: 'status',
      title: say('status'),
      render: ({ status, queued, error }) => (
        <>
          <StatusTag status={queued ? 'queued' : status} />
          {status === 'failed' && error && (
            <code className="tg-second tg-mono" title={error.message}>
              {error.code}
            </code>
          )}
        </>
      ),
    },
    { key: 'model', title: say('model'), isShort: true, render: ({ model }) => model },
    { key: 'provider', title: say('provider'), isShort: true, render: ({ provider }) => provider ?? '–' },
    {
      key: 'cost',
      title: say('cost'),
      isNumber: true,
      render: ({ cost, status, hold }) =>
        cost === null && status === 'processing' ? (
          <>
            <Money amount={hold} /> <span className="tg-second">{say('held')}</span>
          </>
        ) : (
          <Money amount={cost ?? 0} />
        ),
    },
    {
      key: 'took',
      title: say('took'),
      isNumber: true,
      isExtra: true,
      render: ({ created, took }) => <Elapsed created={created} took={took} />,
    },
    { key: 'created', title: say('created'), render: ({ created }) => <Time at={created} relative /> },
  ];
}
