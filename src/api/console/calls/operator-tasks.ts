/** The tasks of all accounts, for operators; one is looked at and cancelled as its owners do it. */
import * as z from 'zod';
import type { AccountId } from '../../../domain/ids.ts';
import { list } from '../../../domain/requests/parse.ts';
import { taskKinds } from '../../../domain/tasks/task-states.ts';
import { listAllTasks, type OperatorTask } from '../../../tasks/rows/all-tasks.ts';
import { queuePositions } from '../../../tasks/rows/key-queues.ts';
import type { TaskPosition } from '../../../tasks/rows/task-list.ts';
import { taskStatuses } from '../../../tasks/rows/task-search.ts';
import { idFilter } from '../../lists/ledger-list.ts';
import { type Listing, listObject, readPage } from '../../lists/list-page.ts';
import { isRange, limit, modelFilter, pageRowsDefault, rangeFault, timeRange } from '../../lists/list-query.ts';
import { taskCursor, taskCursorOf } from '../../lists/task-cursor.ts';
import { operatorCall } from '../console-call.ts';
import { listOf } from '../list-record.ts';
import { presentTask, taskFields } from '../tasks/task-line.ts';

const record = z.strictObject({
  ...taskFields,
  excerpt: z.string().nullable(),
  account: z.strictObject({ id: z.string(), name: z.string() }),
  /** That was asked last; null before the first call. */
  provider: z.string().nullable(),
});

/** Models and providers are sought task by task: so far back, if the query says nothing else. */
const soughtDays = 31;
const dayMs = 86_400_000;

const listCall = operatorCall({
  method: 'get',
  path: '/operator/tasks',
  id: 'listAllTasks',
  summary: `Tasks of all accounts, newest first; by model or provider of the last ${soughtDays} days, without a 'from'`,
  query: z
    .object({
      limit,
      cursor: taskCursor,
      id: idFilter,
      account: idFilter,
      kind: z.enum(taskKinds, `must be ${list(taskKinds)}`).optional(),
      status: z.enum(taskStatuses, `must be ${list(taskStatuses)}`).optional(),
      model: modelFilter,
      provider: idFilter,
      code: idFilter,
      ...timeRange,
    })
    .refine(isRange, rangeFault),
  answer: listOf(record),
  handle: async ({ deps: { database }, query: { limit: rows = pageRowsDefault, cursor, account, ...wanted } }) => {
    const { model, provider, to = new Date() } = wanted;
    const isSought = model !== undefined || provider !== undefined;
    const from = wanted.from ?? (isSought ? new Date(to.getTime() - soughtDays * dayMs) : undefined);
    const filter = { ...wanted, from, account: account as AccountId | undefined };
    const listing: Listing<OperatorTask, TaskPosition> = {
      read: (page) => listAllTasks(database, filter, page),
      positionOf: ({ createdAt, id }) => ({ createdAt, id }),
      cursorOf: taskCursorOf,
    };
    const page = await readPage(listing, { limit: rows, after: cursor });
    const positions = await queuePositions(database, page.rows);
    return listObject(page, (task) => present(task, positions.get(task.id)));
  },
});

export const operatorTaskCalls = [listCall];

const present = (task: OperatorTask, position: number | undefined): z.input<typeof record> => ({
  ...presentTask({ ...task, key: { id: task.keyId, name: task.keyName } }, position),
  excerpt: task.excerpt,
  account: { id: task.accountId, name: task.accountName },
  provider: task.provider,
});
