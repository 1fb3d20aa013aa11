/** A bound on how long work is waited for. */

const late = Symbol('late');

/**
 * Resolves or rejects as `work` does; when it takes longer than `ms`, with what `onLate` returns or throws. The work
 * itself goes on: where it can be ended, that is for `onLate` to do. Only plain timers, since Node has no such race:
 * `AbortSignal.timeout` ends what listens to a signal, and its timer can't be cleared.
 */
export async function within<T, Late>(ms: number, work: Promise<T>, onLate: () => Late): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<typeof late>((resolve) => {
    timer = setTimeout(resolve, ms, late);
  });
  try {
    const first = await Promise.race([work, timeout]);
    return first === late ? onLate() : first;
  } finally {
    clearTimeout(timer);
  }
}
