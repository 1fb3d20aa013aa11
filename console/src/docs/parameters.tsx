/** The parameters of an operation: where each stands, what it is, what it does. */
import { useTexts } from '../texts/define-texts.ts';
import type { ApiDocument, Parameter } from './document.ts';
import { Bounds } from './bounds.tsx';
import { typeWord } from './schema.ts';
import { texts } from './texts.ts';
import { Words } from './words.tsx';

export function Parameters({ api, parameters }: { api: ApiDocument; parameters: readonly Parameter[] }) {
  const say = useTexts(texts);
  return (
    <dl className="docs-fields">
      {parameters.map(({ name, place, required, description, schema }) => (
        <div key={`${place} ${name}`}>
          <dt>
            <code>{name}</code>{' '}
            <span className="docs-type">
              {place}, {typeWord(api, schema)}
            </span>
            {required && <span className="docs-required"> {say('required')}</span>}
          </dt>
          <dd>
            <Words text={description} /> <Bounds schema={schema} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
