/**
 * Records as CSV (RFC 4180). Spreadsheets take a text that begins with = + - @ for a formula, so that such a text gets
 * an apostrophe in front; numbers stay numbers, in plain decimal digits.
 */

/** First in a file for spreadsheets, which take it for a text of another encoding without it. */
export const byteOrderMark = '\uFEFF';

/** The header line: the names of the fields. */
export const csvHeader = (columns: readonly string[]): string => line(columns.map(cell));

/** A record's line, with an empty cell for what it lacks or is null. Lists and objects are compact JSON in their cell. */
export const csvLine = (columns: readonly string[], record: Readonly<Record<string, unknown>>): string =>
  line(columns.map((column) => cell(record[column])));

const line = (cells: readonly string[]): string => `${cells.join(',')}\r\n`;

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return quoted(/^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value);
  return quoted(jsonText(value));
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** JSON whose numbers are plain too: the price of a single token may be 0.0000002. */
function jsonText(value: unknown): string {
  if (typeof value === 'number') return plainDigits(value);
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`)
    .join(',')}}`;
}

/** A number without an exponent: `2e-7` is 0.0000002. */
function plainDigits(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/.exec(text);
  if (!match) return text;
  const [, sign = '', first = '', rest = '', exponent = ''] = match;
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${first}${rest}`;
}
