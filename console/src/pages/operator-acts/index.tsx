/** The audit log: who changed what, when and why. */
import { Input } from 'antd';
import { api } from '../../api/client.ts';
import { ActLog } from '../../parts/acts/act-log.tsx';
import { actions, isKnown } from '../../parts/acts/action-texts.ts';
import { isDay, rangeOf } from '../../parts/days.ts';
import { useAddressFilter } from '../../parts/filters/use-address-filter.ts';
import { useLate } from '../../parts/use-late.ts';
import { useListing } from '../../parts/use-listing.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { ActRows } from './act-rows.tsx';
import { texts } from './texts.ts';

const pageRows = 50;
const names = ['account', 'actor', 'action', 'from', 'to'] as const;
type Filter = Partial<Record<(typeof names)[number], string>>;

export function Component() {
  const say = useTexts(texts);
  const inAddress = useAddressFilter(names, isGood);
  const { filter, change } = inAddress;
  const late = useLate(JSON.stringify(filter));
  const listing = useListing({
    key: ['operator-acts', late],
    read: async (cursor, signal) => {
      const query = { limit: pageRows, ...(cursor !== undefined && { cursor }), ...askedOf(filter) };
      const { data } = await api.GET('/console/api/operator/acts', { params: { query }, signal });
      return data ?? { data: [], has_more: false };
    },
  });
  return (
    <ActLog
      description={say('description')}
      file={`/console/api/operator/acts.csv?${new URLSearchParams(askedOf(filter)).toString()}`}
      actions={actions}
      filter={inAddress}
      otherFilters={
        <>
          <label>
            {say('actor')}
            <Input
              allowClear
              maxLength={256}
              value={filter.actor ?? ''}
              onChange={({ target }) => change({ actor: target.value })}
            />
          </label>
          <label>
            {say('account')}
            <Input
              allowClear
              maxLength={36}
              value={filter.account ?? ''}
              onChange={({ target }) => change({ account: target.value })}
            />
          </label>
        </>
      }
      listing={listing}
    >
      {(items) => (
        <ActRows acts={items} onActor={(actor) => change({ actor })} onAccount={(account) => change({ account })} />
      )}
    </ActLog>
  );
}

const isGood = (name: (typeof names)[number], value: string): boolean =>
  (name !== 'from' && name !== 'to') || isDay(value);

/** Days are those of UTC, as on all pages, the last one included; an id that is still being typed is left out. */
function askedOf({ from, to, account, actor, action }: Filter) {
  return {
    ...rangeOf('UTC', { from, to }),
    ...(account !== undefined && /^acc_[0-9a-f]{32}$/.test(account.trim()) && { account: account.trim() }),
    ...(actor !== undefined && actor.trim() !== '' && { actor: actor.trim() }),
    ...(action !== undefined && isKnown(action) && { action }),
  };
}
