/** The page: what the API is, the list of its operations, and each operation to be opened. */
import { useEffect, useState } from 'react';
import { hasStatusPage } from '../parts/has-status-page.ts';
import { useTexts } from '../texts/define-texts.ts';
import { Contents } from './contents.tsx';
import { type ApiDocument, readDocument } from './document.ts';
import { OperationCard } from './operation-card.tsx';
import { ReaderContext, type Reader } from './reader.ts';
import { texts } from './texts.ts';
import { Words } from './words.tsx';

export function DocsPage() {
  const say = useTexts(texts);
  const [attempt, setAttempt] = useState(0);
  const [loaded, setLoaded] = useState<ApiDocument | 'failed' | undefined>();
  useEffect(() => {
    const gone = new AbortController();
    load(gone.signal).then(setLoaded, () => {
      if (!gone.signal.aborted) setLoaded('failed');
    });
    return () => gone.abort();
  }, [attempt]);
  const again = () => {
    setLoaded(undefined);
    setAttempt(attempt + 1);
  };
  if (loaded === undefined) return <p className="docs-alone">{say('loading')}</p>;
  if (loaded !== 'failed') return <Loaded document={loaded} />;
  return (
    <main className="docs-alone" role="alert">
      <p>{say('failed')}</p>
      <button type="button" onClick={again}>
        {say('again')}
      </button>
    </main>
  );
}

async function load(signal: AbortSignal): Promise<ApiDocument> {
  const response = await fetch('/openapi.json', { signal });
  if (!response.ok) throw new TypeError(`/openapi.json answered ${response.status}`);
  return readDocument(await response.json());
}

function Loaded({ document: api }: { document: ApiDocument }) {
  const say = useTexts(texts);
  const opened = useOpened();
  const [reader, setReader] = useState<Omit<Reader, 'change'>>({ key: '', language: 'curl' });
  const change = (changes: Partial<Reader>) => setReader((before) => ({ ...before, ...changes }));
  return (
    <ReaderContext value={{ ...reader, change }}>
      <a className="docs-skip" href="#operations">
        {say('skip')}
      </a>
      <header className="docs-top">
        <strong>{api.title}</strong> <span>{api.version}</span>
        <nav aria-label={api.title}>
          <a href="/openapi.json">{say('document')}</a> <a href="/console/">{say('console')}</a>
          {hasStatusPage() && <a href="/status">{say('status')}</a>}
        </nav>
      </header>
      <div className="docs-frame">
        <Contents groups={api.groups} />
        <main id="operations" tabIndex={-1}>
          <h1>{api.title} API</h1>
          <p>
            <Words text={api.description} />
          </p>
          <p>
            {say('server')}: <code>{api.origin}</code>
          </p>
          <label className="docs-key">
            {say('key')}
            {/* Never a password: browsers offer to keep those. */}
            <input
              type="text"
              value={reader.key}
              autoComplete="off"
              spellCheck={false}
              aria-describedby="docs-key-note"
              onChange={(event) => change({ key: event.target.value.trim() })}
            />
          </label>
          <p id="docs-key-note" className="docs-note">
            {say('keyNote')}
          </p>
          {api.groups.map(({ name, description, operations }) => (
            <section key={name} aria-labelledby={`group-${name}`}>
              <h2 id={`group-${name}`}>{name}</h2>
              <p>
                <Words text={description} />
              </p>
              {operations.map((operation) => (
                <OperationCard
                  key={operation.id}
                  api={api}
                  operation={operation}
                  isOpen={opened.has(operation.id)}
                  toggle={() => opened.toggle(operation.id)}
                />
              ))}
            </section>
          ))}
        </main>
      </div>
    </ReaderContext>
  );
}

/** Which operations are open; the one that the address names is opened and brought into view. */
function useOpened() {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const follow = () => {
      const id = decodeURIComponent(window.location.hash.slice(1));
      if (document.getElementById(id)?.tagName !== 'ARTICLE') return;
      setOpen((before) => new Set([...before, id]));
      document.getElementById(id)?.scrollIntoView();
      document.getElementById(id)?.querySelector('button')?.focus({ preventScroll: true });
    };
    follow();
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, []);
  const toggle = (id: string) =>
    setOpen((before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]));
  return { has: (id: string) => open.has(id), toggle };
}
