/** The controls above the entries. Models and keys to choose from are those that were charged in the last 90 days. */
import { Segmented } from 'antd';
import { entryTexts } from '../../parts/entry-texts.ts';
import { activeFilters } from '../../parts/filters/active-filters.ts';
import { Choice } from '../../parts/filters/choice.tsx';
import { DayRange } from '../../parts/filters/day-range.tsx';
import { FilterPanel } from '../../parts/filters/filter-panel.tsx';
import { TextFilter } from '../../parts/filters/text-filter.tsx';
import { useCharged } from '../../parts/filters/use-charged.ts';
import { useAccountId } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { entryTypes, type Filter, isId, viewOf, views } from './filter.ts';
import { texts } from './texts.ts';

interface FiltersProps {
  filter: Filter;
  onChange: (change: Partial<Filter>) => void;
  onClear: () => void;
}

export function Filters({ filter, onChange, onClear }: FiltersProps) {
  const say = useTexts(texts);
  const sayEntry = useTexts(entryTexts);
  const account = useAccountId();
  const models = useCharged(account, 'model').map(({ model = '' }) => ({ value: model, label: model }));
  const keys = useCharged(account, 'key').map(({ key_id: id = '', key_name: name }) => ({
    value: id,
    label: name ?? id,
  }));
  return (
    <FilterPanel
      active={activeFilters({ ...filter, view: undefined })}
      activeMore={activeFilters({ type: filter.type, id: filter.id })}
      onClear={onClear}
      more={
        <>
          <Choice
            label={say('type')}
            value={filter.type}
            options={entryTypes.map((type) => ({ value: type, label: sayEntry(type) }))}
            onChange={(value) => onChange({ type: entryTypes.find((type) => type === value) })}
          />
          <TextFilter
            key={filter.id ?? ''}
            label={say('id')}
            hint={say('idHint')}
            value={filter.id}
            isWrong={(text) => !isId(text)}
            wrong={say('wrongId')}
            onChange={(id) => onChange({ id })}
          />
        </>
      }
    >
      <label>
        {say('shown')}
        <Segmented
          aria-label={say('shown')}
          value={viewOf(filter)}
          onChange={(view) => onChange({ view, type: undefined })}
          options={views.map((value) => ({ value, label: say(value) }))}
        />
      </label>
      <DayRange from={filter.from} to={filter.to} onChange={onChange} />
      <Choice label={say('model')} value={filter.model} options={models} onChange={(model) => onChange({ model })} />
      <Choice label={say('key')} value={filter.key} options={keys} onChange={(key) => onChange({ key })} />
    </FilterPanel>
  );
}
