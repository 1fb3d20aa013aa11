/** Task records, and what all kinds of task share in the document. */
import * as z from 'zod';
import type { TaskKind } from '../../domain/tasks/task-states.ts';
import { taskIdPrefixes } from '../../domain/ids.ts';
import { tasksQuery } from '../routes/tasks.ts';
import { errorObject } from './errors.ts';
import { exampleIds } from './example-ids.ts';
import type { Group, JsonSchema, Operation } from './operation.ts';
import { queryParameters } from './queries.ts';
import { answer, listOfRecords, refOf } from './schemas.ts';

const local = answer(
  'LocalCost',
  z.strictObject({
    cost: z.number().nullable().describe('Cost of the task in yuan.'),
    balance: z.number().nullable().describe('What was available after the charge, in yuan; fixed then.'),
  }),
);

const head = (kind: TaskKind, object: string) => ({
  id: z.string().describe(`Task id, \`${taskIdPrefixes[kind]}…\`.`),
  object: z.literal(object),
  model: z.string(),
  created: z.int().describe('Unix seconds.'),
});
const running = { status: z.literal('processing'), message: z.string().describe('How to query the task.') };
const link = z.url().describe("The gateway's own signed link, good for at least 24 hours; every GET signs it afresh.");

const inlineImage = z
  .base64()
  .describe('The file itself, of a task made with `response_format` `b64_json`; lists and webhooks name its `url`.');

export const imageTask = answer(
  'ImageTask',
  z.discriminatedUnion('status', [
    z.strictObject({ ...head('image', 'image'), ...running }),
    z.strictObject({
      ...head('image', 'image'),
      status: z.literal('succeeded'),
      data: z.array(z.union([z.strictObject({ url: link }), z.strictObject({ b64_json: inlineImage })])),
      success: z.literal(true),
      _local: local,
    }),
    z.strictObject({
      ...head('image', 'image'),
      status: z.literal('failed'),
      success: z.literal(false),
      error: errorObject,
    }),
  ]),
);

export const videoTask = answer(
  'VideoTask',
  z.discriminatedUnion('status', [
    z.strictObject({ ...head('video', 'video'), ...running }),
    z.strictObject({
      ...head('video', 'video'),
      status: z.literal('succeeded'),
      content: z.array(z.strictObject({ video_url: link })),
      _local: local,
    }),
    z.strictObject({ ...head('video', 'video'), status: z.literal('failed'), error: errorObject }),
  ]),
);

const avatarTalkId = z.string().describe(`Task id, \`${taskIdPrefixes.avatar_talk}…\`.`);
export const avatarTalkTask = answer(
  'AvatarTalkTask',
  z
    .discriminatedUnion('status', [
      z.strictObject({ id: avatarTalkId, status: z.literal('processing') }),
      z.strictObject({ id: avatarTalkId, status: z.literal('error'), error: errorObject }),
    ])
    .describe('The completed state is the video itself, not a JSON status.'),
);

const avatarTalkFacts = {
  duration: z.number().nullable().describe('Seconds.'),
  tokens: z.int().nullable().describe('1 second equals 1000 tokens.'),
  cost: z.number().nullable().describe('Yuan.'),
  error: errorObject.nullable(),
};
const listedAvatarTalkTask = answer(
  'ListedAvatarTalkTask',
  z.strictObject({
    ...head('avatar_talk', 'avatar_talk'),
    status: z.enum(['processing', 'completed', 'error', 'removed']),
    ...avatarTalkFacts,
  }),
);
/** What a webhook tells of an avatar-talk task. */
export const endedAvatarTalkTask = answer(
  'EndedAvatarTalkTask',
  z.strictObject({
    id: avatarTalkId,
    object: z.literal('avatar_talk'),
    status: z.enum(['completed', 'error']),
    ...avatarTalkFacts,
  }),
);

const taskList = listOfRecords('TaskList', z.union([imageTask, videoTask, listedAvatarTalkTask]));

export const taskIdParameter = (kind: TaskKind): JsonSchema => ({
  name: 'id',
  in: 'path',
  required: true,
  description: 'Task id.',
  schema: { type: 'string', pattern: `^${taskIdPrefixes[kind]}[0-9a-f]{32}$` },
  example: exampleIds[kind],
});

/** `DELETE` on a task's address. */
export function cancelOperation(
  of: { kind: TaskKind; path: string; id: string; record: z.ZodType; query?: JsonSchema[] } & Pick<Operation, 'tag'>,
): Operation {
  return {
    method: 'delete',
    path: of.path,
    id: of.id,
    tag: of.tag,
    level: 'standard',
    summary: 'Cancel the task',
    description: "The provider's job is cancelled where it can be, and the hold released.",
    parameters: [taskIdParameter(of.kind), ...(of.query ?? [])],
    answers: {
      200: {
        description: 'Cancelled: the task record.',
        content: { 'application/json': { schema: refOf(of.record) } },
      },
    },
    errors: ['task_not_found', 'task_not_cancellable'],
  };
}

export const taskOperations: Group = () => [
  {
    method: 'get',
    path: '/tasks',
    id: 'listTasks',
    tag: 'Tasks',
    level: 'read',
    summary: "The account's tasks of every kind, newest first",
    description: 'Listing fetches nothing: avatar-talk results stay fetchable.',
    parameters: queryParameters(tasksQuery, {
      kind: 'Only tasks of this kind.',
      status: 'Only tasks of this status; `completed`, `error` and `removed` are of avatar-talk.',
      model: 'Only tasks of this model.',
    }),
    answers: { 200: { description: 'A page.', content: { 'application/json': { schema: refOf(taskList) } } } },
    errors: ['invalid_parameter'],
  },
];
