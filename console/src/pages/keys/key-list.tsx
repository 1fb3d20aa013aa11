/** The keys: a table, and on narrow screens a card each. */
import { Grid } from 'antd';
import { Money } from '../../parts/money.tsx';
import { type Column, Rows } from '../../parts/operator/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { useMayChange } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { localeOf, useLanguage } from '../../texts/language.ts';
import { KeyActions } from './key-actions.tsx';
import type { Key } from './key-fields.ts';
import { KeyLimits } from './key-limits.tsx';
import { KeyName } from './key-name.tsx';
import { texts } from './texts.ts';

interface KeyListProps {
  keys: Key[];
  onChange: (key: Key) => void;
}

export function KeyList({ keys, onChange }: KeyListProps) {
  const isWide = Grid.useBreakpoint().lg;
  return isWide === true ? <KeyTable keys={keys} onChange={onChange} /> : <KeyCards keys={keys} onChange={onChange} />;
}

function KeyTable({ keys, onChange }: KeyListProps) {
  const say = useTexts(texts);
  const mayChange = useMayChange();
  const actions: Column<Key> = {
    key: 'actions',
    title: say('actions'),
    isPlain: true,
    render: (key) => <KeyActions of={key} onChange={() => onChange(key)} />,
  };
  return (
    <div className="tg-key-table">
      <Rows
        caption={say('title')}
        items={keys}
        idOf={({ id }) => id}
        columns={[
          { key: 'name', title: say('name'), render: (key) => <KeyName of={key} /> },
          { key: 'limits', title: say('limits'), render: (key) => <KeyLimits of={key} /> },
          { key: 'usage', title: say('usage'), isNumber: true, render: (key) => <Calls of={key} /> },
          { key: 'spent', title: say('spent'), isNumber: true, render: ({ spent }) => <Money amount={spent.total} /> },
          { key: 'used', title: say('lastUsed'), render: (key) => <LastUsed of={key} /> },
          ...(mayChange ? [actions] : []),
        ]}
      />
    </div>
  );
}

function KeyCards({ keys, onChange }: KeyListProps) {
  const say = useTexts(texts);
  const mayChange = useMayChange();
  return (
    <ul className="tg-cards" aria-label={say('title')}>
      {keys.map((key) => (
        <li key={key.id} className="tg-card">
          <KeyName of={key} />
          <dl className="tg-card-facts">
            <dt>{say('lastUsed')}</dt>
            <dd>
              <LastUsed of={key} />
            </dd>
            <dt>{say('usage')}</dt>
            <dd>
              <Calls of={key} />
            </dd>
            <dt>{say('spent')}</dt>
            <dd>
              <Money amount={key.spent.total} />
            </dd>
            <dt>{say('limits')}</dt>
            <dd>
              <KeyLimits of={key} />
            </dd>
          </dl>
          {mayChange && <KeyActions of={key} onChange={() => onChange(key)} />}
        </li>
      ))}
    </ul>
  );
}

function Calls({ of: { calls } }: { of: Key }) {
  const locale = localeOf(useLanguage());
  return <span className="tg-number">{new Intl.NumberFormat(locale).format(calls.total)}</span>;
}

function LastUsed({ of: { last_used: at } }: { of: Key }) {
  const say = useTexts(texts);
  return at === null ? <span className="tg-hint">{say('neverUsed')}</span> : <Time at={at} relative />;
}
