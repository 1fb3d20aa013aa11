/** Large bodies are parsed one in a turn of the event loop: many that come at once would keep all other callers waiting. */

/** Parsing less takes a few milliseconds. */
const largeBytesMin = 64 * 1024;

let last: Promise<void> = Promise.resolve();

/** Resolves when a body of this size may be parsed; for a large one that is in a turn in which no other large one is. */
export function parseTurn(bytes: number): Promise<void> | undefined {
  if (bytes < largeBytesMin) return undefined;
  return (last = last.then(nextTurn));
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
