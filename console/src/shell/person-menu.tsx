/** The signed-in person, with links to the profile and sign-out. */
import { LogoutOutlined, SettingOutlined, UserOutlined } from '@ant-design/icons';
import { App, Button, Dropdown } from 'antd';
import { useNavigate } from 'react-router';
import { signOut, useSession } from '../api/session.ts';
import { useErrorText } from '../parts/error-text.ts';
import { useTexts } from '../texts/define-texts.ts';
import { shellTexts } from './texts.ts';

export function PersonMenu() {
  const say = useTexts(shellTexts);
  const textOf = useErrorText();
  const { person } = useSession();
  const navigate = useNavigate();
  const { message } = App.useApp();
  const leave = () => signOut().catch((error: unknown) => message.error(textOf(error)));
  return (
    <Dropdown
      trigger={['click']}
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
    >
      <Button type="text" icon={<UserOutlined />} aria-label={say('you', { email: person.email })} />
    </Dropdown>
  );
}
