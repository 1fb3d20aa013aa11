/** What the list is narrowed down by. On a phone it is folded away behind a button. */
import { FilterOutlined } from '@ant-design/icons';
import { Button, Input, Select } from 'antd';
import { useState } from 'react';
import { query } from '../../api/client.ts';
import { DayRange } from '../../parts/filters/day-range.tsx';
import { partsTexts } from '../../parts/texts.ts';
import { taskTexts } from '../../parts/tasks/texts.ts';
import { useAccountId } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';
import { type FilterName, type FiltersInUrl, kinds, statuses } from './use-filters.ts';

const filtersStaleMs = 60_000;

export function FilterBar({ filters, isAny, set, setAll, clear }: FiltersInUrl) {
  const say = useTexts(texts);
  const sayStatus = useTexts(partsTexts);
  const sayKind = useTexts(taskTexts);
  const [isOpen, setOpen] = useState(false);
  const account = useAccountId();
  const { data: known } = query.useQuery(
    'get',
    '/console/api/accounts/{account}/task-filters',
    { params: { path: { account } } },
    { staleTime: filtersStaleMs },
  );
  const select = (name: 'kind' | 'status' | 'model' | 'key', options: { value: string; label: string }[]) => (
    <Select
      aria-label={say(name)}
      placeholder={say(name)}
      value={filters[name] ?? null}
      options={withValue(options, filters[name])}
      allowClear
      showSearch={name === 'model' || name === 'key' ? { optionFilterProp: 'label' } : false}
      popupMatchSelectWidth={false}
      onChange={(value: string | null | undefined) => set(name, value ?? undefined)}
    />
  );
  return (
    <search className="tg-task-search" aria-label={say('filters')}>
      <Button
        className="tg-phone-only"
        icon={<FilterOutlined />}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isAny ? say('filtersSet', { count: Object.keys(filters).length }) : say('filters')}
      </Button>
      <div className={isOpen ? 'tg-task-filters tg-open' : 'tg-task-filters'}>
        {select(
          'kind',
          kinds.map((value) => ({ value, label: sayKind(value) })),
        )}
        {select(
          'status',
          statuses.map((value) => ({ value, label: sayStatus(value) })),
        )}
        {select(
          'model',
          (known?.models ?? []).map((value) => ({ value, label: value })),
        )}
        {select(
          'key',
          (known?.keys ?? []).map(({ id, name }) => ({ value: id, label: name })),
        )}
        <IdSearch key={filters.id ?? ''} id={filters.id} set={set} />
        <DayRange className="tg-task-day" from={filters.from} to={filters.to} onChange={setAll} />
        {isAny && (
          <Button type="link" onClick={clear}>
            {say('clear')}
          </Button>
        )}
      </div>
    </search>
  );
}

/** Asks at Enter: half an id finds nothing. */
function IdSearch({ id, set }: { id: string | undefined; set: (name: FilterName, value: string | undefined) => void }) {
  const say = useTexts(texts);
  return (
    <Input.Search
      className="tg-task-id"
      aria-label={say('id')}
      placeholder={say('id')}
      defaultValue={id ?? ''}
      maxLength={64}
      allowClear
      onSearch={(typed) => set('id', typed.trim())}
    />
  );
}

/** What the address names is shown, even if no task of it is known. */
function withValue(options: { value: string; label: string }[], value: string | undefined) {
  if (value === undefined || options.some((option) => option.value === value)) return options;
  return [{ value, label: value }, ...options];
}
