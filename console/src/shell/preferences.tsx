/** The reader's own: language and theme. */
import { DesktopOutlined, MoonOutlined, SunOutlined, TranslationOutlined } from '@ant-design/icons';
import { Button, Dropdown } from 'antd';
import { useTexts } from '../texts/define-texts.ts';
import { chooseLanguage, useLanguage } from '../texts/language.ts';
import { chooseScheme, useIsDark, useSchemeChoice } from '../theme/scheme.ts';
import { shellTexts } from './texts.ts';

export function LanguageMenu() {
  const say = useTexts(shellTexts);
  const language = useLanguage();
  return (
    <Dropdown
      trigger={['click']}
      menu={{
        selectable: true,
        selectedKeys: [language],
        items: [
          { key: 'zh', label: <span lang="zh-CN">中文</span>, onClick: () => chooseLanguage('zh') },
          { key: 'en', label: <span lang="en">English</span>, onClick: () => chooseLanguage('en') },
        ],
      }}
    >
      <Button type="text" icon={<TranslationOutlined />} aria-label={say('language')} />
    </Dropdown>
  );
}

export function SchemeMenu() {
  const say = useTexts(shellTexts);
  const choice = useSchemeChoice();
  const isDark = useIsDark();
  return (
    <Dropdown
      trigger={['click']}
      menu={{
        selectable: true,
        selectedKeys: [choice],
        items: [
          { key: 'system', icon: <DesktopOutlined />, label: say('system'), onClick: () => chooseScheme('system') },
          { key: 'light', icon: <SunOutlined />, label: say('light'), onClick: () => chooseScheme('light') },
          { key: 'dark', icon: <MoonOutlined />, label: say('dark'), onClick: () => chooseScheme('dark') },
        ],
      }}
    >
      <Button type="text" icon={isDark ? <MoonOutlined /> : <SunOutlined />} aria-label={say('theme')} />
    </Dropdown>
  );
}
