/** A request with long attachments cut down, to be read and kept: each says how much of it is left out. */

/** A file of a few hundred bytes is shown whole. */
const charactersMax = 400;
const shownCharacters = 64;

/** The same value, with every data URI in it that is long ended by a note. */
export function shortened<Value>(value: Value): Value;
export function shortened(value: unknown): unknown {
  if (typeof value === 'string') return shortText(value);
  if (Array.isArray(value)) return value.map((item: unknown) => shortened(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]: [string, unknown]) => [name, shortened(item)]));
}

/** Whether something in the value was cut down. */
export const isShortened = (value: unknown): boolean => JSON.stringify(value).includes(mark);

/**
 * The same request for a quote: a hold counts an image as one, however many bytes it has, so that none of them has to
 * be sent with every word that is typed.
 */
export function withoutImageBytes<Value>(value: Value): Value;
export function withoutImageBytes(value: unknown): unknown {
  if (typeof value === 'string')
    return /^data:image\/[\w+.-]+;base64,/.test(value) ? 'data:image/png;base64,AAAA' : value;
  if (Array.isArray(value)) return value.map((item: unknown) => withoutImageBytes(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]: [string, unknown]) => [name, withoutImageBytes(item)]),
  );
}

const mark = ' characters left out]';

function shortText(text: string): string {
  if (!/^data:[\w/+.-]+;base64,/.test(text) || text.length <= charactersMax) return text;
  return `${text.slice(0, shownCharacters)}... [${text.length - shownCharacters}${mark}`;
}
