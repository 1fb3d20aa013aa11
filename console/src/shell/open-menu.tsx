/** The menu of `top-menu.tsx`: open at first, and then as its button says. */
import { Button, Dropdown, type MenuProps } from 'antd';
import { type ReactElement, useEffect, useRef, useState } from 'react';

interface OpenMenuProps {
  icon: ReactElement;
  label: string;
  menu: MenuProps;
}

export default function OpenMenu({ icon, label, menu }: OpenMenuProps) {
  const [isOpen, setOpen] = useState(true);
  const button = useRef<HTMLButtonElement>(null);
  // It takes the place of the button that was pressed, and its focus.
  useEffect(() => button.current?.focus(), []);
  return (
    <Dropdown trigger={['click']} open={isOpen} onOpenChange={setOpen} menu={menu}>
      <Button ref={button} type="text" icon={icon} aria-label={label} aria-haspopup="menu" aria-expanded={isOpen} />
    </Dropdown>
  );
}
