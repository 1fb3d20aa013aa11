/**
 * The paid call. At most once is kept by the intent row: only the attempt that wrote it may send, and only for a short
 * while. A later attempt finds the intent and looks the job up; it never sends again, unless the provider is declared
 * idempotent and so knows our reference.
 */
import { Context, sleep } from '@temporalio/activity';
import { GatewayError } from '../domain/errors.ts';
import type { TaskId } from '../domain/ids.ts';
import { pauseBeforeRetry } from '../domain/tasks/patience.ts';
import { isFinal } from '../domain/tasks/task-states.ts';
import type { PreparedCreate, Submission } from '../providers/contract.ts';
import {
  closeIntent,
  findIntent,
  type Intent,
  type IntentClosing,
  type IntentError,
  isSentElsewhere,
  type OpenedNow,
  takeOverIntent,
} from '../tasks/provider-calls/intents.ts';
import { newBlobKey } from '../postgres/new-ids.ts';
import { noteFailure } from '../tasks/rows/task-failure.ts';
import { noteRequestId } from '../tasks/provider-calls/intent-reports.ts';
import { finalAmong, type TaskError } from '../tasks/rows/task-rows.ts';
import type { Submitted } from './activity-types.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { loadTaskOnRoute, type TaskOnRoute } from './job.ts';
import { resultBytesMax } from './store-result.ts';
import { openWhenAdmitted, waitForSlot } from './create-slots.ts';

const unsubmittedMsMax = 24 * 3_600_000;
const openIntentCheckMs = 1_000;
/** On top of the provider's own timeout; the activity's ends 60 s after that one. */
const callSlackMs = 30_000;
const timerSlackMs = 20;
const cancelTimeoutMs = 10_000;

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
    return sentElsewhere(deps, loaded);
  if (task.ageMs > unsubmittedMsMax) {
    // What an attempt before sent in time is not too late.
    if (!(await findIntent(deps.database, taskId, index))) return refused(deps, loaded, tooLate, { fallOver: false });
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
  loaded: TaskOnRoute,
  index: number,
  signal: AbortSignal,
): Promise<PreparedCreate | Submitted | undefined> {
  const { provider, job, task } = loaded;
  if (!provider.prepare) return undefined;
  const intent = await findIntent(deps.database, task.id, index);
  if (intent && !maySendAgain(loaded, intent)) return undefined;
  const prepared = await provider.prepare(job, signal);
  // What breaks off by our own doing says nothing of the job.
  if (signal.aborted && prepared && 'error' in prepared) throw new Error('the preparation was broken off');
  if (!prepared || !('error' in prepared)) return prepared;
  return await refused(deps, loaded, prepared.error, { fallOver: prepared.fallOver });
}

async function submitPrepared(
  deps: ActivityDependencies,
  loaded: TaskOnRoute,
  index: number,
  prepared: PreparedCreate | undefined,
  signal: AbortSignal,
): Promise<Submitted> {
  signal.throwIfAborted(); // from the intent on it would have to be waited for
  const opened = await openWhenAdmitted(deps, loaded, index, (intent) => maySendAgain(loaded, intent));
  if (opened.opened === 'not')
    return opened.because === 'sent elsewhere' ? await sentElsewhere(deps, loaded) : { outcome: 'ended' };
  const leave = deps.submitLimiter?.acquire();
  try {
    if (opened.opened === 'before') return await afterwards(deps, loaded, index, opened.intent, signal);
    return await send(deps, loaded, index, signal, { isRepeated: false, opened, prepared });
  } finally {
    leave?.();
  }
}

/** The workflow goes on to the route that has it. */
async function sentElsewhere(deps: ActivityDependencies, loaded: TaskOnRoute): Promise<Submitted> {
  deps.log.warn({ taskId: loaded.task.id }, 'another route has the task, so this one is passed by');
  const message = 'The provider could not be called.'; // read only if the other route was passed before
  return await refused(deps, loaded, { code: 'upstream_error', message, param: null }, { fallOver: true });
}

const tooLate: TaskError = {
  code: 'upstream_timeout',
  message: 'The task could not be submitted to a provider within 24 hours.',
  param: null,
};

/** Whether a busy provider refused it, and it is time to ask again. Past its deadline nothing is sent. */
const maySendAgain = ({ route }: TaskOnRoute, { againInMs, sinceFirstMs }: Intent): boolean =>
  againInMs !== null && againInMs <= 0 && sinceFirstMs < route.deadlineMs;

