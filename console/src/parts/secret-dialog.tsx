/** A secret that is shown once. Only the confirmation that it was saved closes the dialog: no click outside, no Escape, no browser back. */
import { Alert, Button, Checkbox, Modal } from 'antd';
import { useEffect, useId, useState, type ReactNode } from 'react';
import { useBlocker } from 'react-router';
import { useTexts } from '../texts/define-texts.ts';
import { CopyButton } from './copy-button.tsx';
import { partsTexts } from './texts.ts';
import './secret-dialog.css';

interface SecretDialogProps {
  title: string;
  /** What it is for, and that it is shown only once. */
  warning: string;
  kind: 'key' | 'link';
  /** The accessible name of the secret. */
  label: string;
  secret: string;
  /** What can be done with it. */
  children?: ReactNode;
  onDone: () => void;
}

export function SecretDialog({ title, warning, kind, label, secret, children, onDone }: SecretDialogProps) {
  const say = useTexts(partsTexts);
  const [isKept, setKept] = useState(false);
  const id = useId();
  useStaysHere();
  return (
    <Modal
      open
      title={title}
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      width={680}
      footer={
        <div className="tg-secret-end">
          <Checkbox checked={isKept} onChange={({ target }) => setKept(target.checked)}>
            {say(kind === 'key' ? 'keptKey' : 'keptLink')}
          </Checkbox>
          <Button type="primary" disabled={!isKept} onClick={onDone}>
            {say('done')}
          </Button>
        </div>
      }
    >
      <Alert type="warning" showIcon title={warning} />
      <div className="tg-secret" role="group" aria-labelledby={id}>
        <span id={id} className="tg-secret-label">
          {label}
        </span>
        <code>{secret}</code>
        <CopyButton text={secret} label={say(kind === 'key' ? 'copyKey' : 'copyLink')} withLabel type="primary" />
      </div>
      {children}
    </Modal>
  );
}

/** Blocks navigation: going back would lose the secret, and leaving the page asks first. */
function useStaysHere(): void {
  useBlocker(true);
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, []);
}
