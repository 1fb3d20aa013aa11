/** The page: loads the document and the texts of the reader's language, and shows them once both are there. */
import { useEffect, useState } from 'react';
import { useTexts } from '../texts/define-texts.ts';
import { useLanguage } from '../texts/language.ts';
import { type ApiDocument, readDocument } from './document.ts';
import { withTexts } from './document-texts.ts';
import { loadMaterial, type Material } from './guides/load-guides.ts';
import { type JsonRecord, recordOf } from '../parts/json.ts';
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
      ([document, material]) => {
        if (!gone.signal.aborted) setLoaded({ api: apiIn(document, material), material });
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

/** In the reader's language; what has no translation stays as it is. */
const apiIn = (document: JsonRecord, { translate }: Material): ApiDocument =>
  readDocument(translate ? withTexts(document, (text) => translate(text) ?? text) : document);

async function loadDocument(signal: AbortSignal): Promise<JsonRecord> {
  const response = await fetch('/openapi.json', { signal });
  if (!response.ok) throw new TypeError(`/openapi.json answered ${response.status}`);
  return recordOf(await response.json());
}
