/** How many values a JSON text has, told by its bytes: parsing millions of empty lists would hold everybody up for seconds. */

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const bracket = 0x5b;
const brace = 0x7b;

/** Whether there are more commas and brackets outside of strings. A moment for 20 MiB: strings, the most of it, are skipped. */
export function hasMoreValuesThan(valuesMax: number, bytes: Buffer): boolean {
  let values = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = stringEnd(bytes, at);
    else if (byte === comma || byte === bracket || byte === brace) values++;
    if (values > valuesMax) return true;
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
