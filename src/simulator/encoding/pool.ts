/** The process's few encoding threads, started when needed and ended when idle, behind a bounded queue. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { GatewayError } from '../../domain/errors.ts';
import { UnusableInput, type EncodeTask } from './tasks.ts';
import type { WorkerAnswer } from './worker.ts';

const queueMax = 256;
/** An 8k image of 64 megapixels or ten minutes of audio take well under a minute; more is a thread that hangs. */
const taskMs = 300_000;
/** A thread holds about 100 MB, and starts in 0.3 s. */
const idleMs = 60_000;

export interface EncoderPool {
  /**
   * Has a task done in a thread. Refuses with `UnusableInput` for a broken input, with `overloaded` when too many tasks
   * wait, and with `upstream_error` when the encoder fails. An abort takes a waiting task out of the queue.
   */
  run(task: EncodeTask, signal?: AbortSignal): Promise<void>;
  /** Refuses what it is at or has waiting, and ends the threads that were at it; idle ones end if no other pool has them, too. */
  close(): Promise<void>;
}

let threadsOfProcess: EncoderThreads | undefined;

/**
 * A simulator's way to the threads that all simulators of a process share: one on small machines, two on others. A thread
 * takes a second of CPU until it encodes at its full speed. With a number given, to as many of its own.
 */
export function createEncoderPool(threadsMax?: number): EncoderPool {
  const threads =
    threadsMax === undefined
      ? (threadsOfProcess ??= encoderThreads(availableParallelism() > 2 ? 2 : 1))
      : encoderThreads(threadsMax);
  let isClosed = false;
  const pool: EncoderPool = {
    run: (task, signal) => (isClosed ? Promise.reject(refusal()) : threads.run(pool, task, signal)),
    close: () => {
      isClosed = true;
      return threads.leave(pool, { endIdle: threads !== threadsOfProcess });
    },
  };
  return pool;
}

interface EncoderThreads {
  run(pool: EncoderPool, task: EncodeTask, signal?: AbortSignal): Promise<void>;
  leave(pool: EncoderPool, options: { endIdle: boolean }): Promise<void>;
}

interface Waiting {
  pool: EncoderPool;
  task: EncodeTask;
  resolve: () => void;
  reject: (error: Error) => void;
}

interface Thread {
  worker: Worker;
  running?: Waiting | undefined;
  timer?: NodeJS.Timeout | undefined;
}

function encoderThreads(threadsMax: number): EncoderThreads {
  const threads = new Set<Thread>();
  const queue: Waiting[] = [];

  return {
    run: (pool, task, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        if (queue.length >= queueMax) throw refusal();
        const settled = () => signal?.removeEventListener('abort', leave);
        const waiting: Waiting = {
          pool,
          task,
          resolve: () => {
            settled();
            resolve();
          },
          reject: (error) => {
            settled();
            reject(error);
          },
        };
        queue.push(waiting);
        signal?.addEventListener('abort', leave);
        assign();

        function leave(): void {
          const place = queue.indexOf(waiting);
          if (place < 0) return; // it runs, and the caller removes its file
          queue.splice(place, 1);
          waiting.reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
        }
      }),
    leave: async (pool, { endIdle }) => {
      for (const waiting of queue.filter((each) => each.pool === pool)) {
        queue.splice(queue.indexOf(waiting), 1);
        waiting.reject(failure('it was stopped'));
      }
      const itsThreads = [...threads].filter(({ running }) => (running ? running.pool === pool : endIdle));
      await Promise.all(itsThreads.map((thread) => end(thread, 'it was stopped')));
    },
  };

  function assign(): void {
    while (queue.length > 0) {
      const idle = [...threads].find(({ running }) => running === undefined);
      const thread = idle ?? (threads.size < threadsMax ? start() : undefined);
      const next = thread === undefined ? undefined : queue.shift();
      if (thread === undefined || next === undefined) return;
      clearTimeout(thread.timer);
      thread.running = next;
      thread.worker.ref();
      thread.timer = setTimeout(() => void end(thread, 'it took too long'), taskMs);
      thread.worker.postMessage(next.task);
    }
  }

  function start(): Thread {
    const thread: Thread = { worker: startWorker() };
    threads.add(thread);
    thread.worker.on('message', (message: WorkerAnswer) => {
      const { running } = thread;
      clearTimeout(thread.timer);
      thread.running = undefined;
      // An idle thread keeps no process alive.
      thread.worker.unref();
      thread.timer = setTimeout(() => void end(thread, 'it was idle'), idleMs).unref();
      if (message.outcome === 'written') running?.resolve();
      else if (message.outcome === 'unusable') running?.reject(new UnusableInput(message.input, message.message));
      else running?.reject(failure('its encoder failed', new Error(message.message)));
      assign();
    });
    thread.worker.on('error', (error) => void end(thread, 'its encoder broke off', error));
    thread.worker.on('exit', () => void end(thread, 'its encoder ended'));
    return thread;
  }

  async function end(thread: Thread, reason: string, cause?: unknown): Promise<void> {
    if (!threads.delete(thread)) return;
    clearTimeout(thread.timer);
    thread.running?.reject(failure(reason, cause));
    await thread.worker.terminate().then(assign, assign);
  }
}

const refusal = (): GatewayError =>
  new GatewayError('overloaded', 'The simulator has too many files to encode.', { retryAfterSeconds: 5 });

const failure = (reason: string, cause?: unknown): GatewayError =>
  new GatewayError('upstream_error', `The simulator could not create the file: ${reason}.`, { cause });

/**
 * From compiled code the thread runs `worker.js`. From source it has to load TypeScript itself: Node 20 doesn't hand
 * loaders down to threads, so a line of JavaScript registers tsx there before it imports `worker.ts`.
 */
function startWorker(): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./worker.js', import.meta.url), { execArgv: [] });
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const entry = JSON.stringify(new URL('./worker.ts', import.meta.url).href);
  const source = `import { register } from ${loader}; register(); await import(${entry});`;
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), { execArgv: [] });
}
