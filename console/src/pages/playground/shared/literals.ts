/** Values written in other languages: JSON as Python has it, and as JavaScript. */

/** A value of JSON as an expression of Python, with the indentation of the lines that follow its first. */
export function pythonLiteral(value: unknown, indent = ''): string {
  const inner = `${indent}    `;
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) {
    const items = value.map((item) => `${inner}${pythonLiteral(item, inner)},\n`);
    return items.length === 0 ? '[]' : `[\n${items.join('')}${indent}]`;
  }
  if (typeof value === 'object') {
    const items = Object.entries(value).map(
      ([name, item]) => `${inner}${pythonText(name)}: ${pythonLiteral(item, inner)},\n`,
    );
    return items.length === 0 ? '{}' : `{\n${items.join('')}${indent}}`;
  }
  return typeof value === 'string' ? pythonText(value) : JSON.stringify(value);
}

/** A text of JSON is one of Python's too, but for lone halves of characters, which can't be typed. */
const pythonText = (text: string): string => JSON.stringify(text);

/** Pretty JSON that goes on at an indentation. */
export const jsonLiteral = (value: unknown, indent = ''): string =>
  JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);
