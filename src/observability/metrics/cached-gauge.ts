/** Figures that cost something to ask for: asked once for all scrapes of some seconds, and no longer waited for than two. */
import { within } from '../../domain/within.ts';

const waitMsMax = 2_000;

export interface Asking<T> {
  ask: () => Promise<T>;
  /** How long an answer is good. */
  keptMs: number;
  /** Called when there is no answer; the scrape goes on without. */
  onError: (error: unknown) => void;
}

/** Returns what was asked for last, if it is young enough; undefined where there was no answer in time. */
export function remembered<T>({ ask, keptMs, onError }: Asking<T>): () => Promise<T | undefined> {
  let answer: Promise<T | undefined> | undefined;
  let askedAtMs = 0;
  return () => {
    if (answer && performance.now() - askedAtMs < keptMs) return answer;
    askedAtMs = performance.now();
    return (answer = within(waitMsMax, ask(), timeOut).catch((error: unknown) => {
      onError(error);
      return undefined;
    }));
  };
}

const timeOut = (): never => {
  throw new Error('timed out');
};
