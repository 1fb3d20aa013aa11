/** How the operation is called, in the reader's language and by the example that they choose. */
import { useId, useState } from 'react';
import { useTexts } from '../texts/define-texts.ts';
import { Code } from './code.tsx';
import type { ApiDocument, Operation } from './document.ts';
import { ExampleChoice } from './example-choice.tsx';
import { useReader } from './reader.ts';
import { languagesOf, sampleOf } from './samples.ts';
import { texts } from './texts.ts';

const names = { curl: 'curl', python: 'Python', node: 'Node.js' } as const;

export function RequestSample({ api, operation }: { api: ApiDocument; operation: Operation }) {
  const say = useTexts(texts);
  const { language, change } = useReader();
  const group = useId();
  const [chosen, setChosen] = useState(0);
  const [body] = operation.bodies;
  const example = body?.examples[chosen];
  if (operation.isWebhook) {
    return (
      example && <Code text={JSON.stringify(example.value, null, 2)} label={`${say('example')}: ${operation.id}`} />
    );
  }
  const languages = languagesOf(operation);
  const shown = languages.includes(language) ? language : 'curl';
  return (
    <>
      <h4>{say('sample')}</h4>
      <div className="docs-choices">
        <fieldset>
          <legend>{say('language')}</legend>
          {languages.map((one) => (
            <label key={one}>
              <input type="radio" name={group} checked={one === shown} onChange={() => change({ language: one })} />{' '}
              {names[one]}
            </label>
          ))}
        </fieldset>
        <ExampleChoice examples={body?.examples ?? []} chosen={chosen} choose={setChosen} />
      </div>
      <Code
        text={sampleOf(shown, api.origin, operation, body && { body, example })}
        label={`${names[shown]}: ${operation.id}`}
      />
    </>
  );
}
