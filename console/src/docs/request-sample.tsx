/** How the operation is called, in the reader's language and by the example that they choose. */
import { useState } from 'react';
import { useTexts } from '../texts/define-texts.ts';
import { Code } from './code/code.tsx';
import { LanguageChoice, languageNames } from './code/language-choice.tsx';
import type { ApiDocument, Operation } from './document.ts';
import { ExampleChoice } from './example-choice.tsx';
import { useReader } from './reader.ts';
import { languagesOf, sampleOf, withKey } from './samples.ts';
import { texts } from './texts.ts';

export function RequestSample({ api, operation }: { api: ApiDocument; operation: Operation }) {
  const say = useTexts(texts);
  const { language, key } = useReader();
  const [chosen, setChosen] = useState(0);
  const [body] = operation.bodies;
  const example = body?.examples[chosen];
  if (operation.isWebhook) {
    const label = `${say('example')}: ${operation.id}`;
    return example && <Code text={JSON.stringify(example.value, null, 2)} label={label} language="json" />;
  }
  const languages = languagesOf(operation);
  const shown = languages.includes(language) ? language : 'curl';
  return (
    <>
      <h4>{say('sample')}</h4>
      <div className="docs-choices">
        <LanguageChoice languages={languages} shown={shown} />
        <ExampleChoice examples={body?.examples ?? []} chosen={chosen} choose={setChosen} />
      </div>
      <Code
        text={withKey(sampleOf(shown, api.origin, operation, body && { body, example }), shown, key)}
        label={`${languageNames[shown]}: ${operation.baseId}`}
        language={shown}
      />
    </>
  );
}
