/** Figures at a glance: what it is, the number, and a word on it. */
import type { ReactNode } from 'react';
import './figures.css';

export const Figures = ({ children }: { children: ReactNode }) => <div className="tg-figures">{children}</div>;

export function Figure({ label, children, hint }: { label: string; children: ReactNode; hint?: ReactNode }) {
  return (
    <dl className="tg-figure">
      <dt>{label}</dt>
      <dd>{children}</dd>
      {hint !== undefined && <dd>{hint}</dd>}
    </dl>
  );
}