/** Notes why, of which only the code goes through the workflow. */
async function refused(
  deps: ActivityDependencies,
  { task }: TaskOnRoute,
  error: TaskError,
  { fallOver, againInMs }: { fallOver: boolean; againInMs?: number | null | undefined },
): Promise<Submitted> {
  const { code, message, param, retryAfterSeconds } = error;
  const answer: Submitted = { outcome: 'refused', error: { code }, fallOver };
  if (typeof againInMs === 'number') {
    // A timer that ends a moment early would find that it is not yet time.
    const inMs = Math.max(0, Math.ceil(againInMs)) + timerSlackMs;
    return { ...answer, again: { inMs, at: new Date(Date.now() + inMs).toISOString() } };
  }
  await noteFailure(deps.database, task.id, { code, message, param, retryAfterSeconds });
  return answer;
}

async function send(
  deps: ActivityDependencies,
  loaded: TaskOnRoute,
  index: number,
  signal: AbortSignal,
  { isRepeated, opened, prepared }: { isRepeated: boolean; opened: OpenedNow; prepared?: PreparedCreate | undefined },
): Promise<Submitted> {
  const { provider, route, job } = loaded;
  const { idempotent } = provider.abilities;
  const context = Context.current();
  // A create in flight is aborted only where it will be repeated: the id that it answers is needed, to stop the job too.
  // No attempt waits past the deadline.
  const leftMs = Math.max(0, Math.ceil(route.deadlineMs - opened.sinceFirstMs));
  const bound = AbortSignal.timeout(Math.min(route.timeoutMs + callSlackMs, leftMs));
  const stop = idempotent ? AbortSignal.any([whenHandedBack(context, signal), bound]) : bound;
  const submission = await (prepared ? prepared.send(stop) : provider.submit(job, stop));
  if (submission.outcome === 'unknown' && idempotent && !isCancelled(context))
    throw new Error(`sent again later: ${submission.reason}`);
  // That it can't be taken now doesn't say that the call before was not taken; another route might buy it twice.
  if (isRepeated && submission.outcome === 'refused' && submission.fallOver)
    throw new Error(`sent again later: ${submission.error.code}`);
  // Nor does a call that we broke off ourselves.
  if (idempotent && stop.aborted && submission.outcome === 'refused') throw new Error('sent again later: broken off');
  return close(deps, loaded, index, submission, opened);
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

/** Writes the outcome of the call, and returns the one that is stored: another attempt may have written it before. */
async function close(
  deps: ActivityDependencies,
  loaded: TaskOnRoute,
  index: number,
  submission: Submission,
  opened?: OpenedNow,
): Promise<Submitted> {
  const { task, provider } = loaded;
  const { requestId } = submission;
  const write = async (closing: IntentClosing) => {
    const noted = { ...closing, ...(requestId !== undefined && { requestId }) };
    const { believed, taskIsFinal } = await closeIntent(deps.database, task.id, index, noted);
    const before = believed ? undefined : await findIntent(deps.database, task.id, index);
    if (!believed && !before) throw new Error(`the intent of ${task.id} is gone`);
    return { believed, taskIsFinal, before: before && (await saidBefore(deps, loaded, before)) };
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
        if (provider.abilities.cancel) await provider.cancel?.(jobId, loaded.job, AbortSignal.timeout(cancelTimeoutMs));
      } catch (error) {
        // Another attempt would find the task ended and not get here; the intent lists the job for the operator.
        deps.log.error({ err: error, jobId }, 'that job could not be cancelled');
      }
      return isRefused ? before : { outcome: 'ended' };
    }
    case 'finished': {
      const key = newBlobKey(`results/${task.id}`);
      try {
        await deps.blobs.write(key, submission.answer, { bytesMax: resultBytesMax });
      } catch (error) {
        // The provider has done its work; an answer that broke off can't be had again.
        deps.log.error({ err: error }, 'the answer to a paid call could not be stored');
        return await close(deps, loaded, index, lostAnswer('its answer broke off'));
      }
      const { believed, taskIsFinal, before } = await write({ outcome: 'finished', blobKeys: [key] });
      if (taskIsFinal) deps.log.error('an answer was finished for a task that had ended');
      if (taskIsFinal || !believed) await deps.blobs.remove(key);
      return before ?? sent();
    }
    case 'refused': {
      const { code, message, param, cause, retryAfterSeconds } = submission.error;
      // Why a provider can't be used is for the operator only.
      if (cause !== undefined)
        deps.log.warn({ err: submission.error, provider: loaded.route.provider }, 'nothing was sent');
      const { fallOver } = submission;
      const error: IntentError = { code, message, param, fallOver, retryAfterSeconds };
      const againInMs = opened && fallOver ? pauseOf(loaded, error, opened) : undefined;
      const nonce = opened && { nonce: opened.nonce };
      const { believed, before } = await write({ outcome: 'refused', error, againInMs, ...nonce });
      if (!believed && !before) throw new Error('another attempt has sent it since');
      return before ?? (await refused(deps, loaded, error, { fallOver, againInMs }));
    }
    case 'unknown': {
      deps.log.error({ reason: submission.reason }, 'the outcome of a paid call is unknown');
      const { reason, error } = submission;
      const lost = error && { ...factsOf(error), fallOver: false };
      const { before } = await write({ outcome: 'unknown', reason, error: lost });
      if (lost && !before) return await refused(deps, loaded, lost, { fallOver: false });
      return before ?? { ...sent(), isUnknown: true };
    }
    default:
      return submission satisfies never;
  }
}

