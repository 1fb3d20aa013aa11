/** Copies a text, and says so for a moment. */
import { CheckOutlined, CopyOutlined } from '@ant-design/icons';
import { Button, type ButtonProps } from 'antd';
import { useEffect, useState } from 'react';
import { useTexts } from '../texts/define-texts.ts';
import { partsTexts } from './texts.ts';

const told_ms = 2_000;

interface CopyButtonProps {
  text: string;
  /** What is copied, for who can't see it; shown beside the icon if `withLabel`. */
  label?: string;
  withLabel?: boolean;
  type?: ButtonProps['type'];
}

export function CopyButton({ text, label, withLabel = false, type = 'text' }: CopyButtonProps) {
  const say = useTexts(partsTexts);
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), told_ms);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const name = isCopied ? say('copied') : (label ?? say('copy'));
  return (
    <Button
      type={type}
      icon={isCopied ? <CheckOutlined /> : <CopyOutlined />}
      aria-label={name}
      title={name}
      onClick={() => void copy(text).then(() => setCopied(true))}
    >
      {withLabel ? name : undefined}
    </Button>
  );
}

/** Browsers have a clipboard on https and localhost only; elsewhere the older way still works. */
async function copy(text: string): Promise<void> {
  if (window.isSecureContext) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const field = document.createElement('textarea');
  field.value = text;
  (document.querySelector('[role=dialog]') ?? document.body).append(field); // a dialog lets no focus out
  field.select();
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way without https
  document.execCommand('copy');
  field.remove();
}
