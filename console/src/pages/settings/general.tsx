/** The account's name, time zone and alert. */
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { AccountSettingsForm } from '../../parts/account-settings/account-settings-form.tsx';
import { Fact } from '../../parts/fact.tsx';
import { Money } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useAccountId } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import type { Settings } from './index.tsx';
import { texts } from './texts.ts';

export function General({ settings, mayChange }: { settings: Settings; mayChange: boolean }) {
  const say = useTexts(texts);
  const account = useAccountId();
  const queries = useQueryClient();
  const { name, time_zone: timeZone, low_balance: lowBalance } = settings;
  const params = { path: { account } };
  return (
    <Panel title={say('general')}>
      {mayChange ? (
        <AccountSettingsForm
          key={JSON.stringify([name, timeZone, lowBalance])}
          fields={['name', 'time_zone', 'low_balance']}
          settings={settings}
          save={(body) => api.PATCH('/console/api/accounts/{account}/settings', { params, body })}
          // All pages show times in the zone, and the session has it and the name.
          onSaved={() => void queries.invalidateQueries()}
        />
      ) : (
        <dl className="tg-facts">
          <Fact name={say('name')}>{name}</Fact>
          <Fact name={say('timeZone')}>{timeZone}</Fact>
          <Fact name={say('lowBalance')}>{lowBalance === null ? say('noAlert') : <Money amount={lowBalance} />}</Fact>
        </dl>
      )}
    </Panel>
  );
}
