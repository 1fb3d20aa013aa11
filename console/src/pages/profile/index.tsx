/** The reader's own: password, the browsers they are signed in with, language and theme. */
import { Card } from 'antd';
import { useSession } from '../../api/session.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { useTexts } from '../../texts/define-texts.ts';
import { Look } from './look.tsx';
import { PasswordForm } from './password-form.tsx';
import { SignIns } from './sign-ins.tsx';
import { texts } from './texts.ts';
import '../../parts/cards.css';
import './profile.css';

export function Component() {
  const say = useTexts(texts);
  const { person } = useSession();
  return (
    <>
      <PageHead title={say('title')} description={say('description', { email: person.email })} />
      <div className="tg-profile">
        <Card title={<h2>{say('sessions')}</h2>}>
          <p className="tg-hint">{say('sessionsNote')}</p>
          <SignIns />
        </Card>
        <Card title={<h2>{say('password')}</h2>}>
          <p className="tg-hint">{say('passwordNote')}</p>
          <PasswordForm />
        </Card>
        <Card title={<h2>{say('look')}</h2>}>
          <Look />
        </Card>
      </div>
    </>
  );
}
