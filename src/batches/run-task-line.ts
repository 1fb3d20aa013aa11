/** A line that is an image or video task: made in one transaction with the line's row, and collected when it has ended. */
import { errorTable, GatewayError } from '../domain/errors.ts';
import { type Money, zero } from '../domain/money.ts';
import { publicStatus } from '../domain/tasks/task-states.ts';
import type { ApiKey } from '../accounts/api-keys.ts';
import { parseJsonBody } from '../api/body/json-body.ts';
import { openAiVideoOf } from '../api/presenters/openai-videos.ts';
import { imageRecord, videoRecord } from '../api/presenters/tasks.ts';
import type { StoredBlob } from '../blobs/blob-store.ts';
import type { LineToSend } from '../ledger/commit/line-rows.ts';
import { failedGuard } from '../postgres/database.ts';
import { newRequestId } from '../postgres/new-ids.ts';
import { type CreatedTask, placeTask, type WantedTask } from '../tasks/create/create-task.ts';
import { keepForTask } from '../tasks/create/image-uploads.ts';
import { wantedImage, wantedOpenAiVideo, wantedVideo } from '../tasks/create/wanted-tasks.ts';
import { finalAmong, findTask, type Task } from '../tasks/rows/task-rows.ts';
import { endTaskLine, taskLines } from './batch-rows.ts';
import type { LineEnd } from './run-line.ts';
import type { SliceDependencies } from './slice-dependencies.ts';

/** Endpoints whose lines are tasks, without a root in front. */
export const taskEndpoints = ['images/generations', 'video/generations', 'videos'] as const;
export type TaskEndpoint = (typeof taskEndpoints)[number];

export const isTaskEndpoint = (endpoint: string): endpoint is TaskEndpoint =>
  taskEndpoints.some((one) => one === endpoint);

export interface TaskLineOrder {
  line: LineToSend;
  key: ApiKey;
  endpoint: TaskEndpoint;
  body: Buffer;
}

/** Makes the task of a line, which is `sent` from then on; nothing waits for its end. */
export async function runTaskLine(
  deps: SliceDependencies,
  { line, key, endpoint, body }: TaskLineOrder,
): Promise<LineEnd | { became: 'started' }> {
  const requestId = newRequestId();
  const stored: StoredBlob[] = [];
  try {
    await keepForTask(deps.blobs, stored, async () => {
      const { value } = await parseJsonBody(body, {});
      const wanted = await wantedOf(deps, key, endpoint, value, stored);
      const order = { key, requestId, idempotencyKey: `batch:${line.batchId}:${line.n}`, line };
      return { created: await certainly(await placeTask(deps, order, wanted, 0)) };
    });
    return { became: 'started' };
  } catch (error) {
    if (failedGuard(error) === 'line_claimed') return { became: 'gone' };
    if (!(error instanceof GatewayError)) throw error;
    return { became: 'refused', refusal: error, requestId };
  }
}

/** Waits until it is certain that a task is there; in doubt to the end, the next slice sees what is true. */
async function certainly(created: CreatedTask): Promise<CreatedTask> {
  await created.certain;
  return created;
}

function wantedOf(
  deps: SliceDependencies,
  key: ApiKey,
  endpoint: TaskEndpoint,
  body: unknown,
  stored: StoredBlob[],
): Promise<WantedTask> {
  switch (endpoint) {
    case 'images/generations':
      return wantedImage(deps, key, body);
    case 'video/generations':
      return wantedVideo(deps, key, body);
    case 'videos':
      return wantedOpenAiVideo(deps, key, body, [], stored);
  }
}

/** Ends the lines of a batch whose tasks have ended; returns what became of them, and how many tasks are under way. */
export async function collectTasks(
  deps: SliceDependencies,
  batchId: string,
  endpoint: TaskEndpoint,
): Promise<{ ended: ('completed' | 'failed')[]; underWay: number }> {
  const { database } = deps;
  const lines = await taskLines(database, batchId);
  if (lines.length === 0) return { ended: [], underWay: 0 };
  const final = new Set<string>(
    await finalAmong(
      database,
      lines.map(({ taskId }) => taskId),
    ),
  );
  const ended: ('completed' | 'failed')[] = [];
  for (const { n, taskId } of lines) {
    const task = final.has(taskId) ? await findTask(database, taskId) : undefined;
    if (!task) continue;
    const end = endOf(deps, endpoint, task);
    await endTaskLine(database, taskId, { batchId, n, ...end });
    ended.push(end.state);
  }
  return { ended, underWay: lines.length - ended.length };
}

function endOf(deps: SliceDependencies, endpoint: TaskEndpoint, task: Task) {
  const answer = Buffer.from(JSON.stringify(recordOf(deps, endpoint, task)));
  const cost: Money = task.cost ?? zero;
  if (publicStatus(task.state) === 'succeeded')
    return { state: 'completed' as const, statusCode: 200, answer, errorCode: null, cost };
  const code = task.error?.code ?? 'internal_error';
  return { state: 'failed' as const, statusCode: errorTable[code].status, answer, errorCode: code, cost: zero };
}

function recordOf(deps: SliceDependencies, endpoint: TaskEndpoint, task: Task): unknown {
  if (endpoint === 'images/generations') return imageRecord(deps, task);
  if (endpoint === 'videos' && task.request?.kind === 'video')
    return openAiVideoOf({ ...task, request: task.request.request }, deps.configuration);
  return videoRecord(deps, task);
}
