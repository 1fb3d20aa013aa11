/**
 * The life of a task: submit, collect, then settle or release. The task's row is the truth and this only drives it, so
 * that starting or repeating any step is harmless. Payloads hold ids and small facts; no media, no prompts, no addresses.
 */
import {
  CancellationScope,
  isCancellation,
  ParentClosePolicy,
  patched,
  proxyActivities,
  setCurrentDetails,
  sleep,
  startChild,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import {
  defineSearchAttributeKey,
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdReusePolicy,
} from '@temporalio/common';
import type { CleaningActivities, Ended, ProviderActivities, TaskFailed } from '../activities/contract.ts';
import type { TaskId } from '../domain/ids.ts';
import type { deliver } from './deliver.ts';
import { house } from './house.ts';

export interface GenerateInput {
  taskId: TaskId;
  /** The model's routes in the order in which they are tried. */
  routes: readonly RouteFacts[];
}

export interface RouteFacts {
  provider: string;
  submitQueue: string;
  collectQueue: string;
  /** The provider's request timeout, to the first byte of its answer. */
  timeoutMs: number;
}

const status = defineSearchAttributeKey('TollgateStatus', 'KEYWORD');
const account = defineSearchAttributeKey('TollgateAccount', 'KEYWORD');

// The activity itself gives up on a provider that is away for minutes.
const cleaning = proxyActivities<CleaningActivities>({
  startToCloseTimeout: '2m',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 3, maximumInterval: '60s' },
});

export async function generate(input: GenerateInput): Promise<Ended> {
  const { taskId } = input;
  const ended = await end(input);
  upsertSearchAttributes([{ key: status, value: ended.state }]);
  setCurrentDetails(`The task is ${ended.state}.`);
  // What has ended can't be cancelled, and what is left to do would stay undone for ever.
  await CancellationScope.nonCancellable(async () => {
    if (ended.eventId !== undefined) await tell(taskId, ended.eventId);
    if (ended.state !== 'succeeded' && patched('withdraw')) await withdrawal(taskId);
    await expiry(taskId, ended.expiresInMs);
  });
  return ended;
}

/** Has the task's webhook told, by a workflow that goes on when this one has closed. A scan may have started it before. */
async function tell(taskId: TaskId, eventId: string): Promise<void> {
  try {
    await startChild<typeof deliver>('deliver', {
      workflowId: eventId,
      args: [{ eventId }],
      typedSearchAttributes: [{ key: account, value: workflowInfo().typedSearchAttributes.get(account) ?? '' }],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      // One that a scan has started is not repeated when it has ended, either.
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      staticSummary: `webhook of ${taskId}`,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** Nobody needs what a provider may still be making. Where it can't be told, the sweep of the store does the rest. */
async function withdrawal(taskId: TaskId): Promise<void> {
  try {
    await cleaning.withdraw({ taskId });
  } catch {
    setCurrentDetails(
      'The task has ended. What was stored or sent for it could not be withdrawn; see the log of the worker.',
    );
  }
}

/** Fetched or not, the result of an avatar-talk task is deleted ten minutes after it was there. */
async function expiry(taskId: TaskId, expiresInMs: number | null): Promise<void> {
  for (let wait = expiresInMs; wait !== null;) {
    await sleep(wait);
    ({ againInMs: wait } = await house.expire({ taskId }));
  }
}

async function end(input: GenerateInput): Promise<Ended> {
  const { taskId } = input;
  try {
    const outcome = await produce(input);
    return await CancellationScope.nonCancellable(() =>
      outcome.outcome === 'stored'
        ? house.settle({ taskId, files: outcome.files })
        : house.release({ taskId, error: outcome.error }),
    );
  } catch (error) {
    const cancelled = isCancellation(error);
    return await CancellationScope.nonCancellable(() =>
      house.release({ taskId, error: cancelled ? 'cancelled' : 'broken' }),
    );
  }
}

/** Tries the routes in their order. Only a refusal falls over to the next one; an unknown outcome never does. */
async function produce({ taskId, routes }: GenerateInput) {
  let refused: TaskFailed = { outcome: 'failed', error: 'broken' };
  for (const [index, route] of routes.entries()) {
    setCurrentDetails(`Submitting to ${route.provider} (route ${index + 1} of ${routes.length}).`);
    const submission = await submitting(route).submit({ taskId, route: index });
    switch (submission.outcome) {
      case 'ended':
        return refused;
      case 'refused':
        refused = { outcome: 'failed', error: submission.error };
        if (!submission.fallOver) return refused;
        break;
      case 'sent':
        setCurrentDetails(`Sent to ${route.provider}; collecting the result.`);
        return await collecting(route).collect({ taskId, route: index });
      default:
        return submission satisfies never;
    }
  }
  return refused;
}

// Attempts without limit: the intent row, not the retry policy, keeps the paid call at most once. Heartbeats let
// another worker go on ten seconds after one has died.
const submitting = (route: RouteFacts) =>
  proxyActivities<ProviderActivities>({
    taskQueue: route.submitQueue,
    startToCloseTimeout: route.timeoutMs + 60_000,
    heartbeatTimeout: '10s',
    summary: `submit to ${route.provider}`,
    retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
  });

const collecting = (route: RouteFacts) =>
  proxyActivities<ProviderActivities>({
    taskQueue: route.collectQueue,
    startToCloseTimeout: '26h', // the longest deadline is 24 h; the activity keeps the provider's own
    heartbeatTimeout: '30s',
    summary: `collect from ${route.provider}`,
    retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
  });
