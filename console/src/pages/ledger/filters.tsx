/** The controls above the entries. Models and keys to choose from are those that were charged in the last 90 days. */
import { Button, Input, Select } from 'antd';
import { useState } from 'react';
import { query } from '../../api/client.ts';
import { utcDay } from '../../parts/days.ts';
import { useAccountId } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { entryTypes, type Filter, isId } from './filter.ts';
import { texts } from './texts.ts';

const choiceDays = 90;
const choicesStaleMs = 60_000;

interface FiltersProps {
  filter: Filter;
  isFiltered: boolean;
  onChange: (change: Partial<Filter>) => void;
  onClear: () => void;
}

export function Filters({ filter, isFiltered, onChange, onClear }: FiltersProps) {
  const say = useTexts(texts);
  const models = useCharged('model').map(({ model = '' }) => ({ value: model, label: model }));
  const keys = useCharged('key').map(({ key_id: id = '', key_name: name }) => ({ value: id, label: name ?? id }));
  return (
    <div className="tg-filters">
      <Choice
        label={say('type')}
        value={filter.type}
        options={entryTypes.map((type) => ({ value: type, label: say(type) }))}
        onChange={(value) => onChange({ type: entryTypes.find((type) => type === value) })}
      />
      <Choice label={say('model')} value={filter.model} options={models} onChange={(model) => onChange({ model })} />
      <Choice label={say('key')} value={filter.key} options={keys} onChange={(key) => onChange({ key })} />
      <IdField key={filter.id ?? ''} id={filter.id} onChange={(id) => onChange({ id })} />
      <label>
        {say('from')}
        <Input
          type="date"
          value={filter.from ?? ''}
          max={filter.to ?? utcDay()}
          onChange={({ target: { value } }) => onChange({ from: value === '' ? undefined : value })}
        />
      </label>
      <label>
        {say('to')}
        <Input
          type="date"
          value={filter.to ?? ''}
          min={filter.from}
          max={utcDay()}
          onChange={({ target: { value } }) => onChange({ to: value === '' ? undefined : value })}
        />
      </label>
      {isFiltered && (
        <Button type="link" onClick={onClear}>
          {say('clear')}
        </Button>
      )}
    </div>
  );
}

interface ChoiceProps {
  label: string;
  value: string | undefined;
  options: readonly { value: string; label: string }[];
  onChange: (value: string | undefined) => void;
}

/** One of many, or all. A value of the address that is none of the options can be seen and taken off all the same. */
function Choice({ label, value, options, onChange }: ChoiceProps) {
  const say = useTexts(texts);
  const known = value === undefined || options.some((option) => option.value === value);
  return (
    <label>
      {label}
      <Select
        aria-label={label}
        showSearch={{ optionFilterProp: 'label' }}
        allowClear
        placeholder={say('all')}
        value={value}
        options={known ? [...options] : [{ value, label: value }, ...options]}
        onChange={(chosen: string | undefined) => onChange(chosen)}
      />
    </label>
  );
}

/** An id is asked for when it is whole: on Enter, or when the field is left. */
function IdField({ id, onChange }: { id: string | undefined; onChange: (id: string | undefined) => void }) {
  const say = useTexts(texts);
  const [text, setText] = useState(id ?? '');
  const typed = text.trim();
  const isWrong = typed !== '' && !isId(typed);
  const take = () => {
    if (!isWrong && typed !== (id ?? '')) onChange(typed === '' ? undefined : typed);
  };
  return (
    <label>
      {say('id')}
      <Input
        className="tg-id-field"
        placeholder={say('idHint')}
        value={text}
        status={isWrong ? 'error' : ''}
        aria-invalid={isWrong}
        onChange={({ target }) => setText(target.value)}
        onPressEnter={take}
        onBlur={take}
      />
      {isWrong && <span role="alert">{say('wrongId')}</span>}
    </label>
  );
}

function useCharged(by: 'model' | 'key') {
  const account = useAccountId();
  const path = { params: { path: { account }, query: { group_by: by, from: utcDay(choiceDays) } } };
  const { data } = query.useQuery('get', '/console/api/accounts/{account}/usage', path, {
    staleTime: choicesStaleMs,
  });
  return data?.data ?? [];
}
