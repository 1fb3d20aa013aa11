/** The records of tasks: what callers see of an image, video or avatar-talk task. */
import * as z from 'zod';
import { taskIdPrefixes } from '../../domain/ids.ts';
import type { TaskKind } from '../../domain/tasks/task-states.ts';
import { errorObject } from '../openapi/error-object.ts';
import { answer } from '../openapi/schemas.ts';

export const localCost = answer(
  'LocalCost',
  z.strictObject({
    cost: z.number().nullable().describe('Cost of the task.'),
    balance: z.number().nullable().describe('What was available after the charge; fixed then.'),
  }),
);

const head = <Kind extends TaskKind>(kind: Kind) => ({
  id: z.string().describe(`Task id, \`${taskIdPrefixes[kind]}…\`.`),
  object: z.literal(kind),
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
    z.strictObject({ ...head('image'), ...running }),
    z.strictObject({
      ...head('image'),
      status: z.literal('succeeded'),
      data: z.array(z.union([z.strictObject({ url: link }), z.strictObject({ b64_json: inlineImage })])),
      success: z.literal(true),
      _local: localCost,
    }),
    z.strictObject({
      ...head('image'),
      status: z.literal('failed'),
      success: z.literal(false),
      error: errorObject,
    }),
  ]),
);

export const videoTask = answer(
  'VideoTask',
  z.discriminatedUnion('status', [
    z.strictObject({ ...head('video'), ...running }),
    z.strictObject({
      ...head('video'),
      status: z.literal('succeeded'),
      content: z.array(z.strictObject({ video_url: link })),
      _local: localCost,
    }),
    z.strictObject({ ...head('video'), status: z.literal('failed'), error: errorObject }),
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
  cost: z.number().nullable(),
  error: errorObject.nullable(),
};
export const listedAvatarTalkTask = answer(
  'ListedAvatarTalkTask',
  z.strictObject({
    ...head('avatar_talk'),
    status: z.enum(['processing', 'completed', 'error', 'removed']),
    ...avatarTalkFacts,
  }),
);
/** An avatar-talk task in a webhook. */
export const endedAvatarTalkTask = answer(
  'EndedAvatarTalkTask',
  z.strictObject({
    id: avatarTalkId,
    object: z.literal('avatar_talk'),
    status: z.enum(['completed', 'error']),
    ...avatarTalkFacts,
  }),
);
