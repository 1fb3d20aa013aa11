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
import type { CleaningActivities, Ended, ProviderActivities, TaskFailed } from '../activities/activity-types.ts';
import type { TaskId } from '../domain/ids.ts';
import type { deliver } from './deliver.ts';
import { house } from './local-activities.ts';
import { errandsQueue } from '../domain/tasks/queues.ts';
import * as words from './current-details.ts';

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
  collectQueue: string;
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
  proxyActivities<CleaningActivities>({
    taskQueue: errandsQueue(workflowInfo().taskQueue),
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
    ...(ended.cost === undefined ? [] : [{ key: cost, value: ended.cost }]),
    // Which one it was is known only now: the first route may have refused it.
    ...(ended.provider === undefined ? [] : [{ key: provider, value: ended.provider }]),
  ]);
  // What has ended can't be cancelled, and what is left to do would stay undone for ever.
  await CancellationScope.nonCancellable(async () => {
    if (ended.eventId !== undefined) {
      setCurrentDetails(words.telling(ended, ended.eventId));
      await tell(taskId, ended.eventId);
    }
    setCurrentDetails(words.ended(ended));
    if (ended.state !== 'succeeded' && patched('withdraw')) await withdrawal(taskId, ended);
    if (ended.expiresInMs !== null) await expiry(taskId, ended, ended.expiresInMs);
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
async function withdrawal(taskId: TaskId, ended: Ended): Promise<void> {
  setCurrentDetails(words.withdrawing(ended));
  try {
    setCurrentDetails(words.withdrawn(ended, await cleaning().withdraw({ taskId })));
  } catch {
    setCurrentDetails(words.notWithdrawn(ended));
  }
}

/** Fetched or not, the result of an avatar-talk task is deleted ten minutes after it was there. */
async function expiry(taskId: TaskId, ended: Ended, expiresInMs: number): Promise<void> {
  setCurrentDetails(words.expiring(ended));
  for (let wait: number | null = expiresInMs; wait !== null;) {
    await sleep(wait, { summary: 'until the result is deleted' });
    ({ againInMs: wait } = await house.expire({ taskId }));
    if (wait !== null) setCurrentDetails(words.fetching(ended));
  }
  setCurrentDetails(words.expired(ended));
}

async function end(input: GenerateInput): Promise<Ended> {
  const { taskId } = input;
  try {
    const outcome = input.hasEnded === true ? nothing : await produce(input);
    setCurrentDetails(words.ending(outcome));
    return await CancellationScope.nonCancellable(() =>
      outcome.outcome === 'stored'
        ? house.settle({ taskId, files: outcome.files })
        : house.release({ taskId, error: outcome.error }),
    );
  } catch (error) {
    const cancelled = isCancellation(error);
    setCurrentDetails(cancelled ? words.cancelling : words.breaking);
    return await CancellationScope.nonCancellable(() =>
      house.release({ taskId, error: cancelled ? 'cancelled' : 'broken' }),
    );
  }
}

/** What a task that has ended is told; its end stays as it is. */
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
    return { index, route, place: words.placeOf(route.provider, index, routes.length), inMs: 0 };
  });
  for (;;) {
    const later: Candidate[] = [];
    for (const candidate of candidates) {
      const { index, route, place, inMs } = candidate;
      if (inMs > 0) {
        later.push(candidate);
        continue;
      }
      setCurrentDetails(words.submitting(place, refused));
      const submission = await submitting(route, place).submit({ taskId, route: index, canWait: true });
      switch (submission.outcome) {
        case 'ended':
          return refused;
        case 'refused':
          refused = { outcome: 'failed', error: submission.error };
          if (!submission.fallOver) return refused;
          if (submission.again) later.push({ ...candidate, ...submission.again });
          break;
        case 'sent':
          setCurrentDetails(words.collecting(place, submission));
          return await collecting(route, place).collect({ taskId, route: index });
        default:
          return submission satisfies never;
      }
    }
    const [next] = later.toSorted((a, b) => a.inMs - b.inMs);
    if (next === undefined) return refused;
    setCurrentDetails(words.waiting(next.place, next.at));
    await sleep(next.inMs, { summary: `until ${next.place} is retried` });
    candidates = later.map((candidate) => ({ ...candidate, inMs: candidate.inMs - next.inMs }));
  }
}

// Attempts without limit: the intent row, not the retry policy, keeps the paid call at most once. Heartbeats let
// another worker go on ten seconds after one has died.
const submitting = (route: RouteFacts, place: string) =>
  proxyActivities<ProviderActivities>({
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

const collecting = (route: RouteFacts, place: string) =>
  proxyActivities<ProviderActivities>({
    taskQueue: route.collectQueue,
    startToCloseTimeout: '26h', // the longest deadline is 24 h; the activity keeps the provider's own
    heartbeatTimeout: Math.min(
      heartbeatMsMax,
      Math.max(collectHeartbeatMs, heartbeatIntervals * (route.pollIntervalMs ?? 0)),
    ),
    summary: `collect from ${place}`,
    retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' },
  });
