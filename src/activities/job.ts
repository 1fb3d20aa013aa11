/** From a task's row to what its provider may know of it. */
import type { TaskId } from '../domain/ids.ts';
import { providerReference } from '../domain/ids.ts';
import type { StoredRequest } from '../domain/tasks/stored-request.ts';
import type { StoredFile } from '../domain/tasks/task-states.ts';
import type { TaskRoute } from '../domain/tasks/terms.ts';
import { filledInMapping } from '../domain/tasks/variables.ts';
import { uploadNameOf, type UploadName } from '../domain/tasks/uploads.ts';
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
  const media = (name: UploadName): Media => {
    const file = uploads?.[name];
    if (!file) throw new TypeError(`the upload ${name} of task ${task.id} was deleted`);
    return mediaOf(deps.blobs, file, deps.addresses.media(task, name));
  };
  if (request.kind === 'avatar_talk')
    return { ...common, input: { ...request, audio: media('audio'), video: media('video') } };
  const named = new Map<string, Media>();
  const linked = (address: string): string => {
    const name = uploadNameOf(address);
    if (name === undefined) return address;
    const file = media(name);
    named.set(file.url, file);
    return file.url;
  };
  const input = request.kind === 'image' ? imageInput(request, linked) : videoInput(request, linked);
  return { ...common, input, ...(named.size > 0 && { uploads: named }) };
}

type Linked = (address: string) => string;
type Stored<Kind extends StoredRequest['kind']> = Extract<StoredRequest, { kind: Kind }>;

const imageInput = ({ kind, request }: Stored<'image'>, linked: Linked): Stored<'image'> => ({
  kind,
  request: {
    ...request,
    imageUrls: request.imageUrls.map(linked),
    ...(request.mask !== undefined && { mask: linked(request.mask) }),
  },
});

const videoInput = ({ kind, request }: Stored<'video'>, linked: Linked): Stored<'video'> => ({
  kind,
  request: {
    ...request,
    content: request.content.map((item) => (item.type === 'text' ? item : { ...item, url: linked(item.url) })),
  },
});

const mediaOf = (blobs: BlobStore, file: StoredFile, url: string): Media => ({
  mediaType: file.mediaType,
  bytes: file.bytes,
  durationMs: file.durationMs ?? 0,
  url,
  open: () => blobs.read(file.blobKey),
});
