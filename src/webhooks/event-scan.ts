/** The scans that make sure every event that is owed is delivered or given up, whichever process died: one starts deliveries, one looks after silent ones. */
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionStatusName,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { Logger } from 'pino';
import type { Database } from '../postgres/database.ts';
import { giveEventUp, markEventsStarted, type OwedEvent, takeEventsToStart, takeSilentEvents } from './events.ts';
import type { deliver } from '../workflows/deliver.ts';
import { type QueueNames, searchAttributes } from '../temporal/temporal-names.ts';

const batchEvents = 100;
const startsAtOnce = 20;

export interface EventScanTools {
  database: Database;
  client: Client;
  queues: QueueNames;
  log: Logger;
}

export class EventScan {
  readonly #tools: EventScanTools;

  constructor(tools: EventScanTools) {
    this.#tools = tools;
  }

  /** Starts the deliveries of events that no start was acknowledged for; gives up for now at the first that fails. */
  async startOwed(signal: AbortSignal): Promise<void> {
    const { database } = this.#tools;
    for (;;) {
      const events = await takeEventsToStart(database, batchEvents);
      const started = await this.#startAll(events);
      if (started.length > 0) await markEventsStarted(database, started);
      if (started.length < batchEvents || signal.aborted) return;
    }
  }

  /** A delivery whose workflow is gone is started again; one that was terminated was given up by the operator who did that. */
  async lookAfterSilent(): Promise<void> {
    const { database, log } = this.#tools;
    for (const event of await takeSilentEvents(database, batchEvents)) {
      const status = await this.#status(event.id);
      if (status === 'RUNNING' || status === 'PAUSED') continue;
      log.warn({ eventId: event.id, status: status ?? 'not found' }, 'the delivery of an event was lost');
      if (status === 'TERMINATED') await giveEventUp(database, event.id);
      else await this.#start(event);
    }
  }

  async #startAll(events: readonly OwedEvent[]): Promise<string[]> {
    const started: string[] = [];
    for (let from = 0; from < events.length; from += startsAtOnce) {
      const answers = await Promise.allSettled(
        events.slice(from, from + startsAtOnce).map(async (event) => {
          await this.#start(event);
          started.push(event.id);
        }),
      );
      const failure = answers.find((answer) => answer.status === 'rejected');
      if (failure) {
        this.#tools.log.warn({ err: failure.reason, started: started.length }, 'events wait for Temporal');
        break;
      }
    }
    return started;
  }

  /** Resolves once Temporal has acknowledged the start, of this call or of one before. An event may have several runs. */
  async #start({ id, type, accountId }: OwedEvent): Promise<void> {
    const { client, queues } = this.#tools;
    try {
      await client.workflow.start<typeof deliver>('deliver', {
        workflowId: id,
        taskQueue: queues.workflows,
        args: [{ eventId: id }],
        workflowIdReusePolicy: 'ALLOW_DUPLICATE',
        workflowIdConflictPolicy: 'FAIL',
        staticSummary: type,
        staticDetails: `Event ${id} for the webhook of account ${accountId}.`,
        priority: { fairnessKey: accountId },
        typedSearchAttributes: [{ key: searchAttributes.account, value: accountId }],
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }

  /** Of the event's last run; undefined when Temporal knows none. */
  async #status(id: string): Promise<WorkflowExecutionStatusName | undefined> {
    try {
      return (await this.#tools.client.workflow.getHandle(id).describe()).status.name;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  }
}
