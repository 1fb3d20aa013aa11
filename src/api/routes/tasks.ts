/** The account's tasks of every kind, newest first; listing does not count as fetching a result. */
import type Router from '@koa/router';
import * as z from 'zod';
import { invalid, list } from '../../domain/requests/parse.ts';
import { type TaskKind, taskKinds } from '../../domain/tasks/task-states.ts';
import { type ListedTask, listTasks, type TaskFilter, type TaskPlace } from '../../tasks/rows/task-list.ts';
import { keyOf, type RequestState } from '../context.ts';
import type { ApiDependencies, DependenciesNow } from '../dependencies.ts';
import { listObject, readPage } from '../lists/list-page.ts';
import {
  cursorRule,
  isRange,
  limit,
  modelFilter,
  pageRowsDefault,
  rangeFault,
  readQuery,
  timeRange,
} from '../lists/list-query.ts';
import { authenticated } from '../middleware/authenticated.ts';
import { imageRecord, listedAvatarTalkRecord, videoRecord } from '../presenters/tasks.ts';

export function taskRoutes(router: Router<RequestState>, now: DependenciesNow): void {
  router.get('/tasks', authenticated(now().keys, 'read'), async (ctx) => {
    const query = readQuery(tasksQuery, ctx.query);
    const { kind, status, model, from, to } = query;
    const filter = { kind, model, from, to, ...(status !== undefined && filterOfStatus(status, kind)) };
    const deps = now();
    const { database, fetchWindowMs } = deps;
    const listing = {
      read: (page: { limit: number; after: TaskPlace | undefined }) =>
        listTasks(database, keyOf(ctx).accountId, filter, { ...page, fetchWindowMs }),
      placeOf: ({ createdAt, id }: ListedTask) => ({ createdAt, id }),
      cursorOf: taskCursorOf,
      present: (task: ListedTask) => recordOf(deps, task),
    };
    const page = { limit: query.limit ?? pageRowsDefault, after: query.cursor };
    ctx.body = listObject(await readPage(listing, page), listing.present);
  });
}

/** The record of a task of any kind, as lists have it. */
export function recordOf(deps: ApiDependencies, task: ListedTask): Record<string, unknown> {
  switch (task.kind) {
    case 'image':
      return imageRecord(deps, task);
    case 'video':
      return videoRecord(deps, task);
    case 'avatar_talk':
      return listedAvatarTalkRecord(task);
    default:
      return task.kind satisfies never;
  }
}

const statuses = ['processing', 'succeeded', 'failed'] as const;
/** Those that avatar-talk records show besides `processing`. */
const avatarTalkStatuses = ['completed', 'error', 'removed'] as const;
type Status = (typeof statuses)[number] | (typeof avatarTalkStatuses)[number];

const filters: Record<Status, TaskFilter> = {
  processing: { states: ['accepted', 'running'] },
  succeeded: { states: ['succeeded'] },
  failed: { states: ['failed', 'cancelled'] },
  completed: { kind: 'avatar_talk', states: ['succeeded'], isGone: false },
  removed: { kind: 'avatar_talk', states: ['succeeded'], isGone: true },
  error: { kind: 'avatar_talk', states: ['failed', 'cancelled'] },
};

/** Refuses a status that tasks of the kind asked for never have. */
function filterOfStatus(status: Status, kind: TaskKind | undefined): TaskFilter {
  const filter = filters[status];
  if (kind === undefined || filter.kind === undefined || filter.kind === kind) return filter;
  throw invalid('status', `must be ${list(statuses)} where 'kind' is '${kind}'`);
}

export const taskCursorOf = ({ createdAt, id }: TaskPlace): string => `${createdAt.getTime()}.${id}`;

const cursorForm = /^(\d{1,14})\.((?:img|vid|avt)_[0-9a-f]{32})$/;
export const taskCursor = z
  .string(cursorRule)
  .regex(cursorForm, cursorRule)
  .transform((cursor): TaskPlace => {
    const [, ms = '', id = ''] = cursorForm.exec(cursor) ?? [];
    return { createdAt: new Date(Number(ms)), id };
  })
  .optional();

const statusRule = `must be ${list(statuses)}, or for avatar-talk ${list(avatarTalkStatuses)}`;

export const tasksQuery = z
  .object({
    limit,
    cursor: taskCursor,
    kind: z.enum(taskKinds, `must be ${list(taskKinds)}`).optional(),
    status: z.enum([...statuses, ...avatarTalkStatuses], statusRule).optional(),
    model: modelFilter,
    ...timeRange,
  })
  .refine(isRange, rangeFault);
