/** Collecting: asks the provider until the job is done, then stores its result. Harmless to repeat. */
import { sleep } from '@temporalio/activity';
import { GatewayError } from '../domain/errors.ts';
import type { TaskId } from '../domain/ids.ts';
import { isFinal, type StoredFile } from '../domain/tasks/task-states.ts';
import type { Poll, ResultPart, StoredAnswer } from '../providers/contract.ts';
import { closeIntent, findIntent, findTaskWithIntent, type Intent } from '../tasks/provider-calls/intents.ts';
import { storeFailure } from '../blobs/blob-store.ts';
import { noteFailure } from '../tasks/rows/task-failure.ts';
import { jobUnknown, noteJobLeft } from '../tasks/provider-calls/intent-reports.ts';
import { finalAmong, type Task } from '../tasks/rows/task-rows.ts';
import { newBlobKey } from '../postgres/new-ids.ts';
import type { Collected, TaskFailed } from './activity-types.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { failedTries, failedTry } from './failed-tries.ts';
import { taskOnRoute, type TaskOnRoute } from './job.ts';
import { storeResult } from './store-result.ts';

const firstPauseMs = 500;
const pauseMsMin = 20;
const pauseMsMax = 10_000;
/** Of storing a result: some eight minutes, with half a minute between the later ones. */
const attemptsMax = 20;
const errorPauseMsMax = 30_000;
/** Waits for the result of a task that was sent, and stores it. Why it failed is noted; only the code goes into the history. */
export async function collect(
  deps: ActivityDependencies,
  args: { taskId: TaskId; route: number },
  signal: AbortSignal,
): Promise<Collected> {
  const collected = await collectResult(deps, args, signal);
  // Whatever it says, the provider may be working on it: `withdraw` stops it, and it is listed for the operator.
  if (collected === lost) await noteJobLeft(deps.database, args.taskId, args.route, jobUnknown);
  if (collected.outcome !== 'failed' || typeof collected.error === 'string') return collected;
  const { code, message = 'The task failed.', param = null } = collected.error;
  await noteFailure(deps.database, args.taskId, { code, message, param });
  return { outcome: 'failed', error: { code } };
}

async function collectResult(
  deps: ActivityDependencies,
  { taskId, route: index }: { taskId: TaskId; route: number },
  signal: AbortSignal,
): Promise<Collected> {
  const found = await findTaskWithIntent(deps.database, taskId, index);
  if (!found) throw new TypeError(`no task ${taskId}`);
  const { task, intent } = found;
  const loaded = taskOnRoute(deps, task, index);
  if (isFinal(task.state)) return ended;
  if (!intent) throw new TypeError(`no intent of ${taskId}`);
  // From here on without any clock, which may be set while a task waits.
  const deadline = performance.now() + loaded.route.deadlineMs - intent.sinceFirstMs;
  return (await ofKnown(deps, loaded, intent, deadline, signal)) ?? untilKnown(deps, loaded, index, deadline, signal);
}

/** What the intent says of the call; undefined while that is unknown. */
async function ofKnown(
  deps: ActivityDependencies,
  loaded: TaskOnRoute,
  { outcome, jobId, blobKeys, error }: Intent,
  deadline: number,
  signal: AbortSignal,
): Promise<Collected | undefined> {
  if (outcome === 'finished') return await ofStoredAnswer(deps, loaded, blobKeys?.[0], deadline, signal);
  if (jobId !== null) return await whenDone(deps, loaded, jobId, deadline, signal);
  return error === null ? undefined : { outcome: 'failed', error };
}

/**
 * The answer to the create was the result, and `submit` has stored it. That copy is left to the sweep of unnamed blobs,
 * so that a repeated attempt finds it.
 */
