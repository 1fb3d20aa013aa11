/**
 * The paid call. At most once is kept by the intent row: only the attempt that wrote it may send, and only for a short
 * while. A later attempt finds the intent and looks the job up; it never sends again, unless the provider is declared
 * idempotent and so knows our reference.
 */
import { Context, sleep } from '@temporalio/activity';
import type { TaskId } from '../domain/ids.ts';
import { isFinal } from '../domain/tasks.ts';
import type { PreparedCreate, Submission } from '../providers/contract.ts';
import {
  closeIntent,
  findIntent,
  type Intent,
  type IntentClosing,
  isSentElsewhere,
  takeOverIntent,
} from '../storage/intents.ts';
import { newBlobKey } from '../storage/new-ids.ts';
import { noteRequestId } from '../storage/task-intents.ts';
import { finalAmong } from '../storage/tasks.ts';
import type { Submitted } from './contract.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { loadTaskOnRoute, type TaskOnRoute } from './job.ts';
import { result_bytes_max } from './store-result.ts';
import { openInTurn, waitForSlot } from './turn.ts';

const unsubmitted_ms_max = 24 * 3_600_000;
const open_intent_check_ms = 1_000;
/** On top of the provider's own timeout; the activity's ends 60 s after that one. */
const call_slack_ms = 30_000;
const cancel_timeout_ms = 10_000;

/** Sends a task to one of its routes, or finds out what became of an earlier attempt to. */
export async function submit(
  deps: ActivityDependencies,
  { taskId, route: index }: { taskId: TaskId; route: number },
  signal: AbortSignal,
): Promise<Submitted> {
  const loaded = await loadTaskOnRoute(deps, taskId, index);
  const { task } = loaded;
  if (isFinal(task.state)) return { outcome: 'ended' };
  // Of a workflow that was reset: what refused the task before may take it now, but another route has it.
  if (task.state === 'running' && (await isSentElsewhere(deps.database, taskId, index)))
    return sentElsewhere(deps, taskId);
  if (task.ageMs > unsubmitted_ms_max) {
    // What an attempt before sent in time is not too late.
    if (!(await findIntent(deps.database, taskId, index))) return tooLate;
  }
  const prepared = await preparedFor(deps, loaded, index, signal);
  if (prepared && 'outcome' in prepared) return prepared;
  try {
    return await submitPrepared(deps, loaded, index, prepared, signal);
  } finally {
    await prepared?.discard();
  }
}

/** What takes its time, such as a caller's files, comes before the intent and the slot, which hold for seconds only. */
async function preparedFor(
  deps: ActivityDependencies,
  { provider, job, task }: TaskOnRoute,
  index: number,
  signal: AbortSignal,
): Promise<PreparedCreate | Submitted | undefined> {
  if (!provider.prepare || (await findIntent(deps.database, task.id, index))) return undefined;
  const prepared = await provider.prepare(job, signal);
  // What breaks off by our own doing says nothing of the job.
  if (signal.aborted && prepared && 'error' in prepared) throw new Error('the preparation was broken off');
  if (!prepared || !('error' in prepared)) return prepared;
  const { code, message, param } = prepared.error;
  return { outcome: 'refused', error: { code, message, param }, fallOver: prepared.fallOver };
}

async function submitPrepared(
  deps: ActivityDependencies,
  loaded: TaskOnRoute,
  index: number,
  prepared: PreparedCreate | undefined,
  signal: AbortSignal,
): Promise<Submitted> {
  signal.throwIfAborted(); // from the intent on it would have to be waited for
  const opened = await openInTurn(deps, loaded, index);
  if (opened.opened === 'not')
    return opened.because === 'sent elsewhere' ? sentElsewhere(deps, loaded.task.id) : { outcome: 'ended' };
  const leave = deps.door?.through();
  try {
    if (opened.opened === 'before') return await afterwards(deps, loaded, index, opened.intent, signal);
    return await send(deps, loaded, index, signal, { isRepeated: false, nonce: opened.nonce, prepared });
  } finally {
    leave?.();
  }
}

