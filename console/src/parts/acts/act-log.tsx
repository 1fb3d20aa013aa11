/** The page of an audit log: its head, its filters and its entries, for owners and for operators. */
import { DownloadOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import type { ReactNode } from 'react';
import { useTexts } from '../../texts/define-texts.ts';
import { activeFilters } from '../filters/active-filters.ts';
import { Choice } from '../filters/choice.tsx';
import { DayRange } from '../filters/day-range.tsx';
import { FilterPanel } from '../filters/filter-panel.tsx';
import type { AddressFilter } from '../filters/use-address-filter.ts';
import { Listed } from '../operator/listed.tsx';
import { PageHead } from '../page-head.tsx';
import type { Listing } from '../use-listing.ts';
import { actionTexts, isKnown } from './action-texts.ts';
import { logTexts } from './log-texts.ts';

interface ActLogProps<Act> {
  description: string;
  /** The address of the CSV file. */
  file: string;
  /** The actions to choose from. */
  actions: readonly string[];
  filter: AddressFilter<'action' | 'from' | 'to'>;
  /** Those that only this log has. */
  otherFilters: ReactNode;
  listing: Listing<Act>;
  children: (acts: Act[]) => ReactNode;
}

export function ActLog<Act>(props: ActLogProps<Act>) {
  const { description, file, actions, otherFilters, listing, children } = props;
  const { filter, isFiltered, change, clear } = props.filter;
  const say = useTexts(logTexts);
  const sayAction = useTexts(actionTexts);
  const reset = <Button onClick={clear}>{say('reset')}</Button>;
  return (
    <>
      <PageHead
        title={say('title')}
        description={description}
        actions={
          <Button icon={<DownloadOutlined />} href={file} download>
            {say('csv')}
          </Button>
        }
      />
      <FilterPanel active={activeFilters(filter)} onClear={clear}>
        <DayRange from={filter.from} to={filter.to} onChange={change} />
        <Choice
          label={say('action')}
          value={filter.action}
          onChange={(action) => change({ action })}
          options={actions.map((value) => ({ value, label: isKnown(value) ? sayAction(value) : value }))}
        />
        {otherFilters}
      </FilterPanel>
      <Listed listing={listing} empty={say('none')} action={isFiltered ? reset : undefined}>
        {children}
      </Listed>
    </>
  );
}