async function ofStoredAnswer(
  deps: ActivityDependencies,
  loaded: TaskOnRoute,
  key: string | undefined,
  deadline: number,
  signal: AbortSignal,
): Promise<Collected> {
  const { provider, job } = loaded;
  if (key === undefined || !provider.resultOf) throw new TypeError(`nothing can read the answer of ${job.reference}`);
  let result: Poll;
  try {
    const answer: StoredAnswer = { bytes: await deps.blobs.size(key), read: (range) => deps.blobs.read(key, range) };
    result = await provider.resultOf(answer, job);
  } catch (error) {
    if (isWorthAnotherTry(deadline, signal)) throw failedTry(error, signal);
    deps.log.error({ err: error }, 'the stored answer to a paid call can not be read');
    return failed(new GatewayError('upstream_error', "The provider's response could not be read."));
  }
  if (result.state === 'succeeded') return await storeParts(deps, loaded, result.parts, deadline, signal);
  if (result.state === 'failed') return failed(result.error);
  throw new TypeError(`a stored answer is ${result.state}`);
}

/**
 * It is unknown whether the provider works on the task. A provider with look-up is asked for the job that carries our
 * reference, and the intent is watched: the provider's hook (`api/operations/provider-hooks.ts`) or the attempt that
 * sent, if it still lives, may write the outcome there. At the deadline the hold goes back.
 */
async function untilKnown(
  deps: ActivityDependencies,
  loaded: TaskOnRoute,
  index: number,
  deadline: number,
  signal: AbortSignal,
): Promise<Collected> {
  const { provider, job, route, task } = loaded;
  for (let pause = firstPauseMs; ; pause = Math.min(pauseMsMax, pause * 1.5)) {
    const intent = await findIntent(deps.database, task.id, index);
    const collected = intent && (await ofKnown(deps, loaded, intent, deadline, signal));
    if (collected) return collected;
    try {
      const jobId = provider.abilities.lookup
        ? await provider.find?.(job, AbortSignal.any([signal, AbortSignal.timeout(route.timeoutMs)]))
        : undefined;
      if (jobId !== undefined) {
        await closeIntent(deps.database, task.id, index, { outcome: 'accepted', jobId });
        continue;
      }
    } catch (error) {
      if (signal.aborted) throw error;
      deps.log.warn({ err: error }, 'a look-up failed and is repeated');
    }
    // Only now: what was written during the last pause counts, too.
    if (performance.now() >= deadline) {
      return failed(new GatewayError('upstream_timeout', 'The provider never reported the outcome of the task.'));
    }
    await sleep(Math.max(0, Math.min(pause, deadline - performance.now())));
  }
}

async function whenDone(
  deps: ActivityDependencies,
  loaded: TaskOnRoute,
  jobId: string,
  deadline: number,
  signal: AbortSignal,
): Promise<Collected> {
  const pauseMax = loaded.provider.pollPauseMsMax ?? pauseMsMax;
  let [pause, failures] = [firstPauseMs, 0];
  let missingSince: number | undefined;
  for (;;) {
    const answer = await poll(deps, loaded, jobId, signal);
    if (answer.state === 'succeeded') return await storeParts(deps, loaded, answer.parts, deadline, signal);
    if (answer.state === 'failed') return failed(answer.error);
    missingSince = answer.state === 'missing' ? (missingSince ?? performance.now()) : undefined;
    if (missingSince !== undefined && performance.now() - missingSince >= deps.lostAfterMs) return lost;
    if (performance.now() >= deadline) {
      return failed(new GatewayError('upstream_timeout', 'The provider did not finish the task in time.'));
    }
    const { retryAfterMs, hasFailed = false } = answer.state === 'processing' ? answer : {};
    failures = hasFailed ? failures + 1 : 0;
    const wished = retryAfterMs ?? (failures > 0 ? Math.min(errorPauseMsMax, 500 * 2 ** failures) : pause);
    await sleep(Math.max(pauseMsMin, Math.min(wished, deadline - performance.now())));
    pause = Math.min(pauseMax, pause * 1.5);
  }
}

