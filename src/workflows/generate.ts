/**
 * The life of a task: submit, collect, then settle or release. The task's row is the truth and this only drives it, so
 * that starting or repeating any step is harmless. Payloads hold ids and small facts; no media, no prompts, no addresses.
 */
import {
  CancellationScope,
  isCancellation,
  ParentClosePolicy,
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
import type { BackgroundActivities, Ended, TaskActivities, TaskFailed } from '../activities/activity-types.ts';
import type { TaskId } from '../domain/ids.ts';
import type { deliver } from './deliver.ts';
import { localSteps } from './local-activities.ts';
import { backgroundQueue } from '../domain/tasks/queues.ts';
import * as details from './current-details.ts';

export interface GenerateInput {
  taskId: TaskId;
  /** The model's routes in the order in which they are tried. */
  routes: readonly RouteFacts[];
  /** The task had ended when this was started: nothing is sent, and no provider's queue is asked. */
  hasEnded?: boolean;
}

export interface RouteFacts {
  provider: string;
  submitQueue: string;
  /** The provider's request timeout, to the first byte of its answer. */
  timeoutMs: number;
  /** The pause between two polls, where it is set. */
  pollIntervalMs?: number;
}

const status = defineSearchAttributeKey('TollgateStatus', 'KEYWORD');
const cost = defineSearchAttributeKey('TollgateCost', 'INT');
const provider = defineSearchAttributeKey('TollgateProvider', 'KEYWORD');
const account = defineSearchAttributeKey('TollgateAccount', 'KEYWORD');

// The activity itself gives up on a provider that is away for minutes.
const cleaning = () =>
  proxyActivities<BackgroundActivities>({
    taskQueue: backgroundQueue(workflowInfo().taskQueue),
    startToCloseTimeout: '2m',
    heartbeatTimeout: '10s',
    summary: 'cancel its jobs, delete stored files',
    retry: { initialInterval: '1s', backoffCoefficient: 3, maximumInterval: '60s' },
  });

export async function generate(input: GenerateInput): Promise<Ended> {
  const { taskId } = input;
  const ended = await end(input);
  upsertSearchAttributes([
    { key: status, value: ended.state },
    { key: cost, value: ended.cost },
    // Which one it was is known only now: the first route may have refused it.
    ...(ended.provider === undefined ? [] : [{ key: provider, value: ended.provider }]),
  ]);
  // What has ended can't be cancelled, and what is left to do would stay undone for ever.
  await CancellationScope.nonCancellable(async () => {
    if (ended.eventId !== undefined) {
      setCurrentDetails(details.startingDelivery(ended, ended.eventId));
      await startDelivery(taskId, ended.eventId);
    }
    setCurrentDetails(details.ended(ended));
    if (ended.state !== 'succeeded') await withdraw(taskId, ended);
    if (ended.expiresInMs !== null) await expire(taskId, ended, ended.expiresInMs);
  });
  return ended;
}

/** Starts the delivery to the task's webhook, a workflow that outlives this one. A scan may have started it before. */
async function startDelivery(taskId: TaskId, eventId: string): Promise<void> {
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

/** The task no longer needs what a provider may still be making. What stays behind, the sweep of the blob store removes. */
async function withdraw(taskId: TaskId, ended: Ended): Promise<void> {
  setCurrentDetails(details.withdrawing(ended));
  try {
    setCurrentDetails(details.withdrawn(ended, await cleaning().withdraw({ taskId })));
  } catch {
    setCurrentDetails(details.notWithdrawn(ended));
  }
}

/** Fetched or not, the result of an avatar-talk task is deleted ten minutes after it was there. */
async function expire(taskId: TaskId, ended: Ended, expiresInMs: number): Promise<void> {
  setCurrentDetails(details.expiring(ended));
  for (let wait: number | null = expiresInMs; wait !== null;) {
    await sleep(wait, { summary: 'until the result is deleted' });
    ({ againInMs: wait } = await localSteps.expire({ taskId }));
    if (wait !== null) setCurrentDetails(details.fetching(ended));
  }
  setCurrentDetails(details.expired(ended));
}

async function end(input: GenerateInput): Promise<Ended> {
  const { taskId } = input;
  try {
    const outcome = input.hasEnded === true ? nothing : await produce(input);
    setCurrentDetails(details.ending(outcome));
    return await CancellationScope.nonCancellable(() =>
      outcome.outcome === 'stored'
        ? localSteps.settle({ taskId, files: outcome.files })
        : localSteps.release({ taskId, error: outcome.error }),
    );
  } catch (error) {
    const cancelled = isCancellation(error);
    setCurrentDetails(cancelled ? details.cancelling : details.breaking);
    return await CancellationScope.nonCancellable(() =>
      localSteps.release({ taskId, error: cancelled ? 'cancelled' : 'broken' }),
    );
  }
}

/** Releases a task that has ended already; its end stays as it is. */
const nothing: TaskFailed = { outcome: 'failed', error: 'broken' };

/** A route that the task may be sent to, and when. */
interface Candidate {
  index: number;
  route: RouteFacts;
  place: string;
  inMs: number;
  /** The moment of that, of one that was too busy before. */
  at?: string;
}

/**
 * Tries the routes in their order. Only a refusal falls over to the next one; an unknown outcome never does. Those that
 * were only too busy are tried again when `submit` says so; it counts the time, and says it no more when that is over.
 */
async function produce({ taskId, routes }: GenerateInput) {
  let refused: TaskFailed = nothing;
  let candidates = routes.map((route, index): Candidate => {
    return { index, route, place: details.placeOf(route.provider, index, routes.length), inMs: 0 };
  });
  for (;;) {
    const later: Candidate[] = [];
    for (const candidate of candidates) {
      const { index, route, place, inMs } = candidate;
      if (inMs > 0) {
        later.push(candidate);
        continue;
      }
      setCurrentDetails(details.submitting(place, refused));
      const submission = await submitting(route, place).submit({ taskId, route: index });
      switch (submission.outcome) {
        case 'ended':
          return refused;
        case 'refused':
          refused = { outcome: 'failed', error: submission.error };
          if (!submission.fallOver) return refused;
          if (submission.again) later.push({ ...candidate, ...submission.again });
          break;
        case 'sent':
          setCurrentDetails(details.collecting(place, submission));
          return await collecting(route, place).collect({ taskId, route: index });
        default:
          return submission satisfies never;
      }
    }
    const [next] = later.toSorted((a, b) => a.inMs - b.inMs);
    if (next === undefined) return refused;
    setCurrentDetails(details.waiting(next.place, next.at));
    await sleep(next.inMs, { summary: `until ${next.place} is retried` });
    candidates = later.map((candidate) => ({ ...candidate, inMs: candidate.inMs - next.inMs }));
  }
}

// Attempts without limit: the intent row, not the retry policy, keeps the paid call at most once. Heartbeats let
// another worker go on ten seconds after one has died.
const submitting = (route: RouteFacts, place: string) =>
  proxyActivities<TaskActivities>({
    taskQueue: route.submitQueue,
    startToCloseTimeout: route.timeoutMs + 60_000,
    heartbeatTimeout: '10s',
    summary: `submit to ${place}`,
    retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
  });

// A heartbeat costs the server about 2 ms of CPU time (1,500 tasks, idle cost included), more than a poll costs the worker. A
// provider that is asked seldom can wait longer for the worker that goes on after one has died.
const collectHeartbeatMs = 30_000;
const heartbeatIntervals = 4;
const heartbeatMsMax = 300_000;

// On the workflow's own queue: the worker is handed it with the answer to its workflow task, one hop of the server less.
const collecting = (route: RouteFacts, place: string) =>
  proxyActivities<TaskActivities>({
    startToCloseTimeout: '26h', // the longest deadline is 24 h; the activity keeps the provider's own
    heartbeatTimeout: Math.min(
      heartbeatMsMax,
      Math.max(collectHeartbeatMs, heartbeatIntervals * (route.pollIntervalMs ?? 0)),
    ),
    summary: `collect from ${place}`,
    retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
  });
