/** The controls above a list of requests. */
import { Button, Switch } from 'antd';
import type { ReactNode } from 'react';
import { useTexts } from '../../texts/define-texts.ts';
import { Choice } from '../filters/choice.tsx';
import { RangeFields } from '../filters/day-range.tsx';
import { FilterPanel } from '../filters/filter-panel.tsx';
import { daysOfPeriod, periodOf, periods } from '../filters/periods.ts';
import { TextFilter } from '../filters/text-filter.tsx';
import { useZone } from '../zone.ts';
import { isPlainId, isTag, type Span, statuses, type useRequestFilter } from './filter.ts';
import { requestTexts } from './texts.ts';

interface RequestFiltersProps {
  filtered: ReturnType<typeof useRequestFilter>;
  isLive: boolean;
  onLive: (isLive: boolean) => void;
  /** What only one of the pages can choose: models and keys, or accounts. */
  children?: ReactNode;
}

/** Behind "More filters". */
const rare = ['code', 'id', 'user', 'tag'] as const;

export function RequestFilters({ filtered, isLive, onLive, children }: RequestFiltersProps) {
  const say = useTexts(requestTexts);
  const { filter, active, change, clear } = filtered;
  return (
    <FilterPanel
      active={active}
      activeMore={rare.filter((name) => filter[name] !== undefined).length}
      onClear={clear}
      more={rare.map((name) => (
        <IdFilter key={name} name={name} hint={hints[name]} filtered={filtered} />
      ))}
      aside={
        <label className="tg-live">
          <Switch size="small" aria-label={say('live')} checked={isLive} onChange={onLive} />
          {say('live')}
        </label>
      }
    >
      <RequestTime filtered={filtered} />
      <Choice
        label={say('status')}
        value={filter.status}
        options={statuses.map((status) => ({ value: status, label: status === 'error' ? say('errors') : status }))}
        onChange={(status) => change({ status })}
      />
      {children}
      {filter.hour !== undefined && (
        <Button onClick={() => change({ hour: undefined })}>
          {say('wholeDay', { hour: filter.hour.slice(11, 16) })}
        </Button>
      )}
    </FilterPanel>
  );
}

const hints = { code: 'call_limit_exceeded', id: 'req_…', user: '', tag: '' };

const hours = { hour1: '1h', hours24: '24h' } as const satisfies Record<string, Span>;
const isHours = (choice: string): choice is keyof typeof hours => Object.hasOwn(hours, choice);
const times = ['allDays', 'hour1', 'hours24', ...periods] as const;

/** Hours back from now, or days. */
function RequestTime({ filtered: { filter, change } }: { filtered: ReturnType<typeof useRequestFilter> }) {
  const zone = useZone();
  const { last, from, to } = filter;
  const isAll = last === undefined && from === undefined && to === undefined;
  const asHours = last === undefined ? undefined : times.find((choice) => isHours(choice) && hours[choice] === last);
  const unset = { last: undefined, from: undefined, to: undefined, hour: undefined };
  return (
    <RangeFields
      from={from}
      to={to}
      period={asHours ?? (isAll ? 'allDays' : (periodOf(zone, from, to) ?? 'custom'))}
      choices={times}
      onPeriod={(chosen) => {
        if (isHours(chosen)) change({ ...unset, last: hours[chosen] });
        else change({ ...unset, ...(chosen !== 'allDays' && daysOfPeriod(chosen, zone)) });
      }}
      onChange={(days) => change({ ...days, last: undefined, hour: undefined })}
    />
  );
}

interface IdFilterProps {
  name: 'code' | 'id' | 'provider' | 'model' | 'user' | 'tag';
  hint: string;
  filtered: ReturnType<typeof useRequestFilter>;
}

export function IdFilter({ name, hint, filtered: { filter, change } }: IdFilterProps) {
  const say = useTexts(requestTexts);
  return (
    <TextFilter
      key={`${name} ${filter[name] ?? ''}`}
      label={say(name)}
      hint={hint}
      value={filter[name]}
      isWrong={(text) => !(name === 'tag' ? isTag(text) : name === 'model' || name === 'user' || isPlainId(text))}
      wrong={say(name === 'tag' ? 'wrongTag' : 'wrongId')}
      onChange={(value) => change({ [name]: value })}
    />
  );
}
