/**
 * The queues of keys, worked off: the next tasks of a key start when one of its running ones has ended. A step that ends a
 * task says so at once; a scan finds what no step said, such as a higher limit, or an end whose process died behind it.
 */
import type { Logger } from 'pino';
import type { KeyId } from '../../domain/ids.ts';
import type { Database } from '../../postgres/database.ts';
import type { OnUnreadable } from '../../postgres/readable-rows.ts';
import { dequeuedMax, dequeueTasks, keysWithQueue } from '../rows/key-queues.ts';
import { markStarted } from '../rows/task-rows.ts';
import { startTasks } from './start-tasks.ts';
import type { TaskStarter } from './task-starter.ts';

interface KeyQueueTools {
  database: Database;
  starter: TaskStarter;
  onUnreadable?: OnUnreadable;
  log: Logger;
}

export class KeyQueues {
  readonly #tools: KeyQueueTools;
  /** Keys whose queues are being worked off here; true: something has ended since that began. */
  readonly #asked = new Map<KeyId, boolean>();
  readonly #running = new Set<Promise<void>>();

  constructor(tools: KeyQueueTools) {
    this.#tools = tools;
  }

  /** Has the next tasks of a key started soon, in the background. Where that fails, the scan does it. */
  startNext(key: KeyId): void {
    const isRunning = this.#asked.has(key);
    this.#asked.set(key, true);
    if (isRunning) return;
    const running = this.#whileAsked(key).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Starts what can start of every queue. Rejects without the database. */
  async scan(signal?: AbortSignal): Promise<void> {
    for (const key of await keysWithQueue(this.#tools.database)) {
      if (signal?.aborted === true) return;
      await this.#startNext(key);
    }
  }

  /** Resolves when nothing is under way any more. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #whileAsked(key: KeyId): Promise<void> {
    try {
      while (this.#asked.get(key) === true) {
        this.#asked.set(key, false);
        await this.#startNext(key);
      }
    } catch (error) {
      this.#tools.log.warn({ err: error, keyId: key }, 'the queue of a key could not be worked off; the scan will');
    } finally {
      this.#asked.delete(key);
    }
  }

  async #startNext(key: KeyId): Promise<void> {
    const { database, onUnreadable } = this.#tools;
    for (let count = dequeuedMax; count === dequeuedMax;) {
      const dequeued = await dequeueTasks(database, key, onUnreadable);
      if (dequeued.count === 0) return;
      const { started, untried } = await startTasks(this.#tools, dequeued.tasks);
      await markStarted(database, started);
      if (untried.length > 0) return; // Temporal is away: the scan for tasks to start has them from now on
      count = dequeued.count;
    }
  }
}
