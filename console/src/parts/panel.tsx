/** A part of a page with a heading of its own. */
import { type ReactNode, useId } from 'react';
import './figures.css';

/** `aside` stands beside the heading: a word on what is shown, or a link. */
export function Panel({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section className="tg-panel" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside !== undefined && <span>{aside}</span>}
      </header>
      {children}
    </section>
  );
}
