/** The reader's own: language and theme. */
import { DesktopOutlined, MoonOutlined, SunOutlined, TranslationOutlined } from '@ant-design/icons';
import { useTexts } from '../texts/define-texts.ts';
import { chooseLanguage, useLanguage } from '../texts/language.ts';
import { chooseScheme, useIsDark, useSchemeChoice } from '../theme/scheme.ts';
import { shellTexts } from './texts.ts';
import { TopMenu } from './top-menu.tsx';

export function LanguageMenu() {
  const say = useTexts(shellTexts);
  const language = useLanguage();
  return (
    <TopMenu
      icon={<TranslationOutlined />}
      label={say('language')}
      menu={{
        selectable: true,
        selectedKeys: [language],
        items: [
          { key: 'zh', label: <span lang="zh-CN">中文</span>, onClick: () => chooseLanguage('zh') },
          { key: 'en', label: <span lang="en">English</span>, onClick: () => chooseLanguage('en') },
        ],
      }}
    />
  );
}

export function SchemeMenu() {
  const say = useTexts(shellTexts);
  const choice = useSchemeChoice();
  const isDark = useIsDark();
  return (
    <TopMenu
      icon={isDark ? <MoonOutlined /> : <SunOutlined />}
      label={say('theme')}
      menu={{
        selectable: true,
        selectedKeys: [choice],
        items: [
          { key: 'system', icon: <DesktopOutlined />, label: say('system'), onClick: () => chooseScheme('system') },
          { key: 'light', icon: <SunOutlined />, label: say('light'), onClick: () => chooseScheme('light') },
          { key: 'dark', icon: <MoonOutlined />, label: say('dark'), onClick: () => chooseScheme('dark') },
        ],
      }}
    />
  );
}
