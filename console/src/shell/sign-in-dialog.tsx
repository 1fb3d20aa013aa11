/** Over the page, when the session has ended in the middle of something: see `api/sign-in-again.ts`. */
import { Button, Modal } from 'antd';
import { queryClient } from '../api/client.ts';
import { leave, type Session } from '../api/session.ts';
import { signInWanted } from '../api/sign-in-again.ts';
import { useStore } from '../api/store.ts';
import { useTexts } from '../texts/define-texts.ts';
import { SignInForm } from './sign-in-form.tsx';
import { shellTexts } from './texts.ts';

export default function SignInDialog() {
  const say = useTexts(shellTexts);
  const isOpen = useStore(signInWanted);
  const session = queryClient.getQueryData<Session>(['session']);
  return (
    <Modal
      open={isOpen}
      title={say('signInAgainTitle')}
      footer={null}
      closable={false}
      mask={{ closable: false }}
      keyboard={false}
      destroyOnHidden
      width={420}
      zIndex={2_000}
    >
      <p className="tg-quiet">{say('signInAgain')}</p>
      <SignInForm email={session?.person.email} />
      <Button type="link" block onClick={leave}>
        {say('leave')}
      </Button>
    </Modal>
  );
}
