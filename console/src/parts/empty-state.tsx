/** In place of what isn't there yet: it says what to do. */
import { InboxOutlined } from '@ant-design/icons';
import type { ReactNode } from 'react';

export function EmptyState({ text, action }: { text: ReactNode; action?: ReactNode }) {
  return (
    <div className="tg-empty">
      <InboxOutlined style={{ fontSize: 28 }} aria-hidden />
      <p>{text}</p>
      {action}
    </div>
  );
}
