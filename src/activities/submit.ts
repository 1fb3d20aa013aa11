/**
 * The paid call. At most once is kept by the intent row: only the attempt that wrote it may send, and only for a short
 * while. A later attempt finds the intent and looks the job up; it never sends again, unless the provider is declared
 * idempotent and so knows our reference.
 */
import { sleep } from '@temporalio/activity';
import type { TaskId } from '../domain/ids.ts';
import { isFinal } from '../domain/tasks.ts';
import type { Submission } from '../providers/contract.ts';
import {
  closeIntent,
  findIntent,
  type Intent,
  type IntentClosing,
  openIntent,
  sending_window_ms,
} from '../storage/intents.ts';
import { newBlobKey } from '../storage/new-ids.ts';
import type { Submitted } from './contract.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { loadTaskOnRoute, type TaskOnRoute } from './job.ts';
import { result_bytes_max } from './store-result.ts';

const unsubmitted_ms_max = 24 * 3_600_000;
const open_intent_check_ms = 1_000;
/** On top of the provider's own timeout; the activity's ends 60 s after that one. */
const call_slack_ms = 30_000;

/** Sends a task to one of its routes, or finds out what became of an earlier attempt to. */
export async function submit(
  deps: ActivityDependencies,
  { taskId, route: index }: { taskId: TaskId; route: number },
  signal: AbortSignal,
): Promise<Submitted> {
  const loaded = await loadTaskOnRoute(deps, taskId, index);
  const { task, route } = loaded;
  if (isFinal(task.state)) return { outcome: 'ended' };
  if (Date.now() - task.createdAt.getTime() > unsubmitted_ms_max) return tooLate;
  const startedAt = performance.now();
  const opened = await openIntent(deps.database, taskId, index, route.provider);
  if (opened.opened === 'not') return { outcome: 'ended' };
  if (opened.opened === 'before') return afterwards(deps, loaded, index, opened.intent, signal);
  if (performance.now() - startedAt > sending_window_ms) throw new Error('the intent took too long; nothing was sent');
  return send(deps, loaded, index, signal);
}

const tooLate: Submitted = {
  outcome: 'refused',
  error: {
    code: 'upstream_timeout',
    message: 'The task could not be handed to a provider within 24 hours.',
    param: null,
  },
  fallOver: false,
};

async function send(
  deps: ActivityDependencies,
  loaded: TaskOnRoute,
  index: number,
  signal: AbortSignal,
): Promise<Submitted> {
  const { provider, route, job } = loaded;
  const { idempotent } = provider.abilities;
  // A create in flight is aborted only where it can be repeated: the id that it answers is needed, to stop the job too.
  const bound = AbortSignal.timeout(route.timeoutMs + call_slack_ms);
  const submission = await provider.submit(job, idempotent ? AbortSignal.any([signal, bound]) : bound);
  if (submission.outcome === 'unknown' && idempotent) throw new Error(`sent again later: ${submission.reason}`);
  return close(deps, loaded, index, submission);
}

/** Writes what became of the call, and answers what stands written: another attempt may have said it before. */
async function close(
  deps: ActivityDependencies,
  loaded: TaskOnRoute,
  index: number,
  submission: Submission,
): Promise<Submitted> {
  const { task, provider } = loaded;
  const write = async (closing: IntentClosing) => {
    const { believed, taskIsFinal } = await closeIntent(deps.database, task.id, index, closing);
    const before = believed ? undefined : await findIntent(deps.database, task.id, index);
    return { taskIsFinal, before: before && saidBefore(before) };
  };
  switch (submission.outcome) {
    case 'accepted': {
      const { jobId } = submission;
      const { taskIsFinal, before } = await write({ outcome: 'accepted', jobId });
      if (!taskIsFinal) return before ?? { outcome: 'sent' };
      // The task was ended while the call was in flight: the job is stopped where that can be.
      deps.log.warn({ taskId: task.id, jobId }, 'a job was accepted for a task that had ended');
      if (provider.abilities.cancel) await provider.cancel?.(jobId, AbortSignal.timeout(10_000));
      return { outcome: 'ended' };
    }
    case 'finished': {
      const blobKeys: string[] = [];
      for (const part of submission.parts) {
        const key = newBlobKey(`results/${task.id}`);
        await deps.blobs.write(key, await part.open(AbortSignal.timeout(300_000)), { bytesMax: result_bytes_max });
        blobKeys.push(key);
      }
      const { before } = await write({ outcome: 'finished', blobKeys });
      return before ?? { outcome: 'sent' };
    }
    case 'refused': {
      const { code, message, param } = submission.error;
      const error = { code, message, param, fallOver: submission.fallOver };
      const { before } = await write({ outcome: 'refused', error });
      return before ?? { outcome: 'refused', error: { code, message, param }, fallOver: submission.fallOver };
    }
    case 'unknown': {
      deps.log.error({ taskId: task.id, reason: submission.reason }, 'the outcome of a paid call is unknown');
      const { before } = await write({ outcome: 'unknown' });
      return before ?? { outcome: 'sent' };
    }
    default:
      return submission satisfies never;
  }
}

/** An attempt before this one wrote the intent. */
async function afterwards(
  deps: ActivityDependencies,
  loaded: TaskOnRoute,
  index: number,
  intent: Intent,
  signal: AbortSignal,
): Promise<Submitted> {
  const before = saidBefore(intent);
  if (before) return before;
  if (!loaded.provider.abilities.idempotent) return lookUp(deps, loaded, index, intent);
  if (Date.now() < intent.createdAt.getTime() + loaded.route.deadlineMs) return send(deps, loaded, index, signal);
  return close(deps, loaded, index, { outcome: 'unknown', reason: 'no attempt was answered within the deadline' });
}

/** What a closed intent says; undefined for one that is open. */
function saidBefore({ outcome, error }: Intent): Submitted | undefined {
  switch (outcome) {
    case 'accepted':
    case 'finished':
    case 'unknown':
      return { outcome: 'sent' };
    case 'refused': {
      if (!error) throw new TypeError('a refusal without an error');
      const { fallOver, ...facts } = error;
      return { outcome: 'refused', error: facts, fallOver };
    }
    case 'open':
      return undefined;
    default:
      return outcome satisfies never;
  }
}

/** Waits until nobody can be sending any more, then asks the provider for the job that carries our reference. */
async function lookUp(
  deps: ActivityDependencies,
  loaded: TaskOnRoute,
  index: number,
  intent: Intent,
): Promise<Submitted> {
  const until = performance.now() + intent.sendingEndsInMs + loaded.route.timeoutMs;
  while (performance.now() < until) {
    await sleep(open_intent_check_ms);
    const now = await findIntent(deps.database, loaded.task.id, index);
    const before = now && saidBefore(now);
    if (before) return before;
  }
  const { provider, job } = loaded;
  const jobId = provider.abilities.lookup
    ? await provider.find?.(job.reference, AbortSignal.timeout(loaded.route.timeoutMs))
    : undefined;
  const submission: Submission =
    jobId === undefined
      ? { outcome: 'unknown', reason: 'the attempt that sent it died, and the provider names no job of ours' }
      : { outcome: 'accepted', jobId };
  return close(deps, loaded, index, submission);
}
