/** The account's audit log, for its owners: who did what, and when. */
import { api, query } from '../../api/client.ts';
import { ActLog } from '../../parts/acts/act-log.tsx';
import { actions } from '../../parts/acts/action-texts.ts';
import { logTexts } from '../../parts/acts/log-texts.ts';
import { isDay, rangeOf } from '../../parts/days.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Choice } from '../../parts/filters/choice.tsx';
import { useAddressFilter } from '../../parts/filters/use-address-filter.ts';
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
const offered = actions.filter(
  (action) => !hidden.some((start) => action.startsWith(start)) && !hiddenActions.includes(action),
);

export function Component() {
  return useMayChange() ? <Log /> : <Refused />;
}

function Refused() {
  const say = useTexts(texts);
  return (
    <>
      <PageHead title={useTexts(logTexts)('title')} />
      <EmptyState text={say('ownersOnly')} />
    </>
  );
}

function Log() {
  const say = useTexts(texts);
  const account = useAccountId();
  const [zone, zoneText] = [useZone(), useZoneText()];
  const filter = useAddressFilter(names, isGood);
  const { action, person, from, to } = filter.filter;
  const asked = {
    ...rangeOf(zone, { from, to }),
    ...(action !== undefined && { action }),
    ...(person !== undefined && { actor: person }),
  };
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
  return (
    <ActLog
      description={`${say('description')} ${zoneText}`}
      file={`/console/api/accounts/${account}/acts.csv?${new URLSearchParams(asked).toString()}`}
      actions={offered}
      filter={filter}
      otherFilters={
        <Choice
          label={say('person')}
          value={person}
          onChange={(chosen) => filter.change({ person: chosen })}
          options={(members?.data ?? []).map(({ email }) => ({ value: email, label: email }))}
        />
      }
      listing={listing}
    >
      {(items) => <ActRows acts={items} />}
    </ActLog>
  );
}

const names = ['action', 'person', 'from', 'to'] as const;

const isGood = (name: (typeof names)[number], value: string): boolean => {
  if (name === 'action') return offered.includes(value);
  return name === 'person' || isDay(value);
};
