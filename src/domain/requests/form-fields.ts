/** The fields of a form, which are all texts, as the values that a JSON body would have. */

/** What a field is in JSON, where it is no text. */
export type FieldTypes = Readonly<Record<string, 'integer' | 'flag'>>;

/**
 * The fields as values. What can't be read as its type stays a text, which the schema then refuses with its own rule; an
 * empty field counts as absent, as clients write one that they have no value for.
 */
export function valuesOfForm(
  fields: Readonly<Partial<Record<string, string>>>,
  types: FieldTypes,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(fields)) {
    if (text !== undefined && text !== '') values[name] = valueOf(text, types[name]);
  }
  return values;
}

function valueOf(text: string, type: 'integer' | 'flag' | undefined): unknown {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === 'flag' && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return text;
}
