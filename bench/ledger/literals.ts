/** Parameters as SQL says them. */

/**
 * A literal of that type. An array of nothing but the same is said in one word: pgbench reads the script again from its
 * start for every statement, and PostgreSQL has less to parse.
 */
export function literalOf(text: string | null, type: string): string {
  if (text === null) return 'null';
  if (!type.endsWith('[]')) return quoted(text);
  const items = itemsOf(text);
  const [first] = items;
  if (first === undefined || items.length === 1 || items.some((item) => item !== first)) return quoted(text);
  return `array_fill(${first === null ? 'null' : quoted(first)}::${type.slice(0, -2)}, array[${items.length}])`;
}

/** The items of an array of one dimension as PostgreSQL prints it. */
export function itemsOf(array: string): (string | null)[] {
  return [...array.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/gs)].map(([, inQuotes, bare]) =>
    inQuotes === undefined ? (bare === 'NULL' || bare === undefined ? null : bare) : inQuotes.replace(/\\(.)/gs, '$1'),
  );
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
