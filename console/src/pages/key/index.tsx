/** One API key: what it may do, how much of its limits is used, what it cost, and its last requests. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'react-router';
import { api } from '../../api/client.ts';
import { toConsoleError } from '../../api/error.ts';
import { ErrorState } from '../../parts/error-state.tsx';
import { NotRead, NotThere } from '../../parts/one-page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useAccountId } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { ChangeDrawer } from '../keys/change-drawer.tsx';
import type { Key } from '../keys/key-fields.ts';
import { KeyLimits } from '../keys/key-limits.tsx';
import '../../parts/cards.css';
import '../keys/keys.css';
import { Facts } from './facts.tsx';
import { KeyHead } from './key-head.tsx';
import { LastRequests } from './last-requests.tsx';
import { texts } from './texts.ts';
import { Usage } from './usage.tsx';

/** A call shall be seen about when its program has its answer. */
const refreshMs = 2_000;

export function Component() {
  const say = useTexts(texts);
  const { key: id = '' } = useParams();
  const [changed, setChanged] = useState<Key>();
  const { data, error, refetch } = useKey(id);
  if (error !== null && toConsoleError(error).status === 404) return <NoSuchKey />;
  if (!data) return <NotRead title={say('title')} error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <KeyHead of={data} onChange={() => setChanged(data)} />
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      <div className="tg-pair">
        <Panel title={say('limits')}>
          <KeyLimits of={data} isWhole />
        </Panel>
        <Panel title={say('facts')}>
          <Facts of={data} />
        </Panel>
      </div>
      <Usage of={id} />
      <LastRequests of={id} />
      {changed !== undefined && <ChangeDrawer changed={changed} onClose={() => setChanged(undefined)} />}
    </>
  );
}

/** Under the name of the lists, so that what changes a key renews it as well. */
function useKey(id: string) {
  const account = useAccountId();
  return useQuery({
    queryKey: ['keys', account, 'one', id],
    queryFn: async ({ signal }) => {
      const init = { params: { path: { account, key: id } }, signal };
      const { data } = await api.GET('/console/api/accounts/{account}/keys/{key}', init);
      if (!data) throw new TypeError('an answer without a key');
      return data;
    },
    refetchInterval: refreshMs,
  });
}

function NoSuchKey() {
  const say = useTexts(texts);
  const account = useAccountId();
  return (
    <NotThere title={say('noSuchKeyTitle')} text={say('noSuchKey')} to={`/${account}/keys`} toList={say('toKeys')} />
  );
}
