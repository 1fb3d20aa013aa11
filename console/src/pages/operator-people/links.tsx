/** One-time links that were made, whatever became of them; those that are open can be taken back. */
import { useQueryClient } from '@tanstack/react-query';
import { Tag } from 'antd';
import { api, type Answer } from '../../api/client.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { ActorName } from '../../parts/operator/actor.tsx';
import { Listed } from '../../parts/operator/listed.tsx';
import { type Column, Rows } from '../../parts/operator/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { useListing } from '../../parts/use-listing.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

type OneTimeLink = Answer<'listLinks'>['data'][number];

const linksKey = 'operator-links';
const pageRows = 10;

export function Links() {
  const say = useTexts(texts);
  const listing = useListing({
    key: [linksKey],
    read: async (cursor, signal) => {
      const query = { limit: pageRows, ...(cursor !== undefined && { cursor }) };
      const { data } = await api.GET('/console/api/operator/invitations', { params: { query }, signal });
      return data ?? { data: [], has_more: false };
    },
  });
  const columns: Column<OneTimeLink>[] = [
    { key: 'email', title: say('email'), render: ({ email }) => <strong>{email}</strong> },
    { key: 'to', title: say('offer'), render: (link) => <Offer of={link} /> },
    { key: 'state', title: say('state'), isPlain: true, render: ({ state }) => <LinkState state={state} /> },
    { key: 'by', title: say('by'), render: ({ invited_by: by }) => <ActorName of={by} /> },
    { key: 'created', title: say('made'), render: ({ created }) => <Time at={created} relative /> },
    {
      key: 'acts',
      title: say('actions'),
      isPlain: true,
      render: (link) => (link.state === 'open' ? <Revoke of={link} /> : null),
    },
  ];
  return (
    <Listed listing={listing} empty={say('noLinks')}>
      {(items) => <Rows caption={say('links')} columns={columns} items={items} idOf={({ id }) => id} />}
    </Listed>
  );
}

function Offer({ of: { account_name: account, role, is_operator: isOperator } }: { of: OneTimeLink }) {
  const say = useTexts(texts);
  const offered = [
    ...(account !== null && role !== null ? [say(role === 'owner' ? 'ownerOf' : 'memberOf', { account })] : []),
    ...(isOperator ? [say('operator')] : []),
  ];
  return <>{offered.length === 0 ? say('newPassword') : offered.join(', ')}</>;
}

const colours = { open: 'processing', used: 'success', revoked: 'default', expired: 'default' } as const;

function LinkState({ state }: { state: OneTimeLink['state'] }) {
  const say = useTexts(texts);
  return <Tag color={colours[state]}>{say(state)}</Tag>;
}

function Revoke({ of: { id, email } }: { of: OneTimeLink }) {
  const say = useTexts(texts);
  const queries = useQueryClient();
  const revokeLink = async () => {
    await api.DELETE('/console/api/operator/invitations/{invitation}', { params: { path: { invitation: id } } });
    await queries.invalidateQueries({ queryKey: [linksKey] });
  };
  return (
    <ConfirmButton
      title={say('revokeTitle', { email })}
      text={say('revokeText')}
      onConfirm={revokeLink}
      buttonProps={{ size: 'small' }}
    >
      {say('revoke')}
    </ConfirmButton>
  );
}
