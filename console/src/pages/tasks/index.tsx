/** Tasks: images, videos and avatar talks, as they run. */
import { Button } from 'antd';
import { Link } from 'react-router';
import { api } from '../../api/client.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pager } from '../../parts/pager.tsx';
import { useAccountId } from '../../parts/use-account.ts';
import { useListing } from '../../parts/use-listing.ts';
import { useZone, useZoneText } from '../../parts/zone.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { FilterBar } from './filter-bar.tsx';
import { TaskRows, type TaskLine } from './task-rows.tsx';
import './tasks.css';
import { texts } from './texts.ts';
import { queryOf, useFilters } from './use-filters.ts';

const refresh_ms = 2_000;
const pageRows = 25;

export function Component() {
  const say = useTexts(texts);
  const account = useAccountId();
  const zone = useZone();
  const zoneText = useZoneText();
  const shown = useFilters();
  const { filters, isAny } = shown;
  const listing = useListing<TaskLine>({
    key: ['tasks', account, filters],
    read: async (cursor, signal) => {
      const { data } = await api.GET('/console/api/accounts/{account}/tasks', {
        params: {
          path: { account },
          query: { limit: pageRows, ...queryOf(zone, filters), ...(cursor !== undefined && { cursor }) },
        },
        signal,
      });
      return data ?? { data: [], has_more: false };
    },
    refreshMs: refresh_ms,
  });
  const { items, isLoading, error, isFirstPage, refresh } = listing;
  return (
    <>
      <PageHead title={say('title')} description={`${say('description')} ${zoneText}`} />
      <FilterBar {...shown} />
      {error !== null && <ErrorState error={error} onRetry={refresh} />}
      {isLoading && error === null && <Loading rows={8} />}
      {!isLoading && items.length > 0 && (
        <TaskRows key={`${JSON.stringify(filters)} ${isFirstPage}`} tasks={items} base={`/${account}/tasks`} />
      )}
      {!isLoading && error === null && items.length === 0 && (
        <EmptyState
          text={say(isAny ? 'noneFound' : 'none')}
          action={
            isAny ? (
              <Button onClick={shown.clear}>{say('clear')}</Button>
            ) : (
              <Link to={`/${account}/playground/image`}>
                <Button type="primary" tabIndex={-1}>
                  {say('toPlayground')}
                </Button>
              </Link>
            )
          }
        />
      )}
      <Pager listing={listing} />
    </>
  );
}
