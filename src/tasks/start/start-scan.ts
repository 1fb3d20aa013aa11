/**
 * The scans that make sure every accepted task runs, whichever process died: tasks whose start was not acknowledged, queues
 * of keys, tasks that have been silent for long, and cancelled tasks whose workflow has not heard of it. Beside them the
 * events that are owed to webhooks, and the maintenance that comes by the clock.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { FailureFacts } from '../../activities/activity-types.ts';
import type { TaskId } from '../../domain/ids.ts';
import { queuedMsMax } from '../../domain/limits.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import { type Database, supplyPartitions } from '../../postgres/database.ts';
import { deleteOldAnswers } from '../retention/expired-answers.ts';
import { deleteOldResponses } from '../../chat/response-rows.ts';
import type { OnUnreadable } from '../../postgres/readable-rows.ts';
import { deleteOldFiles } from '../../files/old-files.ts';
import { deleteOldEvents } from '../../webhooks/expired-events.ts';
import {
  cancellationHeard,
  cancellationsPending,
  giveTasksBack,
  overdueTasks,
  type Page,
  type Position,
  takeSilentTasks,
  takeTasksToStart,
  tasksQueuedTooLong,
} from '../rows/task-scans.ts';
import { markStarted } from '../rows/task-rows.ts';
import type { BatchScan } from '../../batches/batch-scan.ts';
import type { EventScan } from '../../webhooks/event-scan.ts';
import { isOpen, type TaskStarter } from './task-starter.ts';
import { isOfServer, startTasks } from './start-tasks.ts';
import type { KeyQueues } from './key-queues.ts';

const startScanMs = 2_000;
const silenceScanMs = 60_000;
const partitionsMs = 3_600_000;
const oldAnswersMs = 900_000;
const oldEventsMs = 900_000;
const oldFilesMs = 900_000;
/** Between the beginnings of two scans: all at once, they had ten connections, for which PostgreSQL needs 25 MB. */
const apartMs = 100;
const batchTasks = 100;
const failuresInARowMax = 3;

const queuedTooLong: FailureFacts = {
  code: 'concurrency_limit_exceeded',
  message: `The task waited ${queuedMsMax / 86_400_000} days for the running tasks of its key.`,
  param: null,
};

interface Scan {
  /** For the log. */
  what: string;
  everyMs: number;
  run: () => Promise<void>;
}

export interface StartScanTools {
  database: Database;
  blobs: BlobStore;
  starter: TaskStarter;
  keyQueues: Pick<KeyQueues, 'scan'>;
  events: EventScan;
  batches: BatchScan;
  /** Counts a row that a scan could not read. */
  onUnreadable: (scan: string) => void;
  /** Ends a task without success; harmless when it is final. */
  release: (args: { taskId: TaskId; error: FailureFacts }) => Promise<unknown>;
  log: Logger;
}

export class StartScan {
  readonly #tools: StartScanTools;
  readonly #stopping = new AbortController();
  readonly #running: readonly Promise<void>[];

