/** One account: what it has, and what an operator can do with it. */
import { Alert, Button, Drawer, Flex } from 'antd';
import { useState } from 'react';
import { Link } from 'react-router';
import { api, query } from '../../api/client.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Money } from '../../parts/money.tsx';
import { AccountStatus } from '../../parts/operator/account-status.tsx';
import { Time } from '../../parts/time.tsx';
import { useFocusBack } from '../../parts/use-focus-back.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { type Account, useAccountsChanged } from './accounts.ts';
import { MoneyDialog } from './money-dialog.tsx';
import { SettingsForm } from './settings-form.tsx';
import { texts } from './texts.ts';
import '../../parts/cards.css';
import './accounts.css';

const refreshMs = 3_000;

export function AccountDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  useFocusBack();
  const say = useTexts(texts);
  const path = { params: { path: { account: id } } };
  const account = query.useQuery('get', '/console/api/operator/accounts/{account}', path, {
    refetchInterval: refreshMs,
  });
  const { data, error } = account;
  return (
    <Drawer open onClose={onClose} size={520} title={data?.name ?? say('account')}>
      {data ? (
        <Body account={data} refresh={() => void account.refetch()} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void account.refetch()} />
      ) : (
        <Loading rows={8} />
      )}
    </Drawer>
  );
}

function Body({ account, refresh }: { account: Account; refresh: () => void }) {
  const say = useTexts(texts);
  const changed = useAccountsChanged();
  const [booking, setBooking] = useState<'credit' | 'adjust'>();
  const { id, name, status } = account;
  const path = { account: id };
  const done = () => {
    changed();
    refresh();
  };
  const suspend = async (reason: string) => {
    await api.POST('/console/api/operator/accounts/{account}/suspend', { params: { path }, body: { reason } });
    done();
  };
  const resume = async (reason: string) => {
    await api.POST('/console/api/operator/accounts/{account}/resume', { params: { path }, body: { reason } });
    done();
  };
  return (
    <div className="tg-account">
      {account.in_arrears && <Alert type="warning" showIcon title={say('inArrears')} />}
      <Facts account={account} />
      <Flex wrap gap="small">
        <Button type="primary" onClick={() => setBooking('credit')}>
          {say('credit')}
        </Button>
        <Button onClick={() => setBooking('adjust')}>{say('adjust')}</Button>
        {status === 'active' ? (
          <ConfirmButton title={say('suspendTitle', { name })} text={say('suspendText')} withReason onConfirm={suspend}>
            {say('suspend')}
          </ConfirmButton>
        ) : (
          <ConfirmButton
            title={say('resumeTitle', { name })}
            text={say('resumeText')}
            withReason
            onConfirm={resume}
            buttonProps={{ danger: false }}
          >
            {say('resume')}
          </ConfirmButton>
        )}
      </Flex>
      <nav aria-label={say('pages')} className="tg-account-pages">
        {(['overview', 'ledger', 'tasks', 'keys', 'team'] as const).map((page) => (
          <Link key={page} to={`/${id}/${page}`}>
            {say(page)}
          </Link>
        ))}
        <Link to={`/operator/acts?account=${id}`}>{say('acts')}</Link>
      </nav>
      <SettingsForm account={account} onDone={done} />
      {booking && (
        <MoneyDialog
          kind={booking}
          account={account}
          onClose={() => {
            setBooking(undefined);
            done();
          }}
        />
      )}
    </div>
  );
}

function Facts({ account }: { account: Account }) {
  const say = useTexts(texts);
  return (
    <dl className="tg-card-facts">
      <dt>{say('balance')}</dt>
      <dd className="tg-account-balance">
        <Money amount={account.balance} />
      </dd>
      <dt>{say('held')}</dt>
      <dd>
        <Money amount={account.held} />
      </dd>
      <dt>{say('status')}</dt>
      <dd>
        <AccountStatus status={account.status} />
      </dd>
      <dt>{say('keys')}</dt>
      <dd>{account.keys}</dd>
      <dt>{say('members')}</dt>
      <dd>{account.members}</dd>
      <dt>{say('created')}</dt>
      <dd>
        <Time at={account.created} />
      </dd>
      <dt>{say('id')}</dt>
      <dd>
        <code>{account.id}</code>
      </dd>
    </dl>
  );
}