/** Polls once; what that throws is a passing failure, retried until the deadline. */
async function poll(
  deps: ActivityDependencies,
  { provider, job }: TaskOnRoute,
  jobId: string,
  signal: AbortSignal,
): Promise<Poll> {
  try {
    return await provider.poll(jobId, job, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    deps.log.warn({ err: error }, 'a poll failed and is repeated');
    return { state: 'processing', hasFailed: true };
  }
}

/** Stores the parts of a result. A failure is worth another attempt, but not after the deadline. */
async function storeParts(
  deps: ActivityDependencies,
  { task }: TaskOnRoute,
  parts: readonly ResultPart[],
  deadline: number,
  signal: AbortSignal,
): Promise<Collected> {
  const files: StoredFile[] = [];
  const drop = async () => {
    for (const { blobKey } of files) await deps.blobs.remove(blobKey);
  };
  const dropped = async (failure: TaskFailed): Promise<TaskFailed> => {
    await drop();
    return failure;
  };
  // What is more than was asked for is not charged, so it is not kept.
  for (const part of parts.slice(0, partsMax(task))) {
    try {
      const key = newBlobKey(`results/${task.id}`);
      files.push(await deps.downloads(() => storeResult(deps.blobs, key, () => part.open(signal))));
    } catch (error) {
      if (error instanceof GatewayError) return dropped(failed(error));
      // The clean-up after the task's end may have deleted the very file that was being measured.
      if (!signal.aborted && (await hasEnded(deps, task))) return dropped(ended);
      // Another attempt asks the provider anew, which may name a fresh address, and stores all parts under keys of its own.
      if (isWorthAnotherTry(deadline, signal, error)) {
        await drop();
        throw failedTry(error, signal);
      }
      deps.log.error({ err: error }, 'a result could not be stored, and its time is up');
      const text = 'The result could not be read from the provider in time.';
      return dropped(failed(new GatewayError('upstream_timeout', text)));
    }
  }
  const result = checkResult(task, files);
  if (result.outcome === 'failed') return dropped(result);
  // A task that was cancelled meanwhile was cleared of its results, perhaps before the last of these was there.
  return (await hasEnded(deps, task)) ? dropped(ended) : result;
}

const hasEnded = async ({ database }: ActivityDependencies, { id }: Task): Promise<boolean> =>
  (await finalAmong(database, [id])).length > 0;

/** After a failure to read or store a result. Attempts are bounded; a full disk of our own uses up none. */
const isWorthAnotherTry = (deadline: number, signal: AbortSignal, error?: unknown): boolean =>
  signal.aborted ||
  (performance.now() < deadline && (failedTries() + 1 < attemptsMax || storeFailure(error) !== undefined));

const partsMax = ({ request }: Task): number => (request?.kind === 'image' ? request.request.n : 1);

function checkResult({ kind, request, terms: { maxSeconds } }: Task, files: StoredFile[]): Collected {
  if (files.length === 0) return failed(new GatewayError('upstream_error', 'The provider returned no result.'));
  const isFitting = ({ mediaType, durationMs }: StoredFile) =>
    kind === 'image' ? mediaType.startsWith('image/') : mediaType.startsWith('video/') && durationMs !== undefined;
  if (!files.every(isFitting)) {
    const text = `The provider returned a file that is not ${kind === 'image' ? 'an image' : 'a video'}.`;
    return failed(new GatewayError('upstream_error', text));
  }
  const wished = request?.kind === 'image' ? request.request.outputFormat : undefined;
  const other = wished && files.find(({ mediaType }) => mediaType !== `image/${wished}`);
  if (other) {
    const text = `The provider answered with ${other.mediaType} where 'output_format' is '${wished}'.`;
    return failed(new GatewayError('upstream_error', text));
  }
  const longest = Math.max(0, ...files.map(({ durationMs }) => durationMs ?? 0));
  if (maxSeconds !== null && longest > maxSeconds * 1000) {
    const what = kind === 'avatar_talk' ? 'audio' : 'model';
    const text = `The result is ${longest / 1000} s long; the maximum for this ${what} is ${maxSeconds} s.`;
    return failed(new GatewayError('upstream_error', text));
  }
  return { outcome: 'stored', files };
}

const failed = ({ code, message, param }: GatewayError): TaskFailed => ({
  outcome: 'failed',
  error: { code, message, param },
});

/** The provider says that there is no such job, as it may of one that was just created, or while it fails itself. */
const lost = failed(new GatewayError('upstream_error', 'The provider no longer knows the task.'));

/** Changes nothing any more: the task has its end. */
const ended = failed(new GatewayError('cancelled', 'The task has ended.'));