  /** Scans until it is closed; a scan that fails is logged and comes again at its time. */
  constructor(tools: StartScanTools) {
    this.#tools = tools;
    setMaxListeners(0, this.#stopping.signal); // each scan has one, and Node warns of more than ten
    const scans: readonly Scan[] = [
      { what: 'tasks to start', everyMs: startScanMs, run: () => this.#startAccepted() },
      { what: 'queues of keys', everyMs: startScanMs, run: () => this.#tools.keyQueues.scan(this.#stopping.signal) },
      { what: 'cancellations', everyMs: startScanMs, run: () => this.#repeatCancellations() },
      { what: 'silent tasks', everyMs: silenceScanMs, run: () => this.#lookAfterSilent() },
      {
        what: 'events to deliver',
        everyMs: startScanMs,
        run: () => this.#tools.events.startOwed(this.#stopping.signal),
      },
      { what: 'silent events', everyMs: silenceScanMs, run: () => this.#tools.events.lookAfterSilent() },
      { what: 'batches to start', everyMs: startScanMs, run: () => this.#tools.batches.startAccepted() },
      { what: 'silent batches', everyMs: silenceScanMs, run: () => this.#tools.batches.lookAfterSilent() },
      { what: 'overdue tasks', everyMs: silenceScanMs, run: () => this.#releaseOverdue() },
      { what: 'tasks queued for too long', everyMs: silenceScanMs, run: () => this.#releaseQueued() },
      { what: 'partitions to make', everyMs: partitionsMs, run: () => this.#makePartitions() },
      {
        what: 'old answers to delete',
        everyMs: oldAnswersMs,
        run: async () => {
          await deleteOldAnswers({ ...this.#tools, signal: this.#stopping.signal });
          await deleteOldResponses({ ...this.#tools, signal: this.#stopping.signal });
        },
      },
      {
        what: 'old events to delete',
        everyMs: oldEventsMs,
        run: async () => {
          await deleteOldEvents({ ...this.#tools, signal: this.#stopping.signal });
        },
      },
      {
        what: 'old files to delete',
        everyMs: oldFilesMs,
        run: async () => {
          await deleteOldFiles({ ...this.#tools, signal: this.#stopping.signal });
          await this.#tools.batches.removeOldLines(this.#stopping.signal);
        },
      },
    ];
    this.#running = scans.map((scan, place) => this.#repeat(scan, apartMs * (place + 1)));
  }

  /** Resolves when the scans that were running have ended. */
  async close(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  async #repeat({ what, everyMs, run }: Scan, fromMs: number): Promise<void> {
    const { signal } = this.#stopping;
    const wait = (ms: number) => pause(ms, undefined, { signal, ref: false }).catch(() => undefined); // closing ends it
    await wait(fromMs);
    while (!signal.aborted) {
      try {
        await run();
      } catch (error) {
        this.#tools.log.warn({ err: error }, `the scan for ${what} failed and is repeated`);
      }
      await wait(everyMs);
    }
  }

  async #makePartitions(): Promise<void> {
    const { database, log } = this.#tools;
    const missing = await supplyPartitions(database);
    if (missing.length > 0) log.warn({ missing }, 'partitions are missing; see tollgate doctor');
  }

  async #startAccepted(): Promise<void> {
    const { database } = this.#tools;
    const onUnreadable = this.#unreadableIn('tasks_to_start');
    const pages = this.#pages((after) => takeTasksToStart(database, batchTasks, { after, onUnreadable }));
    for await (const tasks of pages) {
      const { started, untried } = await startTasks(this.#tools, tasks);
      await markStarted(database, started);
      if (untried.length === 0) continue;
      await giveTasksBack(database, untried);
      return;
    }
  }

  async #lookAfterSilent(): Promise<void> {
    const { database, starter, release, log } = this.#tools;
    const onUnreadable = this.#unreadableIn('silent_tasks');
    let left = batchTasks; // a round's share of calls to Temporal; it is spent on tasks that can be read
    for await (const silent of this.#pages((after) => takeSilentTasks(database, left, { after, onUnreadable }))) {
      await this.#each(silent, async (task) => {
        const status = await starter.status(task.id);
        if (status === 'TERMINATED') {
          log.warn({ taskId: task.id }, 'the workflow was terminated; the task is released');
          await release({ taskId: task.id, error: 'cancelled' });
        } else if (!isOpen(status)) {
          log.warn({ taskId: task.id, status: status ?? 'not found' }, 'the workflow is gone; it is started again');
          await starter.start(task);
        }
      });
      left -= silent.length;
      if (left === 0) return;
    }
  }

  /** First all are released, which needs no Temporal, then their workflows hear of it. */
  async #releaseOverdue(): Promise<void> {
    const { database, starter, release, log } = this.#tools;
    const overdue: { id: TaskId }[] = [];
    for await (const some of this.#pages((after) => overdueTasks(database, batchTasks, { after }))) {
      overdue.push(...some);
      await this.#each(some, async ({ id }) => {
        log.error({ taskId: id }, 'a task is past every deadline, and is released; is its provider still configured?');
        const message = 'The task did not finish in time.';
        await release({ taskId: id, error: { code: 'upstream_timeout', message, param: null } });
      });
    }
    await this.#each(overdue, async ({ id }) => {
      await starter.cancel(id);
    });
  }

  /** They have no workflow that would have to hear of it. */
  async #releaseQueued(): Promise<void> {
    const { database, release, log } = this.#tools;
    for await (const queued of this.#pages((after) => tasksQueuedTooLong(database, batchTasks, { after }))) {
      await this.#each(queued, async ({ id }) => {
        log.warn({ taskId: id }, 'a task was queued for as long as one may be, and is released');
        await release({ taskId: id, error: queuedTooLong });
      });
    }
  }

  async #repeatCancellations(): Promise<void> {
    const { database, starter } = this.#tools;
    const onUnreadable = this.#unreadableIn('cancellations');
    for await (const pending of this.#pages((after) =>
      cancellationsPending(database, batchTasks, { after, onUnreadable }),
    )) {
      await this.#each(pending, async ({ id, facts }) => {
        // Where none runs, since it never began or was terminated, one is started: it finds the task ended, and clears away.
        if (!(await starter.cancel(id))) {
          if (!facts) return; // it stays pending until its row can be read
          await starter.start(facts, { hasEnded: true });
        }
        await cancellationHeard(database, id);
      });
    }
  }

  /** All pages of a scan's round: each goes on where the one before ended, whatever became of its rows. */
  async *#pages<Row>(read: (after: Position | undefined) => Promise<Page<Row>>): AsyncGenerator<Row[]> {
    let after: Position | undefined;
    do {
      const { rows, next } = await read(after);
      yield rows;
      after = next;
    } while (after && !this.#stopping.signal.aborted);
  }

  /** One after the other: a task that fails stops no other, but where Temporal or the database is away the round ends. */
  async #each<Row extends { id: TaskId }>(rows: readonly Row[], work: (row: Row) => Promise<void>): Promise<void> {
    let failures = 0;
    for (const row of rows) {
      try {
        await work(row);
        failures = 0;
      } catch (error) {
        if (isOfServer(error)) failures += 1;
        if (failures === failuresInARowMax) throw error;
        this.#tools.log.error({ err: error, taskId: row.id }, 'a scan could not look after a task, and goes on');
      }
    }
  }

  #unreadableIn(scan: string): OnUnreadable {
    return ({ id, fault }) => {
      this.#tools.onUnreadable(scan);
      this.#tools.log.error(
        { taskId: id, scan, fault },
        'the row of a task can’t be read; tollgate tasks list --unreadable',
      );
    };
  }
}
