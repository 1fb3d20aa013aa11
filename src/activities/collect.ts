/** Collecting: asks the provider until the job is done, then stores its result. Harmless to repeat. */
import { sleep } from '@temporalio/activity';
import { GatewayError } from '../domain/errors.ts';
import type { TaskId } from '../domain/ids.ts';
import { isFinal, type StoredFile } from '../domain/tasks.ts';
import type { Poll, ResultPart } from '../providers/contract.ts';
import { findIntent, type Intent } from '../storage/intents.ts';
import { newBlobKey } from '../storage/new-ids.ts';
import type { Collected, TaskFailed } from './contract.ts';
import type { ActivityDependencies } from './dependencies.ts';
import { loadTaskOnRoute, type TaskOnRoute } from './job.ts';
import { storeResult } from './store-result.ts';

const first_pause_ms = 500;
const pause_ms_min = 20;
const pause_ms_max = 10_000;
const error_pause_ms_max = 30_000;

/** Waits for the result of a task that was sent, and stores it. */
export async function collect(
  deps: ActivityDependencies,
  { taskId, route: index }: { taskId: TaskId; route: number },
  signal: AbortSignal,
): Promise<Collected> {
  const loaded = await loadTaskOnRoute(deps, taskId, index);
  if (isFinal(loaded.task.state)) return failed(new GatewayError('cancelled', 'The task has ended.'));
  const intent = await findIntent(deps.database, taskId, index);
  if (!intent) throw new TypeError(`no intent of ${taskId}`);
  if (intent.outcome === 'finished') return storedBefore(deps, loaded, intent.blobKeys ?? []);
  const deadline = Date.now() + leftMs(intent, loaded);
  const { jobId } = intent;
  // Nobody knows whether the provider works on it: it is given its time, then the hold goes back.
  if (jobId === null) {
    await sleep(Math.max(0, deadline - Date.now()));
    return failed(new GatewayError('upstream_timeout', 'The provider never said what became of the task.'));
  }
  return await whenDone(deps, loaded, jobId, deadline, signal);
}

async function whenDone(
  deps: ActivityDependencies,
  loaded: TaskOnRoute,
  jobId: string,
  deadline: number,
  signal: AbortSignal,
): Promise<Collected> {
  let pause = first_pause_ms;
  for (let troubles = 0; ;) {
    const answer = await polled(deps, loaded, jobId, signal);
    if (answer.state === 'succeeded') return await stored(deps, loaded, answer.parts, signal);
    if (answer.state === 'failed') return failed(answer.error);
    if (Date.now() >= deadline) {
      return failed(new GatewayError('upstream_timeout', 'The provider did not finish the task in time.'));
    }
    troubles = answer.trouble === true ? troubles + 1 : 0;
    const wished = answer.retryAfterMs ?? (troubles > 0 ? Math.min(error_pause_ms_max, 500 * 2 ** troubles) : pause);
    await sleep(Math.max(pause_ms_min, Math.min(wished, deadline - Date.now())));
    pause = Math.min(pause_ms_max, pause * 1.5);
  }
}

/** A poll; what is thrown there is a passing trouble, asked again until the deadline. */
async function polled(
  deps: ActivityDependencies,
  { provider, job, task }: TaskOnRoute,
  jobId: string,
  signal: AbortSignal,
): Promise<Poll & { trouble?: true }> {
  try {
    return await provider.poll(jobId, job, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    deps.log.warn({ err: error, taskId: task.id }, 'a poll failed and is repeated');
    return { state: 'processing', trouble: true };
  }
}

async function stored(
  deps: ActivityDependencies,
  { task }: TaskOnRoute,
  parts: readonly ResultPart[],
  signal: AbortSignal,
): Promise<Collected> {
  const files: StoredFile[] = [];
  for (const part of parts) {
    try {
      files.push(await storeResult(deps.blobs, newBlobKey(`results/${task.id}`), () => part.open(signal)));
    } catch (error) {
      if (error instanceof GatewayError) return failed(error);
      throw error;
    }
  }
  return checked(task.terms.maxSeconds, files);
}

/**
 * The answer to the create was the result, and `submit` has stored it: what is left is to measure it.
 * The first copy is left to the sweep of unnamed blobs, so that a repeated attempt finds it.
 */
async function storedBefore(
  deps: ActivityDependencies,
  { task }: TaskOnRoute,
  keys: readonly string[],
): Promise<Collected> {
  const files: StoredFile[] = [];
  for (const key of keys) {
    files.push(await storeResult(deps.blobs, newBlobKey(`results/${task.id}`), () => deps.blobs.read(key)));
  }
  return checked(task.terms.maxSeconds, files);
}

function checked(maxSeconds: number | null, files: StoredFile[]): Collected {
  if (files.length === 0) return failed(new GatewayError('upstream_error', 'The provider answered without a result.'));
  const longest = Math.max(0, ...files.map(({ durationMs }) => durationMs ?? 0));
  if (maxSeconds !== null && longest > maxSeconds * 1000) {
    const text = `The result lasts ${longest / 1000} s; ${maxSeconds} s are the most for this model.`;
    return failed(new GatewayError('upstream_error', text));
  }
  return { outcome: 'stored', files };
}

const leftMs = (intent: Intent, { route }: TaskOnRoute): number =>
  Math.max(0, intent.createdAt.getTime() + route.deadlineMs - Date.now());

const failed = ({ code, message, param }: GatewayError): TaskFailed => ({
  outcome: 'failed',
  error: { code, message, param },
});
