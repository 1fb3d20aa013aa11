/** The keys of blobs: the same in every store, and a path that leads nowhere else in all of them. */

const keyCharactersMax = 512;
const segment = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/;

/** Refuses anything but up to 512 characters of segments of `[A-Za-z0-9._-]`, separated by `/`; none begins with a dot. */
export function checkKey(key: string): void {
  if (!isKey(key)) throw new Error('not a key of a blob');
}

export const isKey = (key: string): boolean => key.length <= keyCharactersMax && key.split('/').every(isSegment);

export const isSegment = (part: string): boolean => segment.test(part);

/** The folders that a prefix names whole, with a slash at the end; refuses what no key can begin with. */
export function folderOfPrefix(prefix: string): string {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  if (folder !== '') checkKey(folder.slice(0, -1));
  return folder;
}
