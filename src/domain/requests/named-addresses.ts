/** The forms of address that callers may name: http(s) URLs and data URIs. Looks at the text only. */

/** An address or data URI that a body names, with its place in it. */
export interface NamedAddress {
  param: string;
  url: string;
}

/**
 * Whether the text is an absolute http or https URL as written, of at most that many characters. The URL parser alone
 * would also take spaces at the ends, control characters inside and `http:host`.
 */
export function isHttpAddress(value: string, charactersMax: number): boolean {
  return (
    value.length <= charactersMax &&
    /^https?:\/\/[^\s\p{Cc}\p{Cs}/?#\\][^\s\p{Cc}\p{Cs}]*$/iu.test(value) &&
    URL.canParse(value)
  );
}

/**
 * Whether the text is `data:<mime>;base64,<data>` with at least one byte of data in the standard alphabet; padding may
 * be left out. Linear: the only pattern that sees the data looks for one wrong character (31 ms for 20 MiB, where a
 * pattern with a repetition would keep a way back for every character).
 */
export function isDataUri(value: string): boolean {
  const head = value.slice(0, headCharactersMax);
  const comma = head.indexOf(',');
  if (comma === -1 || !headPattern.test(head.slice(0, comma))) return false;
  const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0;
  const data = value.slice(comma + 1, value.length - padding);
  const fits = padding === 0 ? data.length % 4 !== 1 : (data.length + padding) % 4 === 0;
  return data.length > 1 && fits && !/[^A-Za-z0-9+/]/.test(data);
}

/** RFC 6838 allows 127 characters for each half of a media type; parameters such as `charset` may follow. */
const headCharactersMax = 400;
const headPattern =
  /^data:[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?:;[\w!#$&^.+-]{1,60}=[\w!#$&^.+-]{1,60})*;base64$/i;
