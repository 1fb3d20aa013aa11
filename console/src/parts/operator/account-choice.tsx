/** A filter of operators' lists: one of all accounts, found by a part of its name or its id. */
import { keepPreviousData } from '@tanstack/react-query';
import { Select } from 'antd';
import { useState } from 'react';
import { query } from '../../api/client.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { partsTexts } from '../texts.ts';
import { useLate } from '../use-late.ts';

interface AccountChoiceProps {
  label: string;
  /** An account's id. */
  value: string | undefined;
  onChange: (account: string | undefined) => void;
}

const offeredMax = 20;

export function AccountChoice({ label, value, onChange }: AccountChoiceProps) {
  const say = useTexts(partsTexts);
  const [text, setText] = useState('');
  const search = useLate(text.trim());
  const found = query.useQuery(
    'get',
    '/console/api/operator/accounts',
    { params: { query: { limit: offeredMax, ...(search !== '' && { search }) } } },
    { placeholderData: keepPreviousData },
  );
  const offered = (found.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const isOffered = offered.some((option) => option.value === value);
  const chosen = query.useQuery(
    'get',
    '/console/api/operator/accounts/{account}',
    { params: { path: { account: value ?? '' } } },
    { enabled: value !== undefined && !isOffered, retry: false },
  );
  const kept = value !== undefined && !isOffered ? [{ value, label: chosen.data?.name ?? value }] : [];
  return (
    <label>
      {label}
      <Select
        aria-label={label}
        showSearch={{ filterOption: false, onSearch: setText }}
        allowClear
        placeholder={say('all')}
        value={value}
        options={[...kept, ...offered]}
        onChange={(account: string | undefined) => onChange(account)}
      />
    </label>
  );
}
