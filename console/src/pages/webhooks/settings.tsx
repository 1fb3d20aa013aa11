/** Where events go, what signs them, and trying both. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, query } from '../../api/client.ts';
import { AccountSettingsForm } from '../../parts/account-settings/account-settings-form.tsx';
import { BusyButton } from '../../parts/busy-button.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { useAccountId, useOwns } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { eventsKey } from '../../parts/webhooks/event.ts';
import { texts } from './texts.ts';

export function Settings() {
  const say = useTexts(texts);
  const account = useAccountId();
  const params = { params: { path: { account } } };
  const { data, error, refetch } = query.useQuery('get', '/console/api/accounts/{account}/webhook', params);
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading rows={4} />;
  return (
    <section className="tg-webhook-settings" aria-label={say('settings')}>
      <AccountSettingsForm
        key={`${data.webhook_url ?? ''} ${data.low_balance ?? ''}`}
        fields={['webhook_url', 'low_balance']}
        settings={data}
        save={(body) => api.PATCH('/console/api/accounts/{account}/webhook', { ...params, body })}
        onSaved={() => void refetch()}
      />
      <div className="tg-webhook-buttons">
        <TestButton hasWebhook={data.webhook_url !== null} />
        <SecretButtons />
      </div>
    </section>
  );
}

function TestButton({ hasWebhook }: { hasWebhook: boolean }) {
  const say = useTexts(texts);
  const account = useAccountId();
  const queries = useQueryClient();
  const test = async () => {
    await api.POST('/console/api/accounts/{account}/webhook/test', { params: { path: { account } } });
    await queries.invalidateQueries({ queryKey: [eventsKey, account] });
  };
  return (
    <BusyButton disabled={!hasWebhook} act={test}>
      {say('test')}
    </BusyButton>
  );
}

/** A secret of the account is not for operators. */
function SecretButtons() {
  const say = useTexts(texts);
  const account = useAccountId();
  const [secret, setSecret] = useState<string>();
  if (!useOwns()) return null;
  const params = { params: { path: { account } } };
  const show = async () => {
    const { data } = await api.GET('/console/api/accounts/{account}/webhook/secret', params);
    setSecret(data?.secret);
  };
  const rotate = async () => {
    const { data } = await api.POST('/console/api/accounts/{account}/webhook/secret/rotate', params);
    setSecret(data?.secret);
  };
  return (
    <>
      <BusyButton act={show}>{say('showSecret')}</BusyButton>
      <ConfirmButton
        title={say('rotateTitle')}
        text={say('rotateText')}
        onConfirm={rotate}
        buttonProps={{ danger: false }}
      >
        {say('rotate')}
      </ConfirmButton>
      {secret !== undefined && (
        <SecretDialog
          title={say('secret')}
          warning={say('secretWarning')}
          kind="key"
          label={say('secret')}
          secret={secret}
          onDone={() => setSecret(undefined)}
        />
      )}
    </>
  );
}