/** The workflow goes on to the route that has it. */
function sentElsewhere({ log }: ActivityDependencies, taskId: TaskId): Submitted {
  log.warn({ taskId }, 'another route has the task, so this one is passed by');
  const message = 'The provider could not be asked.'; // read only if the other route was passed before
  return { outcome: 'refused', error: { code: 'upstream_error', message, param: null }, fallOver: true };
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
  { isRepeated, nonce, prepared }: { isRepeated: boolean; nonce: string; prepared?: PreparedCreate | undefined },
): Promise<Submitted> {
  const { provider, route, job } = loaded;
  const { idempotent } = provider.abilities;
  const context = Context.current();
  // A create in flight is aborted only where it will be repeated: the id that it answers is needed, to stop the job too.
  const bound = AbortSignal.timeout(route.timeoutMs + call_slack_ms);
  const stop = idempotent ? AbortSignal.any([whenHandedBack(context, signal), bound]) : bound;
  const submission = await (prepared ? prepared.send(stop) : provider.submit(job, stop));
  if (submission.outcome === 'unknown' && idempotent && !isCancelled(context))
    throw new Error(`sent again later: ${submission.reason}`);
  // That it can't be taken now doesn't say that the call before was not taken; another route might buy it twice.
  if (isRepeated && submission.outcome === 'refused' && submission.fallOver)
    throw new Error(`sent again later: ${submission.error.code}`);
  // Nor does a call that we broke off ourselves.
  if (idempotent && stop.aborted && submission.outcome === 'refused') throw new Error('sent again later: broken off');
  return close(deps, loaded, index, submission, nonce);
}

/** No attempt follows one whose task was cancelled, or whose workflow is gone. */
const isCancelled = ({ cancellationDetails: details }: Context): boolean =>
  details?.cancelRequested === true || details?.notFound === true;

/** Aborts with the activity's signal, but not where no other attempt follows. */
function whenHandedBack(context: Context, signal: AbortSignal): AbortSignal {
  const handedBack = new AbortController();
  const stop = () => isCancelled(context) || handedBack.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  return handedBack.signal;
}

