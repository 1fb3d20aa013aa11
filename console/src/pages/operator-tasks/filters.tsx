/** The controls above the tasks of all accounts. */
import { activeFilters } from '../../parts/filters/active-filters.ts';
import { Choice } from '../../parts/filters/choice.tsx';
import { DayRange } from '../../parts/filters/day-range.tsx';
import { FilterPanel } from '../../parts/filters/filter-panel.tsx';
import { TextFilter } from '../../parts/filters/text-filter.tsx';
import { AccountChoice } from '../../parts/operator/account-choice.tsx';
import { isPlainId } from '../../parts/requests/filter.ts';
import { taskTexts } from '../../parts/tasks/texts.ts';
import { partsTexts } from '../../parts/texts.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { kinds, statuses, type useTaskFilter } from './task-filter.ts';
import { texts } from './texts.ts';

export function TaskFilters({ filtered }: { filtered: ReturnType<typeof useTaskFilter> }) {
  const say = useTexts(texts);
  const sayStatus = useTexts(partsTexts);
  const sayKind = useTexts(taskTexts);
  const { filter, change, clear } = filtered;
  const { model, provider, code, id } = filter;
  const typed = (name: 'model' | 'provider' | 'code' | 'id', hint = '') => (
    <TextFilter
      key={`${name} ${filter[name] ?? ''}`}
      label={say(name)}
      hint={hint}
      value={filter[name]}
      isWrong={(text) => name !== 'model' && !isPlainId(text)}
      wrong={say('wrongId')}
      onChange={(value) => change({ [name]: value })}
    />
  );
  return (
    <>
      <FilterPanel
        active={activeFilters(filter)}
        activeMore={activeFilters({ model, provider, code, id })}
        onClear={clear}
        more={
          <>
            {typed('model')}
            {typed('provider')}
            {typed('code', 'upstream_error')}
            {typed('id', 'img_…')}
          </>
        }
      >
        <DayRange from={filter.from} to={filter.to} onChange={change} />
        <AccountChoice label={say('account')} value={filter.account} onChange={(account) => change({ account })} />
        <Choice
          label={say('status')}
          value={filter.status}
          options={statuses.map((value) => ({ value, label: sayStatus(value) }))}
          onChange={(status) => change({ status })}
        />
        <Choice
          label={say('kind')}
          value={filter.kind}
          options={kinds.map((value) => ({ value, label: sayKind(value) }))}
          onChange={(kind) => change({ kind })}
        />
      </FilterPanel>
      {(model !== undefined || provider !== undefined) && filter.from === undefined && (
        <p className="tg-quiet">{say('sought')}</p>
      )}
    </>
  );
}
