/** The frame of pages for those who are not signed in: a card in the middle, and the reader's preferences. */
import type { ReactNode } from 'react';
import { LanguageMenu, SchemeMenu } from './preferences.tsx';
import { Wordmark } from './wordmark.tsx';

export function AlonePage({ children }: { children: ReactNode }) {
  return (
    <div className="tg-entry">
      <header>
        <Wordmark />
        <span className="tg-space" />
        <LanguageMenu />
        <SchemeMenu />
      </header>
      <main>
        <div className="tg-entry-card">{children}</div>
      </main>
    </div>
  );
}
