/** What values a schema allows, in a line: its choices, its default, its bounds. */
import { defineTexts, useTexts } from '../../texts/define-texts.ts';
import { type JsonRecord, listOf, recordOf } from '../../parts/json.ts';
import { choicesOf } from '../schema.ts';
import { texts } from '../texts.ts';
import { boundTexts } from './bound-texts.ts';
import { boundsOf } from './bounds.ts';

const words = defineTexts('docs-bounds', boundTexts);

export function BoundsLine({ schema }: { schema: unknown }) {
  const say = useTexts(texts);
  const sayBounds = useTexts(words);
  // Of what may also be null, what it is otherwise.
  const own = recordOf(schema);
  const record = choicesOf(own).reduce<JsonRecord>((merged, choice) => ({ ...recordOf(choice), ...merged }), own);
  const allowed = listOf(record['enum']).map((value) => JSON.stringify(value));
  const bounds = boundsOf(schema, sayBounds);
  return (
    <span className="docs-bounds">
      {allowed.length > 0 && (
        <>
          {say('allowed')}: <code>{allowed.join(', ')}</code>{' '}
        </>
      )}
      {record['default'] !== undefined && (
        <>
          {say('byDefault')}: <code>{JSON.stringify(record['default'])}</code>{' '}
        </>
      )}
      {bounds.length > 0 && bounds.join('; ')}
    </span>
  );
}
