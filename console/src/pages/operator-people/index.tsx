/** People who can sign in, and the one-time links that invite others. */
import { UserAddOutlined } from '@ant-design/icons';
import { Button, Input } from 'antd';
import { useState } from 'react';
import { PageHead } from '../../parts/page-head.tsx';
import { useLate } from '../../parts/use-late.ts';
import { useTexts } from '../../texts/define-texts.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { Links } from './links.tsx';
import { People } from './people.tsx';
import { texts } from './texts.ts';
import './people.css';

export function Component() {
  const say = useTexts(texts);
  const [typed, setTyped] = useState('');
  const [isInviting, setInviting] = useState(false);
  const search = useLate(typed.trim());
  return (
    <div className="tg-all-people">
      <PageHead
        title={say('title')}
        description={say('description')}
        actions={
          <Button type="primary" icon={<UserAddOutlined />} onClick={() => setInviting(true)}>
            {say('invite')}
          </Button>
        }
      />
      <section aria-label={say('title')}>
        <div className="tg-row-filters">
          <Input.Search
            aria-label={say('search')}
            placeholder={say('search')}
            allowClear
            maxLength={200}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </div>
        <People search={search} />
      </section>
      <section aria-labelledby="tg-links">
        <h2 id="tg-links">{say('links')}</h2>
        <Links />
      </section>
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </div>
  );
}
