/** The list of accounts of `account-switcher.tsx`: open at first, with the focus. */
import { Select } from 'antd';
import { useState } from 'react';
import { useTexts } from '../texts/define-texts.ts';
import { shellTexts } from './texts.ts';

/** With more accounts than these the list has a search. */
const unsearchedMax = 8;

interface AccountSelectProps {
  id: string | null;
  options: { value: string; label: string }[];
  onChoose: (id: string) => void;
}

export default function AccountSelect({ id, options, onChoose }: AccountSelectProps) {
  const say = useTexts(shellTexts);
  const [isOpen, setOpen] = useState(true);
  return (
    <Select
      className="tg-switcher"
      aria-label={say('chooseAccount')}
      placeholder={say('account')}
      value={id}
      options={options}
      open={isOpen}
      onOpenChange={setOpen}
      autoFocus
      showSearch={options.length > unsearchedMax ? { optionFilterProp: 'label' } : false}
      popupMatchSelectWidth={false}
      onChange={(next: string | null) => {
        if (next !== null) onChoose(next);
      }}
    />
  );
}
