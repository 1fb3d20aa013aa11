/** The people of the account; owners give them other roles, and remove them. */
import { CrownOutlined, EyeOutlined } from '@ant-design/icons';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Tag } from 'antd';
import { useId } from 'react';
import { api, type Answer } from '../../api/client.ts';
import { refreshSession, useSession } from '../../api/session.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Time } from '../../parts/time.tsx';
import { useAccountId, useMayChange } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

type Member = Answer<'listMembers'>['data'][number];

const refreshMs = 5_000;

export function Members() {
  const say = useTexts(texts);
  const account = useAccountId();
  const mayChange = useMayChange();
  const list = useQuery({
    queryKey: ['members', account],
    queryFn: async ({ signal }) => {
      const init = { params: { path: { account } }, signal };
      return (await api.GET('/console/api/accounts/{account}/members', init)).data?.data ?? [];
    },
    refetchInterval: refreshMs,
  });
  if (list.isPending) return <Loading />;
  if (!list.data) return <ErrorState error={list.error} onRetry={() => void list.refetch()} />;
  return (
    <ul className="tg-people" aria-label={say('members')}>
      {list.data.map((member) => (
        <li key={member.id}>
          <MemberName of={member} />
          <span className="tg-hint">
            {say('since')} <Time at={member.since} />
          </span>
          {mayChange && <MemberActions of={member} isLastOwner={isLastOwner(member, list.data)} />}
        </li>
      ))}
    </ul>
  );
}

/** Without them no person could change anything: the server refuses it, too. */
const isLastOwner = ({ id, role }: Member, all: readonly Member[]): boolean =>
  role === 'owner' && !all.some((other) => other.id !== id && other.role === 'owner' && !other.is_disabled);

function MemberName({ of: { id, email, role, is_disabled: isDisabled } }: { of: Member }) {
  const say = useTexts(texts);
  const { person } = useSession();
  return (
    <span>
      <strong>{email}</strong>
      <Tag icon={role === 'owner' ? <CrownOutlined /> : <EyeOutlined />}>{say(role)}</Tag>
      {id === person.id && <Tag color="processing">{say('you')}</Tag>}
      {isDisabled && <Tag color="warning">{say('disabled')}</Tag>}
    </span>
  );
}

function MemberActions({ of: { id, email, role }, isLastOwner: isLast }: { of: Member; isLastOwner: boolean }) {
  const say = useTexts(texts);
  const account = useAccountId();
  const { person } = useSession();
  const queries = useQueryClient();
  const reason = useId();
  const barred = isLast && { disabled: true, 'aria-describedby': reason };
  const path = { account, person: id };
  const other = role === 'owner' ? 'member' : 'owner';
  const make = role === 'owner' ? 'makeMember' : 'makeOwner';
  const refresh = async () => {
    await queries.invalidateQueries({ queryKey: ['members', account] });
    if (id === person.id) await refreshSession(); // what oneself may has changed
  };
  return (
    <span className="tg-actions">
      <ConfirmButton
        title={say(`${make}Title`, { email })}
        text={say(`${make}Text`)}
        onConfirm={async () => {
          const init = { params: { path }, body: { role: other } as const };
          await api.PATCH('/console/api/accounts/{account}/members/{person}', init);
          await refresh();
        }}
        buttonProps={{
          size: 'small',
          type: 'text',
          danger: false,
          'aria-label': say(`${make}Of`, { email }),
          ...barred,
        }}
      >
        {say(make)}
      </ConfirmButton>
      <ConfirmButton
        title={say('removeTitle', { email })}
        text={say('removeText')}
        onConfirm={async () => {
          await api.DELETE('/console/api/accounts/{account}/members/{person}', { params: { path } });
          await refresh();
        }}
        buttonProps={{ size: 'small', type: 'text', danger: true, 'aria-label': say('removeOf', { email }), ...barred }}
      >
        {say('remove')}
      </ConfirmButton>
      {isLast && (
        <span className="tg-hint" id={reason}>
          {say('lastOwner')}
        </span>
      )}
    </span>
  );
}
