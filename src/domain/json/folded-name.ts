/** A name as readers of JSON that ignore case compare it, those included that fold `ſ`, `ı`, `İ` and the sign of the Kelvin. */
export function foldedName(name: string): string {
  const lower = name.toLowerCase();
  return isPlain.test(lower) ? lower : lower.toUpperCase().toLowerCase().replaceAll('\u0307', '');
}

const isPlain = /^[\0-\x7f]*$/;
