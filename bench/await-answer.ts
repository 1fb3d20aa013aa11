/** Waiting for a server that a benchmark has started. */

/** Waits until an address answers with a status below 500; fails if the process ends first or it takes too long. */
export async function awaitAnswer(
  url: string,
  { hasEnded, waitMs, name }: { hasEnded: () => boolean; waitMs: number; name: string },
): Promise<void> {
  for (const until = performance.now() + waitMs; performance.now() < until;) {
    if (hasEnded()) throw new Error(`${name} ended before it was ready.`);
    const status = await fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      },
      () => 0, // it does not listen yet
    );
    if (status > 0 && status < 500) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${name} was not ready within ${waitMs / 1000} seconds.`);
}
