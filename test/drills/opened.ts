/** What a drill opens, which is closed whatever becomes of the drill. */

export type Closing = () => Promise<void>;

/** Runs a drill, or gives it up when the signal aborts; what it has opened by then is closed, the last first. */
export async function closingAll<T>(
  signal: AbortSignal | undefined,
  run: (opened: Closing[]) => Promise<T>,
): Promise<T> {
  const opened: Closing[] = [];
  const interrupted = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(new Error('interrupted', { cause: signal.reason })));
  });
  try {
    return await Promise.race([run(opened), interrupted]);
  } finally {
    for (const close of opened.reverse()) await close();
  }
}
