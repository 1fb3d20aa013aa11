/** What a browser calls itself, in words that people know; the names are the same in all languages. */

const browsers: readonly [name: string, form: RegExp][] = [
  ['Edge', /\bEdgA?\/|\bEdgiOS\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\bFirefox\/|\bFxiOS\//],
  ['WeChat', /\bMicroMessenger\//],
  ['Chrome', /\b(Headless)?Chrome\/|\bCriOS\//],
  ['Safari', /\bSafari\//],
];
const systems: readonly [name: string, form: RegExp][] = [
  ['Windows', /\bWindows\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
];
const unknownCharactersMax = 60;

/** Such as `Chrome, Windows`; of what isn't known, the beginning of what it says; undefined if that is nothing. */
export function browserName(userAgent: string): string | undefined {
  const known = [named(browsers, userAgent), named(systems, userAgent)].filter((name) => name !== undefined);
  if (known.length > 0) return known.join(', ');
  return userAgent.trim() === '' ? undefined : userAgent.slice(0, unknownCharactersMax);
}

const named = (names: typeof browsers, userAgent: string): string | undefined =>
  names.find(([, form]) => form.test(userAgent))?.[0];
