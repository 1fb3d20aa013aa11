/**
 * The scans that make sure every accepted task runs, whoever died: tasks whose start nobody acknowledged, tasks that
 * have been silent for long, and cancelled tasks whose workflow has not heard of it. Beside them the events that are
 * owed to webhooks, and the house-keeping that comes by the clock.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { FailureFacts } from '../activities/contract.ts';
import type { TaskId } from '../domain/ids.ts';
import type { BlobStore } from '../storage/blobs.ts';
import { type Database, supplyPartitions } from '../storage/database.ts';
import { deleteOldAnswers } from '../storage/old-answers.ts';
import { deleteOldResponses } from '../storage/responses.ts';
import type { OnUnreadable } from '../storage/readable-rows.ts';
import { deleteOldEvents } from '../storage/old-events.ts';
import {
  cancellationHeard,
  cancellationsPending,
  giveTasksBack,
  markStarted,
  overdueTasks,
  type StartFacts,
  takeSilentTasks,
  takeTasksToStart,
} from '../storage/tasks.ts';
import type { EventScan } from './event-scan.ts';
import { isOpen, type TaskStarter } from './task-starter.ts';

const start_scan_ms = 2_000;
const silence_scan_ms = 60_000;
const partitions_ms = 3_600_000;
const old_answers_ms = 900_000;
const old_events_ms = 900_000;
const batch_tasks = 100;
const failures_in_a_row_max = 3;
const starts_at_once = 8; // as many as one API (`api/tasks/start-lanes.ts`)

export interface StartScanTools {
  database: Database;
  blobs: BlobStore;
  starter: TaskStarter;
  events: EventScan;
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
    this.#running = [
      this.#repeat('tasks to start', start_scan_ms, () => this.#startAccepted()),
      this.#repeat('cancellations', start_scan_ms, () => this.#repeatCancellations()),
      this.#repeat('silent tasks', silence_scan_ms, () => this.#lookAfterSilent()),
      this.#repeat('events to deliver', start_scan_ms, () => this.#tools.events.startOwed(this.#stopping.signal)),
      this.#repeat('silent events', silence_scan_ms, () => this.#tools.events.lookAfterSilent()),
      this.#repeat('overdue tasks', silence_scan_ms, () => this.#releaseOverdue()),
      this.#repeat('partitions to make', partitions_ms, () => this.#makePartitions()),
      this.#repeat('old answers to delete', old_answers_ms, async () => {
        await deleteOldAnswers({ ...this.#tools, signal: this.#stopping.signal });
        await deleteOldResponses({ ...this.#tools, signal: this.#stopping.signal });
      }),
      this.#repeat('old events to delete', old_events_ms, async () => {
        await deleteOldEvents({ ...this.#tools, signal: this.#stopping.signal });
      }),
    ];
  }

  /** Resolves when the scans that were running have ended. */
  async close(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  async #repeat(what: string, everyMs: number, scan: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await scan();
      } catch (error) {
        this.#tools.log.warn({ err: error }, `the scan for ${what} failed and is repeated`);
      }
      await pause(everyMs, undefined, { signal, ref: false }).catch(() => undefined); // closing ends the pause
    }
  }

  async #makePartitions(): Promise<void> {
    const { database, log } = this.#tools;
    const missing = await supplyPartitions(database);
    if (missing.length > 0) log.warn({ missing }, 'partitions are missing; see tollgate doctor');
  }

  async #startAccepted(): Promise<void> {
    const { database } = this.#tools;
    for (;;) {
      const tasks = await takeTasksToStart(database, batch_tasks, this.#unreadableIn('tasks_to_start'));
      if (tasks.length === 0) return;
      const started = await this.#startAll(tasks);
      await markStarted(database, started);
      const left = tasks.map(({ id }) => id).filter((id) => !started.includes(id));
      if (left.length > 0) await giveTasksBack(database, left);
      if (started.length < batch_tasks || this.#stopping.signal.aborted) return;
    }
  }

  /** Starts tasks, some at a time; gives up at the first that fails and answers those that were acknowledged. */
  async #startAll(tasks: readonly StartFacts[]): Promise<TaskId[]> {
    const started: TaskId[] = [];
    for (let from = 0; from < tasks.length; from += starts_at_once) {
      const answers = await Promise.allSettled(
        tasks.slice(from, from + starts_at_once).map(async (task) => {
          await this.#tools.starter.start(task);
          started.push(task.id);
        }),
      );
      const failure = answers.find((answer) => answer.status === 'rejected');
      if (failure) {
        this.#tools.log.warn({ err: failure.reason, started: started.length }, 'accepted tasks wait for Temporal');
        break;
      }
    }
    if (started.length > 0) this.#tools.log.info({ count: started.length }, 'started accepted tasks');
    return started;
  }

  async #lookAfterSilent(): Promise<void> {
    const { database, starter, release, log } = this.#tools;
    const silent = await takeSilentTasks(database, batch_tasks, this.#unreadableIn('silent_tasks'));
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
  }

  /** First all are released, which needs no Temporal, then their workflows hear of it. */
  async #releaseOverdue(): Promise<void> {
    const { database, starter, release, log } = this.#tools;
    const overdue = (await overdueTasks(database, batch_tasks)).map((id) => ({ id }));
    await this.#each(overdue, async ({ id }) => {
      log.error({ taskId: id }, 'a task is past every deadline, and is released; is its provider still configured?');
      const message = 'The task was not done within its time.';
      await release({ taskId: id, error: { code: 'upstream_timeout', message, param: null } });
    });
    await this.#each(overdue, async ({ id }) => {
      await starter.cancel(id);
    });
  }

  async #repeatCancellations(): Promise<void> {
    const { database, starter } = this.#tools;
    const pending = await cancellationsPending(database, batch_tasks, this.#unreadableIn('cancellations'));
    await this.#each(pending, async ({ id, facts }) => {
      // Where none runs, since it never began or was terminated, one is started: it finds the task ended, and clears away.
      if (!(await starter.cancel(id))) {
        if (!facts) return; // it stays pending until its row can be read
        await starter.start(facts, { hasEnded: true });
      }
      await cancellationHeard(database, id);
    });
  }

  /** One after the other: a task that fails stops no other, but several in a row have one reason, such as Temporal. */
  async #each<Row extends { id: TaskId }>(rows: readonly Row[], work: (row: Row) => Promise<void>): Promise<void> {
    let failures = 0;
    for (const row of rows) {
      try {
        await work(row);
        failures = 0;
      } catch (error) {
        failures += 1;
        if (failures === failures_in_a_row_max) throw error;
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