/** Writes what became of the call, and answers what stands written: another attempt may have said it before. */
async function close(
  deps: ActivityDependencies,
  loaded: TaskOnRoute,
  index: number,
  submission: Submission,
  nonce?: string,
): Promise<Submitted> {
  const { task, provider } = loaded;
  const { requestId } = submission;
  const write = async (closing: IntentClosing) => {
    const told = { ...closing, ...(requestId !== undefined && { requestId }) };
    const { believed, taskIsFinal } = await closeIntent(deps.database, task.id, index, told);
    const before = believed ? undefined : await findIntent(deps.database, task.id, index);
    if (!believed && !before) throw new Error(`the intent of ${task.id} is gone`);
    return { believed, taskIsFinal, before: before && saidBefore(before) };
  };
  switch (submission.outcome) {
    case 'accepted': {
      const { jobId } = submission;
      const { taskIsFinal, before } = await write({ outcome: 'accepted', jobId });
      // The job's own hook was faster than this answer, but only the answer names the call.
      if (before && requestId !== undefined) await noteRequestId(deps.database, task.id, index, requestId);
      const isRefused = before?.outcome === 'refused';
      // Asked once more, since who ended it while the id was being written may have looked for jobs before that.
      const isNeeded = !taskIsFinal && !(provider.abilities.cancel && (await isEnded(deps, task.id)));
      if (isNeeded && !isRefused) return before ?? sent();
      // The task was ended, or went elsewhere, while the call was in flight: the job is stopped where that can be.
      deps.log.warn({ jobId }, 'a job was accepted for a task that needs it no more');
      try {
        if (provider.abilities.cancel)
          await provider.cancel?.(jobId, loaded.job, AbortSignal.timeout(cancel_timeout_ms));
      } catch (error) {
        // Another attempt would find the task ended and not get here; the intent lists the job for the operator.
        deps.log.error({ err: error, jobId }, 'that job could not be cancelled');
      }
      return isRefused ? before : { outcome: 'ended' };
    }
    case 'finished': {
      const key = newBlobKey(`results/${task.id}`);
      try {
        await deps.blobs.write(key, submission.answer, { bytesMax: result_bytes_max });
      } catch (error) {
        // The provider has done its work; an answer that broke off can't be had again.
        deps.log.error({ err: error }, 'the answer to a paid call could not be stored');
        return await close(deps, loaded, index, { outcome: 'unknown', reason: 'its answer broke off' });
      }
      const { believed, taskIsFinal, before } = await write({ outcome: 'finished', blobKeys: [key] });
      if (taskIsFinal) deps.log.error('an answer was finished for a task that had ended');
      if (taskIsFinal || !believed) await deps.blobs.remove(key);
      return before ?? sent();
    }
    case 'refused': {
      const { code, message, param, cause } = submission.error;
      // Why a provider can't be used is for the operator; the caller is not told.
      if (cause !== undefined)
        deps.log.warn({ err: submission.error, provider: loaded.route.provider }, 'nothing was sent');
      const error = { code, message, param, fallOver: submission.fallOver };
      const { believed, before } = await write({ outcome: 'refused', error, ...(nonce !== undefined && { nonce }) });
      if (!believed && !before) throw new Error('another attempt has sent it since');
      return before ?? { outcome: 'refused', error: { code, message, param }, fallOver: submission.fallOver };
    }
    case 'unknown': {
      deps.log.error({ reason: submission.reason }, 'the outcome of a paid call is unknown');
      const { before } = await write({ outcome: 'unknown', reason: submission.reason });
      return before ?? { ...sent(), isUnknown: true };
    }
    default:
      return submission satisfies never;
  }
}

const isEnded = async ({ database }: ActivityDependencies, task: TaskId): Promise<boolean> =>
  (await finalAmong(database, [task])).length > 0;

const sent = (agoMs = 0): Submitted & { outcome: 'sent' } => ({
  outcome: 'sent',
  since: new Date(Date.now() - agoMs).toISOString(),
});

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
  if (!loaded.provider.abilities.idempotent) return lookUp(deps, loaded, index, intent, signal);
  if (intent.ageMs < loaded.route.deadlineMs) {
    await waitForSlot(deps, loaded.route.provider);
    const nonce = await takeOverIntent(deps.database, loaded.task.id, index);
    if (nonce === undefined) throw new Error('another attempt has said what became of it');
    return send(deps, loaded, index, signal, { isRepeated: true, nonce });
  }
  return close(deps, loaded, index, { outcome: 'unknown', reason: 'no attempt was answered within the deadline' });
}

/** What a closed intent says; undefined for one that is open. */
function saidBefore({ outcome, error, ageMs }: Intent): Submitted | undefined {
  switch (outcome) {
    case 'accepted':
    case 'finished':
      return sent(ageMs);
    case 'unknown':
      return { ...sent(ageMs), isUnknown: true };
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
  signal: AbortSignal,
): Promise<Submitted> {
  const until = performance.now() + intent.sendingEndsInMs + loaded.route.timeoutMs + call_slack_ms;
  while (performance.now() < until) {
    await sleep(open_intent_check_ms);
    const now = await findIntent(deps.database, loaded.task.id, index);
    if (!now) throw new Error('the attempt that opened the intent took it back');
    const before = saidBefore(now);
    if (before) return before;
  }
  const { provider, job } = loaded;
  const jobId = provider.abilities.lookup
    ? await provider.find?.(job, AbortSignal.any([signal, AbortSignal.timeout(loaded.route.timeoutMs)]))
    : undefined;
  const submission: Submission =
    jobId === undefined
      ? { outcome: 'unknown', reason: 'the attempt that sent it died, and the provider names no job of ours' }
      : { outcome: 'accepted', jobId };
  return close(deps, loaded, index, submission);
}
