/** Ctrl-C: a benchmark stops what it started and removes its folders before it ends. */

const signals = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs something with a signal that aborts on Ctrl-C, or on SIGTERM, in the place of Node's own reaction. What failed after that is only what the
 * interruption ended, so that is what is thrown.
 */
export async function interruptibly<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new Error('interrupted'));
  for (const signal of signals) process.on(signal, interrupt);
  try {
    return await run(interrupted.signal);
  } catch (error) {
    interrupted.signal.throwIfAborted();
    throw error;
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
  }
}
