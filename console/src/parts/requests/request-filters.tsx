/** The controls above a list of requests. */
import { Button, Switch } from 'antd';
import type { ReactNode } from 'react';
import { useTexts } from '../../texts/define-texts.ts';
import { Choice } from '../filters/choice.tsx';
import { DayRange } from '../filters/day-range.tsx';
import { TextFilter } from '../filters/text-filter.tsx';
import { isPlainId, isTag, type Span, spans, statuses, type useRequestFilter } from './filter.ts';
import { requestTexts } from './texts.ts';

interface RequestFiltersProps {
  filtered: ReturnType<typeof useRequestFilter>;
  isLive: boolean;
  onLive: (isLive: boolean) => void;
  /** What only one of the pages can choose: models and keys, or accounts. */
  children?: ReactNode;
}

export function RequestFilters({ filtered, isLive, onLive, children }: RequestFiltersProps) {
  const say = useTexts(requestTexts);
  const { filter, isFiltered, change, clear } = filtered;
  return (
    <div className="tg-filters">
      <Choice
        label={say('status')}
        value={filter.status}
        options={statuses.map((status) => ({ value: status, label: status === 'error' ? say('errors') : status }))}
        onChange={(status) => change({ status })}
      />
      {children}
      <IdFilter name="code" hint="call_limit_exceeded" filtered={filtered} />
      <IdFilter name="id" hint="req_…" filtered={filtered} />
      <IdFilter name="user" hint="" filtered={filtered} />
      <IdFilter name="tag" hint="" filtered={filtered} />
      <Choice
        label={say('period')}
        value={filter.last}
        options={spanNames.map((span) => ({ value: span, label: say(`last_${span}`) }))}
        onChange={(last) => change({ last, from: undefined, to: undefined, hour: undefined })}
      />
      <DayRange
        from={filter.from}
        to={filter.to}
        onChange={(days) => change({ ...days, last: undefined, hour: undefined })}
      />
      {filter.hour !== undefined && (
        <Button onClick={() => change({ hour: undefined })}>
          {say('wholeDay', { hour: filter.hour.slice(11, 16) })}
        </Button>
      )}
      <label>
        {say('live')}
        <span>
          <Switch aria-label={say('live')} checked={isLive} onChange={onLive} />
        </span>
      </label>
      {isFiltered && (
        <Button type="link" onClick={clear}>
          {say('clear')}
        </Button>
      )}
    </div>
  );
}

const spanNames = Object.keys(spans).filter((name): name is Span => name in spans);

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
