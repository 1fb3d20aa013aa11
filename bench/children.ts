/** Processes that a benchmark starts: how it hears of them, and how it ends them. */
import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const endingMsMax = 10_000;

/** Asks a process to end, waits for it, and ends it by force if it takes too long. */
export async function end(child: ChildProcess, waitMs = endingMsMax): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), waitMs);
  await exited;
  clearTimeout(timer);
}

/** The next message of a forked process; fails if the process ends before it. */
export async function nextMessage(child: ChildProcess): Promise<unknown> {
  const over = new AbortController();
  try {
    return await Promise.race([
      once(child, 'message', over).then(([message]: unknown[]) => message),
      once(child, 'exit', over).then(([code]: unknown[]) => {
        throw new Error(`${child.spawnfile} ended with ${String(code)}`);
      }),
    ]);
  } finally {
    over.abort();
  }
}
