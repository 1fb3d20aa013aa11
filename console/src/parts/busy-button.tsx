/** A button that does one thing at a time, shows that it is at it, and says why it could not. */
import { Button, type ButtonProps } from 'antd';
import { type ReactNode, useState } from 'react';
import { useErrorText } from './error-text.ts';
import { notifyError } from './notify.ts';

interface BusyButtonProps {
  children: ReactNode;
  /** Rejects with what is to be said. */
  act: () => Promise<unknown>;
  disabled?: NonNullable<ButtonProps['disabled']>;
}

export function BusyButton({ children, act, disabled = false }: BusyButtonProps) {
  const textOf = useErrorText();
  const [isBusy, setBusy] = useState(false);
  const press = async () => {
    setBusy(true);
    try {
      await act();
    } catch (error) {
      notifyError(textOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button disabled={disabled} loading={isBusy} onClick={() => void press()}>
      {children}
    </Button>
  );
}
