/** The account's tasks of every kind, newest first; listing does not count as fetching a result. */
import * as z from 'zod';
import { invalid, list } from '../../domain/requests/parse.ts';
import { type TaskKind, taskKinds } from '../../domain/tasks/task-states.ts';
import { type ListedTask, listTasks, type TaskFilter, type TaskPosition } from '../../tasks/rows/task-list.ts';
import { keyOf } from '../context.ts';
import { listObject, readPage } from '../lists/list-page.ts';
import { isRange, limit, modelFilter, pageRowsDefault, rangeFault, timeRange } from '../lists/list-query.ts';
import { taskCursor, taskCursorOf } from '../lists/task-cursor.ts';
import { examplePage, one } from '../openapi/examples.ts';
import { queryParameters } from '../openapi/queries.ts';
import { listOfRecords } from '../openapi/schemas.ts';
import { imageTasks, videoTasks } from '../openapi/task-examples.ts';
import { imageTask, listedAvatarTalkTask, videoTask } from '../presenters/task-records.ts';
import { recordOf } from '../presenters/tasks.ts';
import { operation } from '../public-operation.ts';

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

const statusRule = `must be ${list(statuses)}, or for avatar-talk ${list(avatarTalkStatuses)}`;

const tasksQuery = z
  .object({
    limit,
    cursor: taskCursor,
    kind: z.enum(taskKinds, `must be ${list(taskKinds)}`).optional(),
    status: z.enum([...statuses, ...avatarTalkStatuses], statusRule).optional(),
    model: modelFilter,
    ...timeRange,
  })
  .refine(isRange, rangeFault);

export const listTasksOperation = operation({
  method: 'get',
  path: '/tasks',
  id: 'listTasks',
  tag: 'Tasks',
  level: 'read',
  summary: "The account's tasks of every kind, newest first",
  description: 'Listing fetches nothing: avatar-talk results stay fetchable.',
  query: tasksQuery,
  parameters: queryParameters(tasksQuery, {
    kind: 'Only tasks of this kind.',
    status: 'Only tasks of this status; `completed`, `error` and `removed` are of avatar-talk.',
    model: 'Only tasks of this model.',
  }),
  answer: listOfRecords('TaskList', z.union([imageTask, videoTask, listedAvatarTalkTask])),
  responses: {
    200: {
      description: 'A page.',
      examples: (facts) => one('A page', examplePage(imageTasks(facts).succeeded, videoTasks(facts).cancelled)),
    },
  },
  errors: ['invalid_parameter'],
  handle: async ({ ctx, deps, query: { kind, status, model, from, to, limit = pageRowsDefault, cursor: after } }) => {
    const { database, fetchWindowMs } = deps;
    const filter = { kind, model, from, to, ...(status !== undefined && filterOfStatus(status, kind)) };
    const listing = {
      read: (page: { limit: number; after: TaskPosition | undefined }) =>
        listTasks(database, keyOf(ctx).accountId, filter, { ...page, fetchWindowMs }),
      positionOf: ({ createdAt, id }: ListedTask) => ({ createdAt, id }),
      cursorOf: taskCursorOf,
    };
    return listObject(await readPage(listing, { limit, after }), (task) => recordOf(deps, task));
  },
});

/** Refuses a status that tasks of the kind asked for never have. */
function filterOfStatus(status: Status, kind: TaskKind | undefined): TaskFilter {
  const filter = filters[status];
  if (kind === undefined || filter.kind === undefined || filter.kind === kind) return filter;
  throw invalid('status', `must be ${list(statuses)} where 'kind' is '${kind}'`);
}
