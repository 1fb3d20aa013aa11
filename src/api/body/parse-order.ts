/** Large bodies are parsed one after the other, with rests between: many at once would keep all other callers waiting. */

/** Parsing less takes a few milliseconds. */
const largeBytesMin = 64 * 1024;

let free: Promise<void> = Promise.resolve();

/**
 * Parses a body of this size: a small one at once; a large one when the one before it is parsed, and other callers have
 * had as long as that took. Passes on what `parse` throws.
 */
export function parseInOrder<T>(bytes: number, parse: () => T): T | Promise<T> {
  if (bytes < largeBytesMin) return parse();
  const turn = free;
  let end: () => void = () => undefined;
  free = new Promise((resolve) => (end = resolve));
  return turn.then(() => {
    const startedAtMs = performance.now();
    try {
      return parse();
    } finally {
      setTimeout(end, performance.now() - startedAtMs);
    }
  });
}
