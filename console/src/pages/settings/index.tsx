/** The settings of the account: a panel for each matter. */
import { query, type Answer } from '../../api/client.ts';
import { BodyRecordingPanel } from '../../parts/body-recording/body-recording-panel.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useAccountId, useMayChange, useOwns } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { General } from './general.tsx';
import { Retention } from './retention.tsx';
import './settings.css';
import { texts } from './texts.ts';
import { WebhookPanel } from './webhook-panel.tsx';

export type Settings = Answer<'getSettings'>;

export function Component() {
  const say = useTexts(texts);
  const account = useAccountId();
  const mayChange = useMayChange();
  const owns = useOwns();
  const path = { params: { path: { account } } };
  const { data, error, refetch } = query.useQuery('get', '/console/api/accounts/{account}/settings', path);
  return (
    <>
      <PageHead title={say('title')} description={say(mayChange ? 'description' : 'readOnly')} />
      {data ? (
        <div className="tg-settings">
          <General settings={data} mayChange={mayChange} />
          <WebhookPanel settings={data} />
          <Retention settings={data} />
          {mayChange && <BodyRecordingPanel account={account} owns={owns} />}
        </div>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Loading rows={8} />
      )}
    </>
  );
}
