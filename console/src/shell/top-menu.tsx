/** A button of the top bar with a menu. The menu is loaded when the pointer or the focus comes near it, and opens once it is there. */
import { Button, type MenuProps } from 'antd';
import { lazy, type ReactElement, Suspense, useState } from 'react';

const loadMenu = () => import('./open-menu.tsx');
const OpenMenu = lazy(loadMenu);

interface TopMenuProps {
  icon: ReactElement;
  label: string;
  menu: MenuProps;
}

export function TopMenu({ icon, label, menu }: TopMenuProps) {
  const [isWanted, setWanted] = useState(false);
  const near = () => void loadMenu();
  const button = (
    <Button
      type="text"
      icon={icon}
      aria-label={label}
      aria-haspopup="menu"
      onPointerEnter={near}
      onFocus={near}
      onClick={() => setWanted(true)}
    />
  );
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <OpenMenu menu={menu} icon={icon} label={label} />
    </Suspense>
  );
}
