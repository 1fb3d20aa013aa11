/** The bar on top: which root and language the page is in, and where the document and the console are. */
import { hasStatusPage } from '../parts/has-status-page.ts';
import { useTexts } from '../texts/define-texts.ts';
import { chooseLanguage, useLanguage } from '../texts/language.ts';
import type { ApiDocument } from './document.ts';
import { useReader } from './reader.ts';
import { texts } from './texts.ts';

export function TopBar({ api }: { api: ApiDocument }) {
  const say = useTexts(texts);
  const { root, change } = useReader();
  const language = useLanguage();
  return (
    <header className="docs-top">
      <strong>{api.title}</strong> <span>{api.version}</span>
      {api.roots.length > 1 && (
        <label className="docs-root">
          {say('root')}{' '}
          <select value={root} onChange={(event) => change({ root: event.target.value })}>
            {api.roots.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
      )}
      <nav aria-label={api.title}>
        <a href="/openapi.json">{say('document')}</a> <a href="/console/">{say('console')}</a>{' '}
        {hasStatusPage() && <a href="/status">{say('status')}</a>}{' '}
        {language === 'zh' ? (
          <button type="button" lang="en" onClick={() => chooseLanguage('en')}>
            English
          </button>
        ) : (
          <button type="button" lang="zh-CN" onClick={() => chooseLanguage('zh')}>
            中文
          </button>
        )}
      </nav>
    </header>
  );
}
