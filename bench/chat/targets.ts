/** What the chat benchmark measures: where it is reached, and which processes' time counts. */
import type { Part } from './cpu.ts';

export interface Target {
  name: string;
  /** With version, for the table. */
  title: string;
  /** Where calls are sent. */
  url: string;
  model: string;
  headers: Record<string, string>;
  /** The root of its tree of processes. */
  pid: number;
  /** What is compared with the floor. Temporal serves no chat, so the gateway's `rest` is shown but not counted. */
  counted: readonly Part[];
  /** Scenarios that are far beyond what it can carry. */
  skipped: readonly string[];
  stop: () => Promise<void>;
}

/** Ready-made parts of a target that is a plain server with nothing to leave out. */
export const plain = { model: 'mock', headers: {}, counted: ['own', 'postgres', 'rest'], skipped: [] } as const;

export const pathOfChat = '/v1/chat/completions';

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
