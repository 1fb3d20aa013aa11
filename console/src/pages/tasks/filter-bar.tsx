/** What the list is narrowed down by. */
import { query } from '../../api/client.ts';
import { activeFilters } from '../../parts/filters/active-filters.ts';
import { Choice } from '../../parts/filters/choice.tsx';
import { DayRange } from '../../parts/filters/day-range.tsx';
import { FilterPanel } from '../../parts/filters/filter-panel.tsx';
import { TextFilter } from '../../parts/filters/text-filter.tsx';
import { partsTexts } from '../../parts/texts.ts';
import { taskTexts } from '../../parts/tasks/texts.ts';
import { useAccountId } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';
import { type FiltersInUrl, isTaskId, kinds, statuses } from './use-filters.ts';

const filtersStaleMs = 60_000;

export function FilterBar({ filters, set, setAll, clear }: FiltersInUrl) {
  const say = useTexts(texts);
  const sayStatus = useTexts(partsTexts);
  const sayKind = useTexts(taskTexts);
  const account = useAccountId();
  const { data: known } = query.useQuery(
    'get',
    '/console/api/accounts/{account}/task-filters',
    { params: { path: { account } } },
    { staleTime: filtersStaleMs },
  );
  const choice = (name: 'kind' | 'status' | 'model' | 'key', options: { value: string; label: string }[]) => (
    <Choice label={say(name)} value={filters[name]} options={options} onChange={(value) => set(name, value)} />
  );
  return (
    <FilterPanel
      active={activeFilters({ ...filters })}
      activeMore={activeFilters({ key: filters.key, id: filters.id })}
      onClear={clear}
      more={
        <>
          {choice(
            'key',
            (known?.keys ?? []).map(({ id, name }) => ({ value: id, label: name })),
          )}
          <TextFilter
            key={filters.id ?? ''}
            label={say('id')}
            hint="img_…"
            value={filters.id}
            isWrong={(text) => !isTaskId(text)}
            wrong={say('wrongId')}
            onChange={(value) => set('id', value)}
          />
        </>
      }
    >
      <DayRange from={filters.from} to={filters.to} onChange={setAll} />
      {choice(
        'kind',
        kinds.map((value) => ({ value, label: sayKind(value) })),
      )}
      {choice(
        'status',
        statuses.map((value) => ({ value, label: sayStatus(value) })),
      )}
      {choice(
        'model',
        (known?.models ?? []).map((value) => ({ value, label: value })),
      )}
    </FilterPanel>
  );
}
