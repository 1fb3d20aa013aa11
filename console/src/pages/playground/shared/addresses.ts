/** Addresses that are typed one a line, and those of our own files. */

/** The lines that say something. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Whether a quote may name it; half-typed, it would only be refused. */
export const isAddress = (text: string): boolean =>
  /^https?:\/\/[^\s/]+/.test(text) && URL.canParse(text) && text.length <= 2048;

/** A stored file's link as one of this very origin: the public address may be another name of the same server. */
export function ownAddress(link: string): string {
  const { pathname, search } = new URL(link, window.location.origin);
  return `${pathname}${search}`;
}
