/**
 * Results that can fail on the caller's files and so must exist before a job is called succeeded. A preparation goes on
 * by itself while polls come and go; a result that no request fetches is removed.
 */
import { GatewayError } from '../domain/errors.ts';
import type { WorkFolder } from './work-folders.ts';

/** How long one poll waits before it answers that the job is still being worked on. */
const pollMs = 5_000;
/** How long a finished result waits to be fetched. */
const keptMs = 600_000;
const runningMax = 16;
const keptMax = 256;

export type Prepare = () => Promise<WorkFolder>;

export interface Preparations {
  /**
   * Starts a job's preparation unless it has been started, and waits for it a while. Answers whether it is finished;
   * rejects with the GatewayError that it ended with.
   */
  ready(jobId: string, prepare: Prepare, signal: AbortSignal): Promise<boolean>;
  /** Hands over the folder, which the caller then removes; prepares it anew if it is no longer there. */
  take(jobId: string, prepare: Prepare): Promise<WorkFolder>;
  /** Forgets a job, and removes its folder once it is there. */
  drop(jobId: string): void;
  close(): Promise<void>;
}

interface Preparation {
  folder: Promise<WorkFolder>;
  isRunning: boolean;
  timer?: NodeJS.Timeout;
}

export function createPreparations(): Preparations {
  const preparations = new Map<string, Preparation>();

  return {
    ready: async (jobId, prepare, signal) => {
      signal.throwIfAborted();
      const preparation = preparations.get(jobId) ?? start(jobId, prepare);
      if (preparation === undefined) return false;
      try {
        return await withinPoll(preparation.folder, signal);
      } catch (error) {
        // The failure is reported once; a later request for the job tries again.
        if (!signal.aborted) preparations.delete(jobId);
        throw error;
      }
    },
    take: (jobId, prepare) => {
      const preparation = preparations.get(jobId);
      if (preparation === undefined) return prepare();
      preparations.delete(jobId);
      clearTimeout(preparation.timer);
      return preparation.folder;
    },
    drop,
    close: async () => {
      const left = [...preparations.values()];
      preparations.clear();
      await Promise.all(left.map((preparation) => discard(preparation)));
    },
  };

  function start(jobId: string, prepare: Prepare): Preparation | undefined {
    const running = [...preparations.values()].filter(({ isRunning }) => isRunning).length;
    if (running >= runningMax || preparations.size >= keptMax) return undefined;
    const preparation: Preparation = { folder: prepare(), isRunning: true };
    preparations.set(jobId, preparation);
    const settled = () => {
      preparation.isRunning = false;
      if (preparations.get(jobId) === preparation) preparation.timer = setTimeout(() => drop(jobId), keptMs).unref();
    };
    preparation.folder.then(settled, settled);
    return preparation;
  }

  function drop(jobId: string): void {
    const preparation = preparations.get(jobId);
    preparations.delete(jobId);
    // What can't be removed now is swept later.
    if (preparation !== undefined) discard(preparation).catch(() => undefined);
  }
}

async function discard({ folder, timer }: Preparation): Promise<void> {
  clearTimeout(timer);
  const made = await folder.catch(() => undefined);
  await made?.remove();
}

/** True once the folder is there, false after `pollMs`; rejects like the folder, and when the signal aborts. */
function withinPoll(folder: Promise<WorkFolder>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(() => resolve(false)), pollMs);
    const abort = () => settle(() => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted')));
    signal.addEventListener('abort', abort);
    folder.then(
      () => settle(() => resolve(true)),
      (error: unknown) =>
        settle(() => reject(error instanceof Error ? error : new GatewayError('upstream_error', String(error)))),
    );
    function settle(act: () => void): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      act();
    }
  });
}
