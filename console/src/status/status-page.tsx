/** The page: how all models are together, then each of them. */
import { useEffect } from 'react';
import icon from '../icon.svg';
import { useTexts } from '../texts/define-texts.ts';
import { chooseLanguage, localeOf, useLanguage } from '../texts/language.ts';
import { ModelRow } from './model-row.tsx';
import type { StatusReport } from './status-report.ts';
import { texts } from './texts.ts';
import { useStatus } from './use-status.ts';

export function StatusPage() {
  const say = useTexts(texts);
  const { report, isStale } = useStatus();
  const title = say('title');
  useEffect(() => {
    document.title = `${title} · Tollgate`;
  }, [title]);
  return (
    <div className="status-page">
      <header>
        <img src={icon} alt="" width={24} height={24} />
        <strong>Tollgate</strong>
        <LanguageButton />
      </header>
      <main>
        <h1>{title}</h1>
        {isStale && (
          <p className="status-stale" role="alert">
            {say(report ? 'stale' : 'unreachable')}
          </p>
        )}
        {!report && !isStale && <p>{say('loading')}</p>}
        {report && <Report report={report} />}
      </main>
      <footer>
        <a href="/console/">{say('console')}</a> <a href="/docs">{say('docs')}</a>{' '}
        <a href="/status.json">{say('json')}</a>
      </footer>
    </div>
  );
}

function Report({ report: { state, updatedAt, models } }: { report: StatusReport }) {
  const say = useTexts(texts);
  const locale = localeOf(useLanguage());
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' }).format(updatedAt);
  return (
    <>
      <section className={`status-all status-${state}`} aria-label={say('overall')}>
        <p>
          <span className="status-dot" aria-hidden="true" />
          {say(`all_${state}`)}
        </p>
        <small>{say('updated', { time })}</small>
      </section>
      <h2>{say('models')}</h2>
      {models.length === 0 && <p>{say('none')}</p>}
      <ul className="status-models">
        {models.map((model) => (
          <li key={model.id}>
            <ModelRow model={model} />
          </li>
        ))}
      </ul>
      <p className="status-note">{say('about')}</p>
    </>
  );
}

/** Named in the language that it leads to. */
function LanguageButton() {
  const other = useLanguage() === 'zh' ? 'en' : 'zh';
  return (
    <button type="button" lang={other === 'zh' ? 'zh-CN' : 'en'} onClick={() => chooseLanguage(other)}>
      {other === 'zh' ? '中文' : 'English'}
    </button>
  );
}
