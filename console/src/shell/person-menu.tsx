/** The signed-in person, with links to the profile and sign-out. */
import { LogoutOutlined, SettingOutlined, UserOutlined } from '@ant-design/icons';
import { useNavigate } from 'react-router';
import { signOut, useSession } from '../api/session.ts';
import { useErrorText } from '../parts/error-text.ts';
import { notifyError } from '../parts/notify.ts';
import { useTexts } from '../texts/define-texts.ts';
import { shellTexts } from './texts.ts';
import { TopMenu } from './top-menu.tsx';

export function PersonMenu() {
  const say = useTexts(shellTexts);
  const textOf = useErrorText();
  const { person } = useSession();
  const navigate = useNavigate();
  const leave = () => signOut().catch((error: unknown) => notifyError(textOf(error)));
  return (
    <TopMenu
      icon={<UserOutlined />}
      label={say('you', { email: person.email })}
      menu={{
        items: [
          { key: 'email', type: 'group', label: person.email },
          {
            key: 'profile',
            icon: <SettingOutlined />,
            label: say('profile'),
            onClick: () => void navigate('/profile'),
          },
          { key: 'out', icon: <LogoutOutlined />, label: say('signOut'), onClick: () => void leave() },
        ],
      }}
    />
  );
}
