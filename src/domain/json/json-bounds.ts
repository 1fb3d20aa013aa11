/**
 * JSON that came from outside, parsed within a bound: 20 MiB of `[],` are millions of values, which hold this thread up
 * for seconds and take a hundred bytes of the heap each.
 */

/** Requests, events of streams and answers of task providers have some thousands of values at most; embeddings of 300,000 tokens a value for each. */
export const valuesMax = 310_000;

/** It has more values than are ever parsed. */
export class TooManyValues extends Error {
  override readonly name = 'TooManyValues';
  constructor(max: number) {
    super(`it has more than ${max} values`);
  }
}

/**
 * Parses JSON of at most so many values. Throws TooManyValues before anything is parsed, SyntaxError for what is no JSON.
 */
export function parseJsonWithin(json: Buffer | string, max: number = valuesMax): unknown {
  refuseManyValues(json, max);
  return JSON.parse(typeof json === 'string' ? json : json.toString('utf8', 0, json.length));
}

/** Throws TooManyValues for JSON that has more. What is short can't have as many, and is not looked through. */
export function refuseManyValues(json: Buffer | string, max: number = valuesMax): void {
  if (json.length <= max) return;
  const bytes = typeof json === 'string' ? Buffer.from(json) : json;
  if (hasMoreValuesThan(max, bytes)) throw new TooManyValues(max);
}

/** Whether this is what `parseJsonWithin` throws. The message of a SyntaxError may quote the text. */
export const isUnreadable = (error: unknown): boolean => error instanceof TooManyValues || error instanceof SyntaxError;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const bracket = 0x5b;
const brace = 0x7b;

/** Whether there are more commas and brackets outside of strings. A moment for 20 MiB: strings, the most of it, are skipped. */
function hasMoreValuesThan(max: number, bytes: Buffer): boolean {
  let values = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = stringEnd(bytes, at);
    else if (byte === comma || byte === bracket || byte === brace) values++;
    if (values > max) return true;
  }
  return false;
}

/** Where the string that begins here ends; the end of all bytes if it doesn't. */
function stringEnd(bytes: Buffer, start: number): number {
  for (let end = bytes.indexOf(quote, start + 1); end !== -1; end = bytes.indexOf(quote, end + 1)) {
    let before = end;
    while (bytes[before - 1] === backslash) before--;
    if ((end - before) % 2 === 0) return end;
  }
  return bytes.length;
}
