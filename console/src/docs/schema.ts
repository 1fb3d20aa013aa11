/** JSON Schema in words. */
import { type ApiDocument, resolved } from './document.ts';
import type { Say } from '../texts/say.ts';
import { isRecord, type JsonRecord, listOf, recordOf, textOf, textsOf } from '../parts/json.ts';
import type { texts } from './texts.ts';

type SayDocs = Say<(typeof texts)['en']>;

/** A schema's name among the components; none of one that is written out. */
export const nameOf = (schema: unknown): string => textOf(recordOf(schema)['$ref']).split('/').at(-1) ?? '';

/** A word or a few for what a value is: `string`, `array of Model`, `number or null`. */
export function typeWord(value: unknown, say: SayDocs): string {
  const schema = recordOf(value);
  if (schema['$ref'] !== undefined) return nameOf(schema);
  if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
  const choices = choicesOf(schema);
  if (choices.length > 0) return [...new Set(choices.map((choice) => typeWord(choice, say)))].join(say('typesOr'));
  const types = typeof schema['type'] === 'string' ? [schema['type']] : textsOf(schema['type']);
  const words = types.map((type) =>
    type === 'array' ? say('typeArray', { type: typeWord(schema['items'], say) }) : type,
  );
  const format = textOf(schema['format']);
  return `${words.join(say('typesOr')) || say('typeAny')}${format ? ` (${format})` : ''}`;
}

/** The schemas of which one must hold. */
export const choicesOf = (schema: JsonRecord): readonly unknown[] => [
  ...listOf(schema['anyOf']),
  ...listOf(schema['oneOf']),
];

export interface Field {
  name: string;
  schema: unknown;
  required: boolean;
  description: string;
}

/** The fields of an object, also of one that is put together by `allOf`. */
export function fieldsOf(api: ApiDocument, value: unknown): Field[] {
  const schema = resolved(api.raw, value);
  const required = textsOf(schema['required']);
  const own = Object.entries(recordOf(schema['properties'])).map(([name, field]) => ({
    name,
    schema: field,
    required: required.includes(name),
    description: textOf(recordOf(field)['description']) || textOf(resolved(api.raw, field)['description']),
  }));
  const parts = listOf(schema['allOf']).flatMap((part) => fieldsOf(api, part));
  const known = new Set(own.map(({ name }) => name));
  return [...own, ...parts.filter(({ name }) => !known.has(name))];
}

/** What lies within a value of the schema and has fields: of lists their items, of maps their values, of choices each. */
export function partsOf(api: ApiDocument, value: unknown): { kind: 'choice' | 'item' | 'value'; schema: unknown }[] {
  const schema = resolved(api.raw, value);
  const parts = [
    ...choicesOf(schema).map((one) => ({ kind: 'choice' as const, schema: one })),
    ...(isRecord(schema['items']) ? [{ kind: 'item' as const, schema: schema['items'] }] : []),
    ...(isRecord(schema['additionalProperties'])
      ? [{ kind: 'value' as const, schema: schema['additionalProperties'] }]
      : []),
  ];
  return parts.filter((part) => hasMore(api, part.schema));
}

/** Whether a value has more to show than its type. */
export const hasMore = (api: ApiDocument, value: unknown): boolean =>
  fieldsOf(api, value).length > 0 || partsOf(api, value).length > 0;
