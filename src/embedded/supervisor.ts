/** Keeps one process running until it is stopped or left. */
import { setTimeout as sleep } from 'node:timers/promises';

/** A process that runs now. */
interface Process {
  facts: { readonly pid: number };
  /** Resolves when it has ended, by whatever cause. */
  exited: Promise<unknown>;
  /** Lets this process exit while that one runs on. */
  release(): void;
}

/** A server that is started again, on its own port, whenever it dies. */
export interface KeptServer {
  /** The process of now; another one after a restart. */
  readonly pid: number;
  /** Ends the server, an adopted one too, and resolves when it has ended. Calling it again changes nothing. */
  stop(): Promise<void>;
  /** Ends only the supervision: the server runs on for the next process that adopts it. */
  leave(): Promise<void>;
  /** Resolves when the server is no longer supervised here: after `stop` or `leave`. */
  readonly exited: Promise<void>;
}

export interface Care<P extends Process> {
  name: string;
  first: P;
  /** Starts it on the same port; gives up with an error when the signal is aborted. */
  startAgain: (signal: AbortSignal) => Promise<P>;
  end: (server: P) => Promise<void>;
  say: (line: string) => void;
}

const backOffMs = { first: 100, most: 5_000 };
/** After a life this long the next death starts the back-off from its beginning. */
const stableAfterMs = 60_000;

/** Watches over a running server from now on. */
export function keepRunning<P extends Process>({ name, first, startAgain, end, say }: Care<P>): KeptServer {
  let current = first;
  let stopped: Promise<void> | undefined;
  const ending = new AbortController();
  const endingBegun = new Promise<void>((resolve) => {
    ending.signal.addEventListener('abort', () => {
      resolve();
    });
  });
  const isEnding = () => ending.signal.aborted;
  const exited = watch();

  return {
    get pid() {
      return current.facts.pid;
    },
    exited,
    stop: () => (stopped ??= finish(() => end(current))),
    leave: () => (stopped ??= finish(() => Promise.resolve())),
  };

  async function finish(last: () => Promise<void>): Promise<void> {
    ending.abort();
    await exited;
    await last();
    current.release();
  }

  async function watch(): Promise<void> {
    let deaths = 0;
    while (!isEnding()) {
      const startedAt = performance.now();
      await Promise.race([current.exited, endingBegun]);
      if (isEnding()) return;
      if (performance.now() - startedAt > stableAfterMs) deaths = 0;
      say(`${name} (process ${current.facts.pid}) exited; restarting it.`);
      while (!isEnding() && !(await revived(deaths++)));
    }
  }

  async function revived(deaths: number): Promise<boolean> {
    try {
      await sleep(Math.min(backOffMs.first * 2 ** Math.min(deaths, 10), backOffMs.most), undefined, {
        signal: ending.signal,
      });
      current = await startAgain(ending.signal);
      return true;
    } catch (error) {
      if (!ending.signal.aborted)
        say(`${name} did not start: ${error instanceof Error ? error.message : String(error)}`);
      return false;
    }
  }
}
