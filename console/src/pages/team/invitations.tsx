/** The invitations of the account and their state; owners revoke pending ones. */
import { CheckCircleOutlined, ClockCircleOutlined, HourglassOutlined, RollbackOutlined } from '@ant-design/icons';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Tag } from 'antd';
import { api, type Answer } from '../../api/client.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Time } from '../../parts/time.tsx';
import { useAccountId, useMayChange } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

type Invitation = Answer<'listInvitations'>['data'][number];

const refreshMs = 5_000;
const looks = {
  open: { color: 'processing', icon: <HourglassOutlined /> },
  used: { color: 'success', icon: <CheckCircleOutlined /> },
  revoked: { color: 'default', icon: <RollbackOutlined /> },
  expired: { color: 'default', icon: <ClockCircleOutlined /> },
} as const;

export function Invitations() {
  const say = useTexts(texts);
  const account = useAccountId();
  const mayChange = useMayChange();
  const list = useQuery({
    queryKey: ['invitations', account],
    queryFn: async ({ signal }) => {
      const init = { params: { path: { account } }, signal };
      return (await api.GET('/console/api/accounts/{account}/invitations', init)).data?.data ?? [];
    },
    refetchInterval: refreshMs,
  });
  if (list.isPending) return <Loading />;
  if (!list.data) return <ErrorState error={list.error} onRetry={() => void list.refetch()} />;
  if (list.data.length === 0) return <EmptyState text={say('noInvitations')} />;
  return (
    <ul className="tg-people" aria-label={say('invitations')}>
      {list.data.map((invitation) => (
        <li key={invitation.id}>
          <span>
            <strong>{invitation.email}</strong>
            <Tag color={looks[invitation.state].color} icon={looks[invitation.state].icon}>
              {say(invitation.state)}
            </Tag>
            {invitation.role && <Tag>{say(invitation.role)}</Tag>}
          </span>
          <span className="tg-hint">
            {(invitation.state === 'open' || invitation.state === 'expired') && (
              <>
                {say(invitation.state === 'open' ? 'expires' : 'expired')} <Time at={invitation.expires} />
              </>
            )}
          </span>
          {mayChange && <Revoke of={invitation} />}
        </li>
      ))}
    </ul>
  );
}

function Revoke({ of: { id, email, state } }: { of: Invitation }) {
  const say = useTexts(texts);
  const account = useAccountId();
  const queries = useQueryClient();
  if (state !== 'open') return <span className="tg-actions" />;
  return (
    <span className="tg-actions">
      <ConfirmButton
        title={say('revokeTitle', { email })}
        text={say('revokeText')}
        onConfirm={async () => {
          const init = { params: { path: { account, invitation: id } } };
          await api.DELETE('/console/api/accounts/{account}/invitations/{invitation}', init);
          await queries.invalidateQueries({ queryKey: ['invitations', account] });
        }}
        buttonProps={{ size: 'small', type: 'text', danger: true, 'aria-label': say('revokeOf', { email }) }}
      >
        {say('revoke')}
      </ConfirmButton>
    </span>
  );
}
