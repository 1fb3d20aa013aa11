/** An embedded server's process: started in a group of its own with its output in a bounded file, or found running. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { open, rename, stat, truncate } from 'node:fs/promises';
import type { ProcessFacts } from './processes.ts';
import { codeOf, processEnd, processFacts } from './processes.ts';

/** A server that runs now, ours or adopted. */
export interface ServerProcess {
  facts: ProcessFacts;
  /** Resolves when the process has ended, by whatever cause. */
  exited: Promise<void>;
  hasEnded(): boolean;
  /** Lets this process exit while the server runs on. */
  release(): void;
}

export interface Invocation {
  command: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
}

export interface SpawnOptions {
  logPath: string;
  /** End the server when this process dies, by kill -9 too. For servers with nothing worth keeping. */
  endsWithUs: boolean;
}

const logBytesMax = 20 * 1024 * 1024;
const logCheckIntervalMs = 60_000;

/**
 * Starts a server. It gets a process group of its own, so that Ctrl-C in a terminal reaches only us, and we stop the
 * servers in the right order. Raises an error if the program can't be run at all.
 */
export async function spawnServer(
  invocation: Invocation,
  { logPath, endsWithUs }: SpawnOptions,
): Promise<ServerProcess> {
  const log = openSync(logPath, 'a', 0o600);
  const { command, args, env, uid, gid } = invocation;
  const child = spawn(command, args, {
    detached: true,
    stdio: ['ignore', log, log],
    ...(env ? { env } : {}),
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
  });
  closeSync(log);
  const pid = child.pid;
  if (pid === undefined) {
    const error = await new Promise<Error>((resolve) => child.once('error', resolve));
    throw new Error(`${command} can't be run: ${error.message}`, { cause: error });
  }
  const guard = endsWithUs ? spawnGuard(pid) : undefined;
  const unbound = boundLog(logPath);
  let ended = false;
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      ended = true;
      unbound();
      guard?.kill('SIGKILL');
      resolve();
    });
  });
  // Already gone: any start time will do, since it only has to differ from that of a later process.
  const facts = (await processFacts(pid)) ?? { pid, startedAt: 'ended', commandLine: '' };
  return {
    facts,
    exited,
    hasEnded: () => ended,
    release: () => {
      unbound();
      child.unref();
    },
  };
}

/** Takes over a server that an earlier process of ours started. */
export function adoptServer(facts: ProcessFacts, { logPath }: { logPath: string }): ServerProcess {
  const watch = new AbortController();
  const unbound = boundLog(logPath);
  let ended = false;
  const exited = new Promise<void>((resolve) => {
    const end = () => {
      if (watch.signal.aborted) return;
      ended = true;
      unbound();
      resolve();
    };
    // A watch that fails counts as the end, too: the supervisor then looks again.
    processEnd(facts, watch.signal).then(end, end);
  });
  return {
    facts,
    exited,
    hasEnded: () => ended,
    release: () => {
      unbound();
      watch.abort();
    },
  };
}

/** Begins a new log and keeps the one before it as `<path>.old`. */
export async function rotateLog(logPath: string): Promise<void> {
  try {
    await rename(logPath, `${logPath}.old`);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** How long the log is: where the words of the next process begin. */
export async function logEnd(logPath: string): Promise<number> {
  try {
    return (await stat(logPath)).size;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0;
    throw error;
  }
}

/** What was logged since then, at most the last 4 KiB of it. */
export async function logSince(logPath: string, start: number): Promise<string> {
  const size = await logEnd(logPath);
  if (size <= start) return '';
  const from = Math.max(start, size - 4096);
  const file = await open(logPath, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    return buffer.subarray(0, bytesRead).toString('utf8').trim();
  } finally {
    await file.close();
  }
}

/** Empties the file whenever it has grown too long; the server appends, so it goes on at the new end. */
function boundLog(logPath: string): () => void {
  const timer = setInterval(() => {
    logEnd(logPath)
      .then((size) => (size > logBytesMax ? truncate(logPath) : undefined))
      .catch(() => undefined); // the folder is gone: nothing to bound
  }, logCheckIntervalMs);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}

/** A shell that waits for the end of its input, which comes when we die, and then ends the server. */
function spawnGuard(pid: number) {
  const guard = spawn(
    '/bin/sh',
    ['-c', 'read -r line; kill -QUIT "$1"; sleep 1; kill -KILL "$1"', 'guard', String(pid)],
    {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  );
  guard.on('error', () => undefined); // without a shell the server has to be stopped by hand after a kill -9
  guard.unref();
  return guard;
}
