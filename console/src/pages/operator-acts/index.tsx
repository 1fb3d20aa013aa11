/** The audit log: who changed what, when and why. */
import { DownloadOutlined } from '@ant-design/icons';
import { Button, Input } from 'antd';
import { useSearchParams } from 'react-router';
import { api } from '../../api/client.ts';
import { isDay, rangeOf } from '../../parts/days.ts';
import { Choice } from '../../parts/filters/choice.tsx';
import { DayRange } from '../../parts/filters/day-range.tsx';
import { Listed } from '../../parts/operator/listed.tsx';
import { useLate } from '../../parts/use-late.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { useListing } from '../../parts/use-listing.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { ActRows } from './act-rows.tsx';
import { actions, actionTexts, isKnown } from '../../parts/acts/action-texts.ts';
import { texts } from './texts.ts';

const pageRows = 50;
const names = ['account', 'actor', 'action', 'from', 'to'] as const;
type Filter = Partial<Record<(typeof names)[number], string>>;

export function Component() {
  const say = useTexts(texts);
  const sayAction = useTexts(actionTexts);
  const [filter, setFilter] = useFilter();
  const late = useLate(JSON.stringify(filter));
  const listing = useListing({
    key: ['operator-acts', late],
    read: async (cursor, signal) => {
      const query = { limit: pageRows, ...(cursor !== undefined && { cursor }), ...askedOf(filter) };
      const { data } = await api.GET('/console/api/operator/acts', { params: { query }, signal });
      return data ?? { data: [], has_more: false };
    },
  });
  const set = (name: keyof Filter) => (value: string | undefined) => setFilter({ ...filter, [name]: value });
  const file = `/console/api/operator/acts.csv?${new URLSearchParams(askedOf(filter)).toString()}`;
  const isFiltered = Object.keys(filter).length > 0;
  const reset = <Button onClick={() => setFilter({})}>{say('reset')}</Button>;
  return (
    <>
      <PageHead
        title={say('title')}
        description={say('description')}
        actions={
          <Button icon={<DownloadOutlined />} href={file} download>
            {say('csv')}
          </Button>
        }
      />
      <div className="tg-filters" role="search" aria-label={say('filters')}>
        <Choice
          label={say('action')}
          value={filter.action}
          onChange={set('action')}
          options={actions.map((value) => ({ value, label: isKnown(value) ? sayAction(value) : value }))}
        />
        <label>
          {say('actor')}
          <Input
            allowClear
            maxLength={300}
            value={filter.actor ?? ''}
            onChange={({ target }) => set('actor')(target.value)}
          />
        </label>
        <label>
          {say('account')}
          <Input
            allowClear
            maxLength={36}
            value={filter.account ?? ''}
            onChange={({ target }) => set('account')(target.value)}
          />
        </label>
        <DayRange from={filter.from} to={filter.to} onChange={(days) => setFilter({ ...filter, ...days })} />
        {isFiltered && reset}
      </div>
      <Listed listing={listing} empty={say('none')} action={isFiltered ? reset : undefined}>
        {(items) => <ActRows acts={items} onActor={set('actor')} onAccount={set('account')} />}
      </Listed>
    </>
  );
}

/** In the address, so that other pages and people can point to what they mean. */
function useFilter(): [Filter, (filter: Partial<Record<keyof Filter, string | undefined>>) => void] {
  const [params, setParams] = useSearchParams();
  const filter: Filter = {};
  for (const name of names) {
    const value = params.get(name);
    const isUsable = name === 'from' || name === 'to' ? isDay(value) : value !== '';
    if (value !== null && isUsable) filter[name] = value;
  }
  const set: ReturnType<typeof useFilter>[1] = (next) => {
    const kept = names.flatMap((name): [string, string][] => {
      const value = next[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    });
    setParams(kept, { replace: true });
  };
  return [filter, set];
}

/** Days are those of UTC, as on all pages, the last one included; an id that is still being typed is left out. */
function askedOf({ from, to, account, actor, action }: Filter) {
  return {
    ...rangeOf('UTC', { from, to }),
    ...(account !== undefined && /^acc_[0-9a-f]{32}$/.test(account.trim()) && { account: account.trim() }),
    ...(actor !== undefined && actor.trim() !== '' && { actor: actor.trim() }),
    ...(action !== undefined && isKnown(action) && { action }),
  };
}
