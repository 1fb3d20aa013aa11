/** Collecting: asks the provider until the job is done, then stores its result. Harmless to repeat. */
import { sleep } from '@temporalio/activity';
import { GatewayError } from '../domain/errors.ts';
import type { TaskId } from '../domain/ids.ts';
import { isFinal, type StoredFile } from '../domain/tasks.ts';
import type { Poll, ResultPart } from '../providers/contract.ts';
import { closeIntent, findIntent } from '../storage/intents.ts';
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
  const deadline = intent.createdAt.getTime() + loaded.route.deadlineMs;
  if (intent.outcome === 'finished') {
    // The answer to the create was the result, and `submit` has stored it: what is left is to measure it.
    // The first copy is left to the sweep of unnamed blobs, so that a repeated attempt finds it.
    const parts = (intent.blobKeys ?? []).map((key) => ({ open: () => deps.blobs.read(key) }));
    return await stored(deps, loaded, parts, deadline, signal);
  }
  const jobId = intent.jobId ?? (await lookedUp(deps, loaded, index, deadline, signal));
  if (jobId === undefined) {
    return failed(new GatewayError('upstream_timeout', 'The provider never said what became of the task.'));
  }
  return await whenDone(deps, loaded, jobId, deadline, signal);
}

/**
 * Nobody knows whether the provider works on the task. It is asked for the job that carries our reference where it can
 * tell; else it is given its time, and then the hold goes back.
 */
async function lookedUp(
  deps: ActivityDependencies,
  { provider, job, route, task }: TaskOnRoute,
  index: number,
  deadline: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!provider.abilities.lookup) await sleep(Math.max(0, deadline - Date.now()));
  for (let pause = first_pause_ms; Date.now() < deadline; pause = Math.min(pause_ms_max, pause * 1.5)) {
    try {
      const jobId = await provider.find?.(
        job.reference,
        AbortSignal.any([signal, AbortSignal.timeout(route.timeoutMs)]),
      );
      if (jobId !== undefined) {
        await closeIntent(deps.database, task.id, index, { outcome: 'accepted', jobId });
        return jobId;
      }
    } catch (error) {
      if (signal.aborted) throw error;
      deps.log.warn({ err: error, taskId: task.id }, 'a look-up failed and is repeated');
    }
    await sleep(Math.max(0, Math.min(pause, deadline - Date.now())));
  }
  return undefined;
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
    if (answer.state === 'succeeded') return await stored(deps, loaded, answer.parts, deadline, signal);
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

/** Stores the parts of a result. Trouble on the way is worth another attempt, but not after the deadline. */
async function stored(
  deps: ActivityDependencies,
  { task }: TaskOnRoute,
  parts: readonly ResultPart[],
  deadline: number,
  signal: AbortSignal,
): Promise<Collected> {
  const files: StoredFile[] = [];
  for (const part of parts) {
    try {
      files.push(await storeResult(deps.blobs, newBlobKey(`results/${task.id}`), () => part.open(signal)));
    } catch (error) {
      if (error instanceof GatewayError) return failed(error);
      if (signal.aborted || Date.now() < deadline) throw error;
      deps.log.error({ err: error, taskId: task.id }, 'a result could not be stored, and its time is up');
      return failed(new GatewayError('upstream_timeout', 'The result could not be read from the provider in time.'));
    }
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

const failed = ({ code, message, param }: GatewayError): TaskFailed => ({
  outcome: 'failed',
  error: { code, message, param },
});
