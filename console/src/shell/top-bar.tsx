/** The bar above every page. */
import { MenuOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { Link } from 'react-router';
import { useTexts } from '../texts/define-texts.ts';
import { AccountSwitcher } from './account-switcher.tsx';
import { PaletteButton } from './palette/palette-button.tsx';
import { PersonMenu } from './person-menu.tsx';
import { LanguageMenu, SchemeMenu } from './preferences.tsx';
import { shellTexts } from './texts.ts';
import { Wordmark } from './wordmark.tsx';

export function TopBar({ onOpenNavigation }: { onOpenNavigation: () => void }) {
  const say = useTexts(shellTexts);
  return (
    <header className="tg-top">
      <Button
        className="tg-phone-only"
        type="text"
        icon={<MenuOutlined />}
        aria-label={say('openNavigation')}
        onClick={onOpenNavigation}
      />
      <Link to="/" className="tg-home" aria-label={say('product')}>
        <Wordmark />
      </Link>
      <AccountSwitcher />
      <span className="tg-space" />
      <PaletteButton />
      <LanguageMenu />
      <SchemeMenu />
      <PersonMenu />
    </header>
  );
}
