/** The people of an account and their roles, and the invitations by which others come in. */
import { UserAddOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { PageHead } from '../../parts/page-head.tsx';
import { useMayChange } from '../../parts/use-account.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { Invitations } from './invitations.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { Members } from './members.tsx';
import { texts } from './texts.ts';
import '../../parts/cards.css';
import './team.css';

export function Component() {
  const say = useTexts(texts);
  const mayChange = useMayChange();
  const [isInviting, setInviting] = useState(false);
  return (
    <div className="tg-team">
      <PageHead
        title={say('title')}
        description={mayChange ? say('description') : say('readOnly')}
        actions={
          mayChange && (
            <Button type="primary" icon={<UserAddOutlined />} onClick={() => setInviting(true)}>
              {say('invite')}
            </Button>
          )
        }
      />
      <section aria-labelledby="tg-members">
        <h2 id="tg-members">{say('members')}</h2>
        <Members />
      </section>
      <section aria-labelledby="tg-invitations">
        <h2 id="tg-invitations">{say('invitations')}</h2>
        <Invitations />
      </section>
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </div>
  );
}
