/** Copies a text, and confirms it for a moment. */
import { CheckOutlined, CopyOutlined } from '@ant-design/icons';
import { Button, type ButtonProps } from 'antd';
import { useEffect, useState } from 'react';
import { useTexts } from '../texts/define-texts.ts';
import { copyText } from './copy-text.ts';
import { partsTexts } from './texts.ts';

const confirmedMs = 2_000;

interface CopyButtonProps {
  text: string;
  /** The accessible name; shown beside the icon if `withLabel`. */
  label?: string;
  withLabel?: boolean;
  type?: ButtonProps['type'];
}

export function CopyButton({ text, label, withLabel = false, type = 'text' }: CopyButtonProps) {
  const say = useTexts(partsTexts);
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), confirmedMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const name = isCopied ? say('copied') : (label ?? say('copy'));
  return (
    <Button
      type={type}
      icon={isCopied ? <CheckOutlined /> : <CopyOutlined />}
      aria-label={name}
      title={name}
      onClick={() => void copyText(text).then(() => setCopied(true))}
    >
      {withLabel ? name : undefined}
    </Button>
  );
}
