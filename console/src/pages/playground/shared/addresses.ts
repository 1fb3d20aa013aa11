/** Addresses: those that are typed, and those of our own files. */

/** Whether a quote may name it; half-typed, it would only be refused. */
export const isAddress = (text: string): boolean =>
  /^https?:\/\/[^\s/]+/.test(text) && URL.canParse(text) && text.length <= 2048;

/** A stored file's link as one of this very origin: the public address may be another name of the same server. */
export function ownAddress(link: string): string {
  const { pathname, search } = new URL(link, window.location.origin);
  return `${pathname}${search}`;
}
