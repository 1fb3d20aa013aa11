/** The form's fields that are JSON: their values, or what is wrong with them. */
import { isRecord, listOf, recordOf, textOf } from '../../../parts/json.ts';
import type { Draft, JsonName } from './draft.ts';

/** `detail` is the parser's own sentence, or the name that may not be there. */
export interface Mistake {
  kind: 'notJson' | 'notObject' | 'notList' | 'notAllowed' | 'missing';
  detail: string;
}

/** `undefined` is an empty field. */
export type JsonField = { value: unknown } | { mistake: Mistake };

/** What the page itself decides, or could not show. */
const reserved = ['model', 'messages', 'stream', 'n'];

/** Reads a field as it stands in the form. */
export function readJsonField(name: JsonName, draft: Draft): JsonField {
  if (name === 'schema' && draft.format !== 'json_schema') return { value: undefined };
  const text = draft[name].trim();
  if (text === '') return name === 'schema' ? { mistake: { kind: 'missing', detail: '' } } : { value: undefined };
  try {
    const value: unknown = JSON.parse(text);
    const mistake = mistakeIn(name, value);
    return mistake ? { mistake } : { value };
  } catch (error) {
    return { mistake: { kind: 'notJson', detail: error instanceof Error ? error.message : String(error) } };
  }
}

/** The mistake of the field, if it has one. */
export function mistakeAt(name: JsonName, draft: Draft): Mistake | undefined {
  const field = readJsonField(name, draft);
  return 'mistake' in field ? field.mistake : undefined;
}

/** The first of them that has a mistake. */
export const firstMistaken = (draft: Draft): JsonName | undefined =>
  (['schema', 'tools', 'extra'] as const).find((name) => mistakeAt(name, draft));

/** The functions that the tools name, as far as they can be read. */
export function toolNamesOf(draft: Draft): string[] {
  const field = readJsonField('tools', draft);
  if ('mistake' in field) return [];
  return listOf(field.value)
    .map((tool) => textOf(recordOf(recordOf(tool)['function'])['name']))
    .filter((name) => name !== '');
}

function mistakeIn(name: JsonName, value: unknown): Mistake | undefined {
  if (name === 'tools') return Array.isArray(value) ? undefined : { kind: 'notList', detail: '' };
  if (!isRecord(value)) return { kind: 'notObject', detail: '' };
  const wrong = name === 'extra' ? reserved.find((one) => Object.hasOwn(value, one)) : undefined;
  return wrong === undefined ? undefined : { kind: 'notAllowed', detail: wrong };
}
