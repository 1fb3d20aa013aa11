/** A filter of a list: one of many, or all. */
import { Select } from 'antd';
import { useTexts } from '../../texts/define-texts.ts';
import { partsTexts } from '../texts.ts';
import './filters.css';

interface ChoiceProps {
  label: string;
  value: string | undefined;
  options: readonly { value: string; label: string }[];
  onChange: (value: string | undefined) => void;
}

/** A value of the address that is none of the options can be seen and taken off all the same. */
export function Choice({ label, value, options, onChange }: ChoiceProps) {
  const say = useTexts(partsTexts);
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
