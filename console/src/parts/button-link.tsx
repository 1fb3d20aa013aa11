/** A link to a page of the console that looks like a button. */
import { Button, type ButtonProps } from 'antd';
import type { MouseEvent } from 'react';
import { useHref, useNavigate } from 'react-router';

export function ButtonLink({ to, ...props }: Omit<ButtonProps, 'href' | 'onClick'> & { to: string }) {
  const navigate = useNavigate();
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return; // into another tab or window
    event.preventDefault();
    void navigate(to);
  };
  return <Button {...props} href={useHref(to)} onClick={follow} />;
}
