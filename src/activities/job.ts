/** From a task's row to what its provider may know of it. */
import type { TaskId } from '../domain/ids.ts';
import { providerReference } from '../domain/ids.ts';
import type { StoredFile } from '../domain/tasks/task-states.ts';
import type { TaskRoute } from '../domain/tasks/terms.ts';
import { filledInMapping } from '../domain/tasks/variables.ts';
import type { Job, Media, TaskProvider } from '../providers/contract.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { findTask, type Task } from '../tasks/rows/task-rows.ts';
import type { ActivityDependencies } from './dependencies.ts';

export interface TaskOnRoute {
  task: Task;
  route: TaskRoute;
  provider: TaskProvider;
  job: Job;
}

/** Loads a task with one of its routes; throws when row, route, provider or request is not there. */
export async function loadTaskOnRoute(
  deps: ActivityDependencies,
  id: TaskId,
  routeIndex: number,
): Promise<TaskOnRoute> {
  const task = await findTask(deps.database, id);
  if (!task) throw new TypeError(`no task ${id}`);
  return taskOnRoute(deps, task, routeIndex);
}

/** A task that was read, with one of its routes; throws when route, provider or request is not there. */
export function taskOnRoute(deps: ActivityDependencies, task: Task, routeIndex: number): TaskOnRoute {
  const { id } = task;
  deps.step?.isOf(task);
  const route = task.terms.routes[routeIndex];
  if (!route) throw new TypeError(`task ${id} has no route ${routeIndex}`);
  const provider = deps.providers.get(route.provider);
  if (!provider) throw new Error(`the provider ${route.provider} of task ${id} is not configured here`);
  return { task, route, provider, job: jobOf(deps, task, route, routeIndex) };
}

function jobOf(deps: ActivityDependencies, task: Task, route: TaskRoute, routeIndex: number): Job {
  const { request, uploads } = task;
  if (!request) throw new TypeError(`the request of task ${task.id} was deleted`);
  const common = {
    reference: providerReference(task.id),
    kind: task.terms.modelKind,
    model: route.model,
    options: filledInMapping(route.options, deps.variables()),
    fields: route.fields,
    qualityScale: task.terms.qualityScale,
    hookUrl: deps.addresses.hook(task, routeIndex),
    isHook: (url: string) => deps.addresses.isHook(url, task, routeIndex),
  };
  if (request.kind !== 'avatar_talk') return { ...common, input: request };
  if (!uploads) throw new TypeError(`the uploads of task ${task.id} were deleted`);
  const media = (file: 'audio' | 'video') => mediaOf(deps.blobs, uploads[file], deps.addresses.media(task, file));
  return { ...common, input: { ...request, audio: media('audio'), video: media('video') } };
}

const mediaOf = (blobs: BlobStore, file: StoredFile, url: string): Media => ({
  mediaType: file.mediaType,
  bytes: file.bytes,
  durationMs: file.durationMs ?? 0,
  url,
  open: () => blobs.read(file.blobKey),
});
