/** The parameters of an operation: where each stands, what it is, what it does. */
import { useTexts } from '../texts/define-texts.ts';
import type { Parameter } from './document.ts';
import { typeWord } from './schema.ts';
import { texts } from './texts.ts';
import { BoundsLine } from './words/bounds-line.tsx';
import { Words } from './words/words.tsx';

interface ParametersProps {
  parameters: readonly Parameter[];
  /** What their anchors begin with. */
  anchor: string;
}

const isPlace = (place: string): place is 'path' | 'query' | 'header' =>
  place === 'path' || place === 'query' || place === 'header';

export function Parameters({ parameters, anchor }: ParametersProps) {
  const say = useTexts(texts);
  return (
    <dl className="docs-fields">
      {parameters.map(({ name, place, required, description, schema }) => (
        <div key={`${place} ${name}`} id={`${anchor}.${place}.${name}`}>
          <dt>
            <code>{name}</code>{' '}
            <span className="docs-type">
              {isPlace(place) ? say(place) : place}, {typeWord(schema, say)}
            </span>
            {required && <span className="docs-required"> {say('required')}</span>}
          </dt>
          <dd>
            <Words text={description} /> <BoundsLine schema={schema} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
