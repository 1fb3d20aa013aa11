/** The people, and what an operator can do with each. */
import { CheckCircleOutlined, CrownOutlined, StopOutlined } from '@ant-design/icons';
import { useQueryClient } from '@tanstack/react-query';
import { Button, Tag } from 'antd';
import { useState } from 'react';
import { Link } from 'react-router';
import { api, type Answer } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { useErrorText } from '../../parts/error-text.ts';
import { notifyError } from '../../parts/notify.ts';
import { LinkDialog } from '../../parts/operator/link-dialog.tsx';
import { Listed } from '../../parts/operator/listed.tsx';
import { type Column, Rows } from '../../parts/operator/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { useListing } from '../../parts/use-listing.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { texts } from './texts.ts';

type Person = Answer<'listPeople'>['data'][number];

const peopleKey = 'operator-people';
const pageRows = 25;

export function People({ search }: { search: string }) {
  const say = useTexts(texts);
  const [link, setLink] = useState<Answer<'makePersonLink'>>();
  const listing = useListing({
    key: [peopleKey, search],
    read: async (cursor, signal) => {
      const query = { limit: pageRows, ...(cursor !== undefined && { cursor }), ...(search !== '' && { search }) };
      const { data } = await api.GET('/console/api/operator/people', { params: { query }, signal });
      return data ?? { data: [], has_more: false };
    },
  });
  const columns: Column<Person>[] = [
    { key: 'email', title: say('email'), render: (person) => <Address of={person} /> },
    { key: 'state', title: say('state'), isPlain: true, render: (person) => <State of={person} /> },
    { key: 'accounts', title: say('accounts'), render: ({ accounts }) => <Accounts of={accounts} /> },
    {
      key: 'seen',
      title: say('lastSeen'),
      render: ({ last_seen: at }) => (at === null ? say('notSignedIn') : <Time at={at} relative />),
    },
    { key: 'acts', title: say('actions'), isPlain: true, render: (person) => <Acts of={person} onLink={setLink} /> },
  ];
  return (
    <>
      <Listed listing={listing} empty={say('noneFound')}>
        {(items) => <Rows caption={say('title')} columns={columns} items={items} idOf={({ id }) => id} />}
      </Listed>
      {link && <LinkDialog link={link} onDone={() => setLink(undefined)} />}
    </>
  );
}

function Address({ of: { email, joined_by_account: account } }: { of: Person }) {
  const say = useTexts(texts);
  return (
    <>
      <strong>{email}</strong>
      {account && <div className="tg-rows-hint">{say('joinedBy', { account: account.name })}</div>}
    </>
  );
}

function State({ of: { is_disabled: isDisabled, is_operator: isOperator } }: { of: Person }) {
  const say = useTexts(texts);
  return (
    <span className="tg-people-tags">
      {isDisabled ? (
        <Tag color="error" icon={<StopOutlined />}>
          {say('disabled')}
        </Tag>
      ) : (
        <Tag color="success" icon={<CheckCircleOutlined />}>
          {say('active')}
        </Tag>
      )}
      {isOperator && (
        <Tag color="processing" icon={<CrownOutlined />}>
          {say('operator')}
        </Tag>
      )}
    </span>
  );
}

function Accounts({ of }: { of: Person['accounts'] }) {
  const say = useTexts(texts);
  if (of.length === 0) return <>{say('noAccounts')}</>;
  return (
    <ul>
      {of.map(({ id, name, role }) => (
        <li key={id}>
          <Link to={`/operator/accounts?account=${id}`}>{name}</Link> <span className="tg-rows-hint">{say(role)}</span>
        </li>
      ))}
    </ul>
  );
}

function Acts({ of, onLink }: { of: Person; onLink: (link: Answer<'makePersonLink'>) => void }) {
  const say = useTexts(texts);
  const textOf = useErrorText();
  const { person: self } = useSession();
  const queries = useQueryClient();
  const { id, email, is_disabled: isDisabled, is_operator: isOperator } = of;
  const params = { path: { person: id } };
  const changed = () => queries.invalidateQueries({ queryKey: [peopleKey] });
  const makeLink = async () => {
    try {
      const { data } = await api.POST('/console/api/operator/people/{person}/link', { params });
      if (data) onLink(data);
      void queries.invalidateQueries({ queryKey: ['operator-links'] });
    } catch (error) {
      notifyError(textOf(error));
    }
  };
  const disable = async (reason: string) => {
    await api.POST('/console/api/operator/people/{person}/disable', { params, body: { reason } });
    await changed();
  };
  const enable = async (reason: string) => {
    await api.POST('/console/api/operator/people/{person}/enable', { params, body: { reason } });
    await changed();
  };
  const makeOperator = async () => {
    const { data } = await api.POST('/console/api/operator/invitations', { body: { email, is_operator: true } });
    if (data) onLink(data);
    await queries.invalidateQueries({ queryKey: ['operator-links'] });
  };
  const removeOperator = async () => {
    await api.PUT('/console/api/operator/people/{person}/operator', { params, body: { is_operator: false } });
    await changed();
  };
  if (id === self.id) return <span className="tg-rows-hint">{say('you')}</span>;
  const small = { size: 'small', danger: false } as const;
  return (
    <span className="tg-buttons">
      {!isDisabled && (
        <Button size="small" aria-label={say('linkFor', { email })} onClick={() => void makeLink()}>
          {say('link')}
        </Button>
      )}
      {(isOperator || !isDisabled) && (
        <ConfirmButton
          title={say(isOperator ? 'unmakeTitle' : 'makeTitle', { email })}
          text={say(isOperator ? 'unmakeText' : 'makeText')}
          onConfirm={isOperator ? removeOperator : makeOperator}
          buttonProps={small}
        >
          {say(isOperator ? 'unmake' : 'make')}
        </ConfirmButton>
      )}
      {isDisabled ? (
        <ConfirmButton title={say('enableTitle', { email })} withReason onConfirm={enable} buttonProps={small}>
          {say('enable')}
        </ConfirmButton>
      ) : (
        <ConfirmButton
          title={say('disableTitle', { email })}
          text={say('disableText')}
          withReason
          onConfirm={disable}
          buttonProps={{ size: 'small' }}
        >
          {say('disable')}
        </ConfirmButton>
      )}
    </span>
  );
}
