/** Figures that cost something to ask for: asked once for all scrapes of some seconds, and no longer waited for than two. */

const waitMsMax = 2_000;

export interface Asking<T> {
  ask: () => Promise<T>;
  /** How long an answer is good. */
  keptMs: number;
  /** Told when there is no answer; the scrape goes on without. */
  onError: (error: unknown) => void;
}

/** Answers what was asked for last, if it is young enough; undefined where there was no answer in time. */
export function remembered<T>({ ask, keptMs, onError }: Asking<T>): () => Promise<T | undefined> {
  let answer: Promise<T | undefined> | undefined;
  let askedAtMs = 0;
  return () => {
    if (answer && performance.now() - askedAtMs < keptMs) return answer;
    askedAtMs = performance.now();
    return (answer = inTime(ask).catch((error: unknown) => {
      onError(error);
      return undefined;
    }));
  };
}

/** Rejects when it takes longer than two seconds. */
async function inTime<T>(ask: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('timed out')), waitMsMax);
  });
  try {
    return await Promise.race([ask(), late]);
  } finally {
    clearTimeout(timer);
  }
}
