/** How long a chosen file lasts, as the browser plays it. */

/** The wait for a file that the browser can't read is bounded. */
const metadataMsMax = 8_000;

/** Returns its length in seconds; null of what can't be played, or whose length isn't known before its end. */
export function mediaSeconds(kind: 'audio' | 'video', file: File): Promise<number | null> {
  const element = document.createElement(kind);
  const address = URL.createObjectURL(file);
  return new Promise((resolve) => {
    const end = (seconds: number | null) => {
      clearTimeout(timer);
      element.removeAttribute('src');
      URL.revokeObjectURL(address);
      resolve(seconds);
    };
    const timer = setTimeout(() => end(null), metadataMsMax);
    element.preload = 'metadata';
    element.onloadedmetadata = () => end(Number.isFinite(element.duration) ? element.duration : null);
    element.onerror = () => end(null);
    element.src = address;
  });
}
