/** The webhook, low-balance threshold and time zone of an account, as operators set them. */
import { api } from '../../api/client.ts';
import { AccountSettingsForm } from '../../parts/account-settings/account-settings-form.tsx';
import { BodyRecordingPanel } from '../../parts/body-recording/body-recording-panel.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import type { Account } from './accounts.ts';
import { texts } from './texts.ts';

export function SettingsForm({ account, onDone }: { account: Account; onDone: () => void }) {
  const say = useTexts(texts);
  return (
    <section aria-labelledby="tg-account-settings">
      <h3 id="tg-account-settings">{say('settings')}</h3>
      <AccountSettingsForm
        fields={['webhook_url', 'low_balance', 'time_zone']}
        settings={account}
        save={(body) =>
          api.PATCH('/console/api/operator/accounts/{account}', { params: { path: { account: account.id } }, body })
        }
        onSaved={onDone}
      />
      <BodyRecordingPanel account={account.id} owns={false} />
    </section>
  );
}
