/** Shows that the server can't be reached, retries until it is back, and then refetches everything on the page. */
import { Alert } from 'antd';
import { useEffect } from 'react';
import { queryClient } from '../api/client.ts';
import { serverIsAway } from '../api/reachability.ts';
import { send } from '../api/send.ts';
import { useStore } from '../api/store.ts';
import { useTexts } from '../texts/define-texts.ts';
import { shellTexts } from './texts.ts';

const askIntervalMs = 2_000;

export function UnreachableBanner() {
  const say = useTexts(shellTexts);
  const isAway = useStore(serverIsAway);
  useEffect(() => {
    if (!isAway) return;
    const timer = setInterval(() => void ask(), askIntervalMs);
    return () => {
      clearInterval(timer);
      void queryClient.invalidateQueries();
    };
  }, [isAway]);
  // The region is always there: a screen reader announces what changes in it.
  return (
    <div role="status" className="tg-banner">
      {isAway && <Alert banner showIcon type="warning" title={say('unreachable')} />}
    </div>
  );
}

/** Any answer will do; `send` notes what came of it. */
const ask = () => send(new Request('/console/api/session')).catch(() => undefined);
