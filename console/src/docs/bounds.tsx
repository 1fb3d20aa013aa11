/** What values a schema allows, in a line. */
import { useTexts } from '../texts/define-texts.ts';
import { type JsonRecord, listOf, recordOf } from './json.ts';
import { choicesOf } from './schema.ts';
import { texts } from './texts.ts';

const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength', 'maxLength', 'pattern'];

export function Bounds({ schema }: { schema: unknown }) {
  const say = useTexts(texts);
  // Of what may also be null, what it is otherwise.
  const own = recordOf(schema);
  const record = choicesOf(own).reduce<JsonRecord>((merged, choice) => ({ ...recordOf(choice), ...merged }), own);
  const allowed = listOf(record['enum']).map((value) => JSON.stringify(value));
  const facts = [...bounds, 'minItems', 'maxItems']
    .filter((name) => record[name] !== undefined && record[name] !== Number.MAX_SAFE_INTEGER)
    .filter((name) => record[name] !== Number.MIN_SAFE_INTEGER)
    .map((name) => `${name} ${String(record[name])}`);
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
      {facts.length > 0 && <code>{facts.join(', ')}</code>}
    </span>
  );
}
