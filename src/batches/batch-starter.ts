/** Starting and cancelling the workflow of a batch. Starting twice is success: the workflow's id is the batch's. */
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionStatusName,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { type QueueNames, searchAttributes } from '../temporal/temporal-names.ts';
import type { batch } from '../workflows/batch.ts';
import type { BatchStart } from './stored-batches.ts';

/** A Temporal that answers does so in milliseconds; one that doesn't is tried again by the workers' scan. */
const callMsMax = 5_000;

export class BatchStarter {
  readonly #client: Client;
  readonly #queues: QueueNames;

  constructor(client: Client, queues: QueueNames) {
    this.#client = client;
    this.#queues = queues;
  }

  /** Resolves once Temporal has acknowledged the start, of this call or of one before; gives up after five seconds. */
  async start(started: BatchStart): Promise<void> {
    try {
      await this.#client.withDeadline(Date.now() + callMsMax, () => this.#start(started));
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }

  async #start({ id, accountId, keyId, endpoint }: BatchStart): Promise<void> {
    await this.#client.workflow.start<typeof batch>('batch', {
      workflowId: id,
      taskQueue: this.#queues.workflows,
      args: [{ batchId: id }],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      workflowIdConflictPolicy: 'FAIL',
      staticSummary: `batch of ${endpoint}`,
      staticDetails: detailsOf(id, accountId, keyId),
      priority: { fairnessKey: accountId },
      typedSearchAttributes: [
        { key: searchAttributes.account, value: accountId },
        { key: searchAttributes.key, value: keyId },
        { key: searchAttributes.kind, value: 'batch' },
        { key: searchAttributes.status, value: 'validating' },
      ],
    });
  }

  /** Asks the batch's workflow to end, if there is one. Gives up after five seconds. */
  async cancel(id: string): Promise<void> {
    try {
      await this.#client.withDeadline(Date.now() + callMsMax, () => this.#client.workflow.getHandle(id).cancel());
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }

  /** How the batch's workflow is doing; undefined when Temporal knows none. Gives up after five seconds. */
  async status(id: string): Promise<WorkflowExecutionStatusName | undefined> {
    const describe = () => this.#client.workflow.getHandle(id).describe();
    try {
      return (await this.#client.withDeadline(Date.now() + callMsMax, describe)).status.name;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  }
}

/** The static details of the workflow, shown in Temporal's UI as Markdown. */
const detailsOf = (id: string, accountId: string, keyId: string): string =>
  [
    `Batch ${id} of account ${accountId}, created under key ${keyId}.`,
    'The batch row in the database is authoritative; this workflow only drives it. Cancelling this workflow cancels the ' +
      'batch: lines under way are finished and charged, the others are not run. Terminating it does the same after some ' +
      'minutes. Resetting it never sends or charges a line twice.',
  ].join('\n\n');
