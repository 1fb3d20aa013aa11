/** The head of a page: its heading, which also names the document, what it is for, and what can be done. */
import { useEffect, type ReactNode } from 'react';

interface PageHeadProps {
  title: string;
  description?: ReactNode;
  /** Buttons, the main one last. */
  actions?: ReactNode;
}

/** One a page. The heading can have the focus, which moves to it on navigation. */
export function PageHead({ title, description, actions }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · Tollgate`;
  }, [title]);
  return (
    <div className="tg-head">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {description !== undefined && <p>{description}</p>}
      </div>
      {actions !== undefined && <div className="tg-head-actions">{actions}</div>}
    </div>
  );
}
