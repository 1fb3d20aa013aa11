/** The page: loads the document and the texts of the reader's language, and shows them once both are there. */
import { useEffect, useState } from 'react';
import { useTexts } from '../texts/define-texts.ts';
import { useLanguage } from '../texts/language.ts';
import { type ApiDocument, readDocument } from './document.ts';
import { loadMaterial, type Material } from './guides/load-guides.ts';
import { LoadedPage } from './loaded-page.tsx';
import { texts } from './texts.ts';

interface Loaded {
  api: ApiDocument;
  material: Material;
}

export function DocsPage() {
  const say = useTexts(texts);
  const language = useLanguage();
  const [attempt, setAttempt] = useState(0);
  const [loaded, setLoaded] = useState<Loaded | undefined>();
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    const gone = new AbortController();
    // After a change of the language the document is in the browser's cache.
    Promise.all([loadDocument(gone.signal), loadMaterial(language)]).then(
      ([api, material]) => {
        if (!gone.signal.aborted) setLoaded({ api, material });
      },
      () => {
        if (!gone.signal.aborted) setFailed(true);
      },
    );
    return () => gone.abort();
  }, [attempt, language]);
  const again = () => {
    setFailed(false);
    setAttempt(attempt + 1);
  };
  if (hasFailed) {
    return (
      <main className="docs-alone" role="alert">
        <p>{say('failed')}</p>
        <button type="button" onClick={again}>
          {say('again')}
        </button>
      </main>
    );
  }
  if (!loaded) return <p className="docs-alone">{say('loading')}</p>;
  return <LoadedPage api={loaded.api} material={loaded.material} />;
}

async function loadDocument(signal: AbortSignal): Promise<ApiDocument> {
  const response = await fetch('/openapi.json', { signal });
  if (!response.ok) throw new TypeError(`/openapi.json answered ${response.status}`);
  return readDocument(await response.json());
}
