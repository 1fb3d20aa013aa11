/** A file as a data URI, as bodies of JSON have it. */

/** Rejects if the file can't be read, as when it was removed meanwhile. */
export const dataUriOf = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    const unreadable = () => reject(reader.error ?? new Error('the file could not be read'));
    reader.onload = () => (typeof reader.result === 'string' ? resolve(reader.result) : unreadable());
    reader.onerror = unreadable;
    reader.readAsDataURL(file);
  });
