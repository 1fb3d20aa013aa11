/** The controls above a list: few of them are always there, others behind "More filters", and on phones all behind one button. */
import { FilterOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { type ReactNode, useState } from 'react';
import { useTexts } from '../../texts/define-texts.ts';
import { filterTexts } from './texts.ts';
import './filters.css';

interface FilterPanelProps {
  /** How many filters are set, and how many of those are behind "More filters". */
  active: number;
  activeMore?: number;
  onClear: () => void;
  /** What is needed rarely. */
  more?: ReactNode;
  /** What is no filter, such as whether the list is live. */
  aside?: ReactNode;
  children: ReactNode;
}

export function FilterPanel({ active, activeMore = 0, onClear, more, aside, children }: FilterPanelProps) {
  const say = useTexts(filterTexts);
  const [isOpen, setOpen] = useState(false);
  // What narrows the list is in view.
  const [isMoreOpen, setMoreOpen] = useState(activeMore > 0);
  return (
    <search className="tg-filter-panel" aria-label={say('filters')} data-open={isOpen || undefined}>
      <Button
        className="tg-filters-toggle"
        icon={<FilterOutlined />}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {active > 0 ? say('filtersSet', { count: active }) : say('filters')}
      </Button>
      <div className="tg-filters">
        {children}
        {more !== undefined && (
          <Button aria-expanded={isMoreOpen} onClick={() => setMoreOpen(!isMoreOpen)}>
            {say(isMoreOpen ? 'fewer' : 'more')}
            {activeMore > 0 && ` (${activeMore})`}
          </Button>
        )}
        {active > 0 && (
          <Button type="link" onClick={onClear}>
            {say('clear')}
          </Button>
        )}
        {aside}
      </div>
      {more !== undefined && isMoreOpen && <div className="tg-filters">{more}</div>}
    </search>
  );
}