/** How long its workflow waits before a busy provider is asked again, if it does. */
function pauseOf(
  { route: { rateLimitPatienceMs: patienceMs, deadlineMs } }: TaskOnRoute,
  { code, retryAfterSeconds }: IntentError,
  { busyCount, sinceFirstMs }: OpenedNow,
): number | undefined {
  if (patienceMs === undefined || code !== 'upstream_rate_limited') return undefined;
  const retryAfterMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000;
  const chance = Math.random();
  return pauseBeforeRetry({ busyCount, sinceFirstMs, retryAfterMs, patienceMs, deadlineMs, chance });
}

/** Of a create whose answer was to be stored, as it was the result. */
function lostAnswer(reason: string): Submission & { outcome: 'unknown' } {
  const message = "The provider's response was interrupted, and its result is lost. You were not charged.";
  return { outcome: 'unknown', reason, error: new GatewayError('upstream_error', message) };
}

const factsOf = ({ code, message, param }: GatewayError) => ({ code, message, param });

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
  const before = await saidBefore(deps, loaded, intent);
  if (before) return before;
  if (!loaded.provider.abilities.idempotent) return lookUp(deps, loaded, index, intent, signal);
  const { sinceFirstMs } = intent;
  if (sinceFirstMs < loaded.route.deadlineMs) {
    await waitForSlot(deps, loaded.route.provider);
    const nonce = await takeOverIntent(deps.database, loaded.task.id, index);
    if (nonce === undefined) throw new Error('another attempt has said what became of it');
    return send(deps, loaded, index, signal, { isRepeated: true, opened: { nonce, sinceFirstMs, busyCount: 0 } });
  }
  return close(deps, loaded, index, { outcome: 'unknown', reason: 'no attempt was answered within the deadline' });
}

/** What a closed intent says; undefined for one that is open. */
async function saidBefore(
  deps: ActivityDependencies,
  loaded: TaskOnRoute,
  { outcome, error, ageMs, sinceFirstMs, againInMs }: Intent,
): Promise<Submitted | undefined> {
  switch (outcome) {
    case 'accepted':
    case 'finished':
      return sent(ageMs);
    case 'unknown':
      return error ? await refused(deps, loaded, error, { fallOver: false }) : { ...sent(ageMs), isUnknown: true };
    case 'refused': {
      if (!error) throw new TypeError('a refusal without an error');
      const isInTime = sinceFirstMs < loaded.route.deadlineMs;
      return await refused(deps, loaded, error, { fallOver: error.fallOver, ...(isInTime && { againInMs }) });
    }
    case 'open':
      return undefined;
    default:
      return outcome satisfies never;
  }
}

/** Waits until no attempt can be sending any more, then asks the provider for the job that carries our reference. */
async function lookUp(
  deps: ActivityDependencies,
  loaded: TaskOnRoute,
  index: number,
  intent: Intent,
  signal: AbortSignal,
): Promise<Submitted> {
  const { timeoutMs, deadlineMs } = loaded.route;
  // No attempt waits past the deadline, even if the attempt that opened the intent lives and waits.
  const waitMs = Math.min(intent.sendingEndsInMs + timeoutMs + callSlackMs, deadlineMs - intent.sinceFirstMs);
  const until = performance.now() + waitMs;
  while (performance.now() < until) {
    await sleep(Math.max(1, Math.min(openIntentCheckMs, Math.ceil(until - performance.now()))));
    const now = await findIntent(deps.database, loaded.task.id, index);
    if (!now) throw new Error('the attempt that opened the intent took it back');
    const before = await saidBefore(deps, loaded, now);
    if (before) return before;
  }
  const { provider, job } = loaded;
  if (provider.answersWithResult?.(job) === true) {
    const error = new GatewayError('upstream_timeout', 'The provider never reported the outcome of the task.');
    return close(deps, loaded, index, { outcome: 'unknown', reason: 'the attempt that sent it died', error });
  }
  const jobId = provider.abilities.lookup
    ? await provider.find?.(job, AbortSignal.any([signal, AbortSignal.timeout(loaded.route.timeoutMs)]))
    : undefined;
  const submission: Submission =
    jobId === undefined
      ? { outcome: 'unknown', reason: 'the attempt that sent it died, and the provider names no job of ours' }
      : { outcome: 'accepted', jobId };
  return close(deps, loaded, index, submission);
}
