/** Starting the workflow of a task. Starting twice is success: the workflow's id is the task's. */
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type WorkflowExecutionStatusName,
} from '@temporalio/client';
import type { TaskId } from '../../domain/ids.ts';
import { fairnessWeight } from '../../domain/tasks/fairness.ts';
import type { StartFacts } from '../rows/task-rows.ts';
import type { generate, GenerateInput } from '../../workflows/generate.ts';
import type { Tracing } from '../../observability/tracing/tracing.ts';
import { type QueueNames, searchAttributes } from '../../temporal/temporal-names.ts';

/** A Temporal that answers does so in milliseconds; one that doesn't is tried again by the workers' scan. */
const callMsMax = 5_000;

/** Whether a workflow may still do something. */
export const isOpen = (status: WorkflowExecutionStatusName | undefined): boolean =>
  status === 'RUNNING' || status === 'PAUSED';

export class TaskStarter {
  readonly #client: Client;
  readonly #queues: QueueNames;
  readonly #eager: boolean;
  readonly #tracing: Tracing | undefined;

  /** `eager`: this process has a worker on the same connection, which may run the first step at once. */
  constructor(
    client: Client,
    queues: QueueNames,
    { eager, tracing }: { eager: boolean; tracing?: Tracing | undefined },
  ) {
    this.#client = client;
    this.#queues = queues;
    this.#eager = eager;
    this.#tracing = tracing;
  }

  /**
   * Resolves once Temporal has acknowledged the start, of this call or of one before; gives up after five seconds. With
   * `hasEnded` the task's end is known: its workflow only clears away, even if none of its providers is configured any more.
   */
  async start(task: StartFacts, { hasEnded = false } = {}): Promise<void> {
    const start = () => this.#client.withDeadline(Date.now() + callMsMax, () => this.#start(task, hasEnded));
    // Whichever process starts it, it is below the request that made it.
    await (this.#tracing ? this.#tracing.below(task.terms.traceparent, start) : start());
  }

  async #start(task: StartFacts, hasEnded: boolean): Promise<void> {
    const [first] = task.terms.routes;
    try {
      await this.#client.workflow.start<typeof generate>('generate', {
        workflowId: task.id,
        taskQueue: this.#queues.workflows,
        args: [{ ...this.#inputOf(task), ...(hasEnded && { hasEnded }) }],
        workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
        workflowIdConflictPolicy: 'FAIL',
        requestEagerStart: this.#eager,
        staticSummary: `${task.kind} by ${task.model}`,
        staticDetails: detailsOf(task),
        priority: { fairnessKey: task.accountId, fairnessWeight: fairnessWeight(task.underWay ?? 0) },
        typedSearchAttributes: [
          { key: searchAttributes.account, value: task.accountId },
          { key: searchAttributes.key, value: task.keyId },
          { key: searchAttributes.model, value: task.model },
          { key: searchAttributes.provider, value: first?.provider ?? '' },
          { key: searchAttributes.kind, value: task.kind },
          { key: searchAttributes.status, value: 'processing' },
        ],
      });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }

  /** Asks the task's workflow to end; returns whether one runs that will. Gives up after five seconds, twice at the most. */
  async cancel(task: TaskId): Promise<boolean> {
    try {
      await this.#client.withDeadline(Date.now() + callMsMax, () => this.#client.workflow.getHandle(task).cancel());
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
    // The server takes a cancellation of a closed workflow, too.
    return isOpen(await this.status(task));
  }

  /** How the task's workflow is doing; undefined when Temporal knows none. Gives up after five seconds. */
  async status(task: TaskId): Promise<WorkflowExecutionStatusName | undefined> {
    const describe = () => this.#client.workflow.getHandle(task).describe();
    try {
      return (await this.#client.withDeadline(Date.now() + callMsMax, describe)).status.name;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  }

  #inputOf(task: StartFacts): GenerateInput {
    return {
      taskId: task.id,
      routes: task.terms.routes.map(({ provider, timeoutMs, pollIntervalMs }) => ({
        provider,
        submitQueue: this.#queues.submit(provider),
        timeoutMs,
        ...(pollIntervalMs !== undefined && { pollIntervalMs }),
      })),
    };
  }
}

/** The static details of the workflow, shown in Temporal's UI as Markdown. */
const detailsOf = ({ id, accountId, keyId, terms }: StartFacts): string =>
  [
    `Task ${id} of account ${accountId}, admitted under key ${keyId}.`,
    `Providers in order of priority: ${terms.routes.map(({ provider }) => provider).join(', ')}.`,
    `The task row in the database is authoritative; this workflow only drives it: \`tollgate tasks show ${id}\`. ` +
      `Cancelling this workflow, or \`tollgate tasks cancel ${id}\`, ends the task and releases its hold; terminating it ` +
      'does so after some minutes. Resetting it never charges or submits twice.',
  ].join('\n\n');
