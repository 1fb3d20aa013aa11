/** The account's audit log, for its owners: who did what, and when. */
import { DownloadOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useSearchParams } from 'react-router';
import { api, query } from '../../api/client.ts';
import { actions, actionTexts, isKnown } from '../../parts/acts/action-texts.ts';
import { isDay, rangeOf } from '../../parts/days.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Choice } from '../../parts/filters/choice.tsx';
import { DayRange } from '../../parts/filters/day-range.tsx';
import { Listed } from '../../parts/operator/listed.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useAccountId, useMayChange } from '../../parts/use-account.ts';
import { useListing } from '../../parts/use-listing.ts';
import { useZone, useZoneText } from '../../parts/zone.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { ActRows } from './act-rows.tsx';
import { texts } from './texts.ts';

const pageRows = 50;
/** What happens to the log itself, or to all accounts, is not in it. */
const hidden = ['log.', 'model.', 'outcome.', 'password.'];
const hiddenActions = ['person.created', 'person.disabled', 'person.enabled'];

export function Component() {
  const say = useTexts(texts);
  const zoneText = useZoneText();
  if (!useMayChange()) return <Refused />;
  return <Log head={`${say('description')} ${zoneText}`} />;
}

function Refused() {
  const say = useTexts(texts);
  return (
    <>
      <PageHead title={say('title')} />
      <EmptyState text={say('ownersOnly')} />
    </>
  );
}

function Log({ head }: { head: string }) {
  const say = useTexts(texts);
  const sayAction = useTexts(actionTexts);
  const account = useAccountId();
  const { filter, asked, set } = useFilter();
  const path = { account };
  const { data: members } = query.useQuery('get', '/console/api/accounts/{account}/members', { params: { path } });
  const listing = useListing({
    key: ['acts', account, asked],
    read: async (cursor, signal) => {
      const params = { path, query: { limit: pageRows, ...(cursor !== undefined && { cursor }), ...asked } };
      const { data } = await api.GET('/console/api/accounts/{account}/acts', { params, signal });
      return data ?? { data: [], has_more: false };
    },
  });
  const file = `/console/api/accounts/${account}/acts.csv?${new URLSearchParams(asked).toString()}`;
  const isFiltered = Object.keys(asked).length > 0;
  const clear = { action: undefined, person: undefined, from: undefined, to: undefined };
  const reset = <Button onClick={() => set(clear)}>{say('reset')}</Button>;
  return (
    <>
      <PageHead
        title={say('title')}
        description={head}
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
          onChange={(action) => set({ action })}
          options={offered.map((value) => ({ value, label: isKnown(value) ? sayAction(value) : value }))}
        />
        <Choice
          label={say('person')}
          value={filter.person}
          onChange={(person) => set({ person })}
          options={(members?.data ?? []).map(({ email }) => ({ value: email, label: email }))}
        />
        <DayRange from={filter.from} to={filter.to} onChange={set} />
        {isFiltered && reset}
      </div>
      <Listed listing={listing} empty={say('none')} action={isFiltered ? reset : undefined}>
        {(items) => <ActRows acts={items} />}
      </Listed>
    </>
  );
}

const offered = actions.filter(
  (action) => !hidden.some((start) => action.startsWith(start)) && !hiddenActions.includes(action),
);

type Name = 'action' | 'person' | 'from' | 'to';

/** In the address, so that it can be sent. */
function useFilter() {
  const [search, setSearch] = useSearchParams();
  const zone = useZone();
  const filter: Readonly<Record<Name, string | undefined>> = {
    action: offered.find((action) => action === search.get('action')),
    person: search.get('person') ?? undefined,
    from: [search.get('from')].find(isDay),
    to: [search.get('to')].find(isDay),
  };
  const set = (change: Partial<Record<Name, string | undefined>>) =>
    setSearch(
      Object.entries({ ...filter, ...change }).flatMap(([name, value]): [string, string][] =>
        value === undefined || value === '' ? [] : [[name, value]],
      ),
      { replace: true },
    );
  const asked = {
    ...rangeOf(zone, filter),
    ...(filter.action !== undefined && { action: filter.action }),
    ...(filter.person !== undefined && { actor: filter.person }),
  };
  return { filter, asked, set };
}
