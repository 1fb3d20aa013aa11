/** The tasks of an account: looking through them, looking at one, cancelling it, and telling its webhook again. */
import * as z from 'zod';
import type { AccountId } from '../../../domain/ids.ts';
import { list } from '../../../domain/requests/parse.ts';
import { taskKinds } from '../../../domain/tasks/task-states.ts';
import { findKey, listKeys } from '../../../accounts/api-keys.ts';
import { listTaskLines, modelsOfTasks, type TaskLine, taskStatuses } from '../../../tasks/rows/task-search.ts';
import { findEvent, replayEvent } from '../../../webhooks/event-log.ts';
import type { TaskPosition } from '../../../tasks/rows/task-list.ts';
import { findTask, type Task } from '../../../tasks/rows/task-rows.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { readPage } from '../../lists/list-page.ts';
import { isRange, limit, modelFilter, pageRowsDefault, rangeFault, timeRange } from '../../lists/list-query.ts';
import { taskCursor, taskCursorOf } from '../../lists/task-cursor.ts';
import { queuePositions } from '../../../tasks/rows/key-queues.ts';
import { cancelOwnTask } from '../../../tasks/wait/cancel-own-task.ts';
import { taskNotFound } from '../../../tasks/wait/find-task.ts';
import { accountCall } from '../console-call.ts';
import { presentLine, taskLine } from '../tasks/task-line.ts';
import { presentTaskPage, taskPage } from '../tasks/task-page.ts';

const idRule = 'must be an id of 1 to 64 letters, digits and _';
const id = z.string(idRule).regex(/^\w{1,64}$/, idRule);

const listCall = accountCall({
  method: 'get',
  path: '/accounts/{account}/tasks',
  id: 'listTasks',
  summary: 'Tasks of every kind, newest first',
  needs: 'member',
  query: z
    .object({
      limit,
      cursor: taskCursor,
      id: id.optional(),
      kind: z.enum(taskKinds, `must be ${list(taskKinds)}`).optional(),
      status: z.enum(taskStatuses, `must be ${list(taskStatuses)}`).optional(),
      model: modelFilter,
      key: id.optional(),
      ...timeRange,
    })
    .refine(isRange, rangeFault),
  answer: z.strictObject({
    object: z.literal('list'),
    data: z.array(taskLine),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  }),
  handle: async ({ deps, account, query: { limit: rows = pageRowsDefault, cursor, ...filter } }) => {
    // The index of a key's tasks holds no accounts: a busy key of others would be read to its end.
    const isKeyOfOthers = filter.key !== undefined && (await findKey(deps.database, filter.key))?.accountId !== account;
    if (isKeyOfOthers) return { object: 'list', data: [], has_more: false, next_cursor: null };
    const listing = {
      read: (page: { limit: number; after: TaskPosition | undefined }) =>
        listTaskLines(deps.database, account, filter, page),
      positionOf: ({ createdAt, id }: TaskLine) => ({ createdAt, id }),
      cursorOf: taskCursorOf,
    };
    const page = await readPage(listing, { limit: rows, after: cursor });
    const positions = await queuePositions(deps.database, page.rows);
    return {
      object: 'list',
      data: page.rows.map((task) => presentLine(deps, task, positions.get(task.id))),
      has_more: page.nextCursor !== null,
      next_cursor: page.nextCursor,
    };
  },
});

const getFilters = accountCall({
  method: 'get',
  path: '/accounts/{account}/task-filters',
  id: 'getTaskFilters',
  summary: 'By which models and keys the tasks can be filtered',
  needs: 'member',
  answer: z.strictObject({
    object: z.literal('task_filters'),
    models: z.array(z.string()),
    keys: z.array(z.strictObject({ id: z.string(), name: z.string() })),
  }),
  handle: async ({ deps: { database }, account }) => {
    const [models, keys] = await Promise.all([modelsOfTasks(database, account), listKeys(database, account)]);
    return { object: 'task_filters' as const, models, keys: keys.map(({ id, name }) => ({ id, name })) };
  },
});

const getTask = accountCall({
  method: 'get',
  path: '/accounts/{account}/tasks/{id}',
  id: 'getTask',
  summary: 'One task with all that is known of it',
  needs: 'member',
  answer: taskPage,
  handle: async ({ deps, account, role, params, person: { isOperator } }) =>
    presentTaskPage(deps, await taskOf(deps, account, params), { isOperator, role }),
});

const cancelCall = accountCall({
  method: 'post',
  path: '/accounts/{account}/tasks/{id}/cancel',
  id: 'cancelTask',
  summary: 'Cancel a task that has not ended; its hold comes back',
  needs: 'owner',
  answer: taskPage,
  handle: async ({ deps, ctx, account, role, params, by: { actor }, person: { isOperator } }) => {
    const task = await cancelOwnTask(deps, ctx, await taskOf(deps, account, params), actor);
    return presentTaskPage(deps, task, { isOperator, role });
  },
});

const replayCall = accountCall({
  method: 'post',
  path: '/accounts/{account}/tasks/{id}/webhook/replay',
  id: 'replayTaskWebhook',
  summary: 'Tell the webhook of the task once more, if telling it has ended',
  needs: 'owner',
  answer: taskPage,
  handle: async ({ deps, account, role, params, by, person: { isOperator } }) => {
    const task = await taskOf(deps, account, params);
    const event = await findEvent(deps.database, task.id);
    if (event) await replayEvent(by, event.id);
    return presentTaskPage(deps, task, { isOperator, role });
  },
});

export const taskCalls = [listCall, getFilters, getTask, cancelCall, replayCall];

/** Refuses with `task_not_found` what is no id, no task, or another account's. */
async function taskOf(
  { database }: ApiDependencies,
  account: AccountId,
  params: Readonly<Record<string, string>>,
): Promise<Task> {
  const given = id.safeParse(params['id']);
  const task = given.success ? await findTask(database, given.data, account) : undefined;
  if (!task) throw taskNotFound();
  return task;
}
