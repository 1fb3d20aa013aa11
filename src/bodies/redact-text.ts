/** A body as text, made fit to be kept: media shortened, named fields redacted, cut at a bound. JSON and events alike. */

/** What is kept of a request's body, or of an answer's. */
export interface BodyText {
  text: string;
  /** How long the body was. */
  bytes: number;
  /** The text ends before the body did. */
  cut: boolean;
  kind: BodyKind;
}

/** Of a form or a file the text is JSON that says what it had. */
export const bodyKinds = ['text', 'form', 'file'] as const;
export type BodyKind = (typeof bodyKinds)[number];

/** What lies behind is not looked at: 4 MiB take some ten milliseconds. */
export const readBytesMax = 4 * 1024 * 1024;

/** Texts of any language have spaces, quotes or other characters in between; so much without any is media. */
const base64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{512,}={0,2}/g;
const base64Shown = 24;

/**
 * Returns at most `bytesMax` bytes of the body. Long base64, as of data URLs, is shortened first. The values of fields with
 * one of these names, in lower case, become "[redacted]", at any depth, also in JSON within strings, as tools' arguments
 * are. It reads JSON by its tokens, so that what was cut and the lines of an event stream are redacted as well.
 */
export function keptText(
  body: Buffer,
  {
    bytes = body.length,
    kind = 'text',
    bytesMax,
    fields,
  }: { bytes?: number; kind?: BodyKind; bytesMax: number; fields: ReadonlySet<string> },
): BodyText {
  const read = body.length > readBytesMax ? body.subarray(0, readBytesMax) : body;
  const shortened = read
    .toString('utf8')
    .replace(base64, (run) => `${run.slice(0, base64Shown)}…[${run.length} characters]`);
  // First to the bound, so that no more is redacted than is kept; redacting may make it longer, so once more.
  const [first, isCut] = cutText(shortened, bytesMax);
  const [text, isCutAgain] = cutText(redactText(first, fields), bytesMax);
  const isLonger = kind === 'text' ? read.length < bytes : read.length < body.length;
  return { text, bytes, kind, cut: isCut || isCutAgain || isLonger };
}

function cutText(text: string, bytesMax: number): [text: string, isCut: boolean] {
  if (Buffer.byteLength(text) <= bytesMax) return [text, false];
  const bytes = Buffer.from(text);
  let end = bytesMax;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--; // never within a character
  return [bytes.toString('utf8', 0, end), true];
}

export const redacted = '[redacted]';
/** A string, whole or cut off at the end of the text; or what opens, closes or separates. */
const token = /"(?:[^"\\]|\\[^])*(?:"|\\?$)|[{}[\],]/g;
const colon = /\s*:\s*/y;
/** How deep JSON may stand within strings of JSON. */
const nestedMax = 4;

/** The text with the values of these fields redacted. Names are compared in lower case. */
export function redactText(text: string, fields: ReadonlySet<string>, nested = 0): string {
  if (fields.size === 0) return text;
  const kept: string[] = [];
  let from = 0;
  token.lastIndex = 0;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [string] = found;
    const end = found.index + string.length;
    if (!string.startsWith('"')) continue;
    colon.lastIndex = end;
    const isName = colon.test(text);
    const valueAt = colon.lastIndex;
    if (isName && fields.has(nameOf(string))) {
      const valueEnd = endOfValue(text, valueAt);
      kept.push(text.slice(from, valueAt), `"${redacted}"`);
      from = valueEnd;
      token.lastIndex = valueEnd;
    } else {
      const within = isName || nested === nestedMax ? string : redactWithin(string, fields, nested + 1);
      if (within !== string) {
        kept.push(text.slice(from, found.index), within);
        from = end;
      }
      token.lastIndex = end;
    }
  }
  return kept.length === 0 ? text : kept.join('') + text.slice(from);
}

function nameOf(string: string): string {
  return (string.includes('\\') ? unescaped(string) : string.slice(1, -1)).toLowerCase();
}

/** A string that holds JSON, with that redacted; others as they are. */
function redactWithin(string: string, fields: ReadonlySet<string>, nested: number): string {
  if (!string.includes('\\"') || !string.includes(':')) return string;
  const inner = unescaped(string);
  const made = redactText(inner, fields, nested);
  if (made === inner) return string;
  const written = JSON.stringify(made);
  return isWhole(string) ? written : written.slice(0, -1);
}

/** What a string says; of one that was cut off, as far as it goes. */
function unescaped(string: string): string {
  const whole = isWhole(string) ? string : `${string.replace(/\\(u[0-9a-fA-F]{0,3})?$/, '')}"`;
  try {
    return String(JSON.parse(whole));
  } catch {
    return whole.slice(1, -1); // control characters, which JSON doesn't allow
  }
}

const isWhole = (string: string): boolean => string.length > 1 && /[^\\](?:\\\\)*"$/.test(string);

/** Where the value ends that begins here: behind a string, or at what follows an object, an array or a plain value. */
function endOfValue(text: string, from: number): number {
  const opens = text[from];
  if (opens !== '{' && opens !== '[' && opens !== '"') {
    const end = text.slice(from).search(/[,}\]\n]/);
    return end === -1 ? text.length : from + end;
  }
  let depth = 0;
  token.lastIndex = from;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [piece] = found;
    if (piece === '{' || piece === '[') depth++;
    else if (piece === '}' || piece === ']') depth--;
    if (depth === 0) return found.index + piece.length;
  }
  return text.length;
}
