/** Settings that are rarely changed, behind their name. */
import type { ReactNode } from 'react';

export function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details className="tg-group">
      <summary>{title}</summary>
      <div>{children}</div>
    </details>
  );
}
