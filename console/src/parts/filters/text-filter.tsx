/** A filter of a list that is typed: it is asked for when it is whole, on Enter, or when the field is left. */
import { Input } from 'antd';
import { useState } from 'react';
import './filters.css';

interface TextFilterProps {
  label: string;
  hint: string;
  value: string | undefined;
  /** What can't be asked for. */
  isWrong: (text: string) => boolean;
  /** Said then. */
  wrong: string;
  onChange: (value: string | undefined) => void;
}

/** Give it the value as its `key`, so that one that is changed from outside is shown. */
export function TextFilter({ label, hint, value, isWrong, wrong, onChange }: TextFilterProps) {
  const [text, setText] = useState(value ?? '');
  const typed = text.trim();
  const isRefused = typed !== '' && isWrong(typed);
  const take = () => {
    if (!isRefused && typed !== (value ?? '')) onChange(typed === '' ? undefined : typed);
  };
  return (
    <label>
      {label}
      <Input
        className="tg-id-field"
        placeholder={hint}
        value={text}
        status={isRefused ? 'error' : ''}
        aria-invalid={isRefused}
        onChange={({ target }) => setText(target.value)}
        onPressEnter={take}
        onBlur={take}
      />
      {isRefused && <span role="alert">{wrong}</span>}
    </label>
  );
}
