/** The list of pages over the page, on phones: open at first. */
import { Drawer } from 'antd';
import { useTexts } from '../texts/define-texts.ts';
import { SideNavigation } from './side-navigation.tsx';
import { shellTexts } from './texts.ts';

interface NavigationDrawerProps {
  isOpen: boolean;
  onClose: () => void;
}

export default function NavigationDrawer({ isOpen, onClose }: NavigationDrawerProps) {
  const say = useTexts(shellTexts);
  return (
    <Drawer
      open={isOpen}
      onClose={onClose}
      placement="left"
      size={280}
      title={say('product')}
      rootClassName="tg-drawer"
    >
      <SideNavigation onGo={onClose} />
    </Drawer>
  );
}
