/** A call that was made here: what was asked for, what came of it, and what it cost; it can be put away. */
import { CloseOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import type { ReactNode } from 'react';
import { useTexts } from '../../../texts/define-texts.ts';
import { playgroundTexts } from '../texts.ts';
import type { Made } from './calls.ts';
import { Receipt } from './receipt.tsx';

interface Props {
  call: Made<unknown>;
  onRemove: () => void;
  /** What it gave. */
  children: ReactNode;
}

export function CallCard({ call: { requestId, label }, onRemove, children }: Props) {
  const say = useTexts(playgroundTexts);
  return (
    <article className="tg-run" aria-label={label}>
      <header>
        <span className="tg-run-label">{label}</span>
        <Button
          type="text"
          size="small"
          icon={<CloseOutlined />}
          aria-label={say('remove')}
          title={say('remove')}
          disabled={false}
          onClick={onRemove}
        />
      </header>
      {children}
      <Receipt of={{ request_id: requestId }} isOver />
    </article>
  );
}
