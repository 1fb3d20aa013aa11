/** What the operations on single tasks share: the parameter that names one, and cancelling. */
import type * as z from 'zod';
import { taskIdPrefixes } from '../../domain/ids.ts';
import type { TaskKind } from '../../domain/tasks/task-states.ts';
import type { Task } from '../../tasks/rows/task-rows.ts';
import { cancelOwnTask } from '../../tasks/wait/cancel-own-task.ts';
import type { Ask } from '../operation.ts';
import { exampleIds } from '../openapi/example-ids.ts';
import { one } from '../openapi/examples.ts';
import { pathParameter } from '../openapi/parameters.ts';
import type { JsonSchema } from '../openapi/schemas.ts';
import { type GatewayFacts, operation, type Operation, type tags } from '../public-operation.ts';

export const taskIdParameter = (kind: TaskKind): JsonSchema =>
  pathParameter('id', 'Task id.', exampleIds[kind], `^${taskIdPrefixes[kind]}[0-9a-f]{32}$`);

interface Cancellable<Answer> {
  tag: keyof typeof tags;
  id: string;
  summary: string;
  path: string;
  parameters: readonly JsonSchema[];
  answer: z.ZodType<unknown, Answer>;
  cancelled: (facts: GatewayFacts) => object;
  find: (ask: Ask<unknown, unknown>) => Promise<Task>;
  present: (deps: Ask<unknown, unknown>['deps'], task: Task) => Answer;
}

/** `DELETE` on a task's address. */
export const cancelOperation = <Answer>({ find, present, cancelled, ...facts }: Cancellable<Answer>): Operation =>
  operation({
    ...facts,
    method: 'delete',
    level: 'standard',
    description: "The provider's job is cancelled where it can be, and the hold released.",
    responses: {
      200: { description: 'Cancelled: the task record.', examples: (gateway) => one('Cancelled', cancelled(gateway)) },
    },
    errors: ['task_not_found', 'task_not_cancellable'],
    handle: async (ask) => present(ask.deps, await cancelOwnTask(ask.deps, ask.ctx, await find(ask))),
  });
