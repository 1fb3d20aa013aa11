/** Avatar-talk: creating its tasks of uploads, fetching their videos once, and cancelling. */
import { GatewayError } from '../../domain/errors.ts';
import { avatarTalkFields, parseAvatarTalkFields, templateNameDefault } from '../../domain/requests/avatar-talk.ts';
import { modelId } from '../../domain/requests/fields.ts';
import { requireKind } from '../../domain/requests/parse.ts';
import { newBlobKey } from '../../postgres/new-ids.ts';
import { checkWebhookUrl } from '../../tasks/create/caller-addresses.ts';
import { createTask, requireRoom } from '../../tasks/create/create-task.ts';
import { probeUploads } from '../../tasks/create/uploads.ts';
import { sendOnce } from '../../tasks/fetch-once/send-once.ts';
import type { Task } from '../../tasks/rows/task-rows.ts';
import { taskNotFound, taskOf } from '../../tasks/wait/find-task.ts';
import { whenCertain } from '../../tasks/wait/wait-for-task.ts';
import { readAvatarTalkForm } from '../body/avatar-talk-form.ts';
import { acquireOnce } from '../concurrency-limits.ts';
import { keyOf } from '../context.ts';
import { firstOfKind, modelFor } from '../model-catalogue.ts';
import { type Ask, written } from '../operation.ts';
import { billableErrors, modelErrors } from '../openapi/error-lists.ts';
import { exampleIds } from '../openapi/example-ids.ts';
import { one } from '../openapi/examples.ts';
import { headers, requestHeader } from '../openapi/headers.ts';
import { inline, type JsonSchema } from '../openapi/schemas.ts';
import { cancelledError } from '../openapi/task-examples.ts';
import { avatarTalkTask } from '../presenters/task-records.ts';
import { avatarTalkRecord } from '../presenters/tasks.ts';
import { type GatewayFacts, operation } from '../public-operation.ts';
import { refuseLate } from '../server/draining.ts';
import { cancelOperation, taskIdParameter } from './task-operations.ts';

/** How long a creation waits where it is in doubt whether its task is there. */
const doubtSeconds = 10;
const ofTask = { path: '/svctalk/generate/{id}', parameters: [taskIdParameter('avatar_talk')] };
const processing = { id: exampleIds.avatar_talk, status: 'processing' };
const failed = { id: exampleIds.avatar_talk, status: 'error', error: cancelledError };

const createAvatarTalk = operation({
  method: 'post',
  path: '/svctalk/generate',
  id: 'createAvatarTalk',
  tag: 'Avatar-talk',
  level: 'standard',
  summary: 'Lip-synced video from an audio file and a video file',
  description:
    'Input is free; output costs by the second of generated video. A client that uploads with a command-line HTTP tool may send an empty `Expect` header.',
  parameters: [requestHeader('Idempotency-Key'), requestHeader('Expect')],
  before: async ({ deps, ctx }) => {
    refuseLate(ctx);
    await requireRoom(deps, ctx);
  },
  body: { content: (facts) => ({ 'multipart/form-data': form(facts) }) },
  answer: avatarTalkTask,
  responses: {
    200: {
      description: 'Accepted.',
      examples: () => one('Accepted', processing),
      next: ['getAvatarTalk', 'cancelAvatarTalk'],
    },
  },
  errors: [...modelErrors, ...billableErrors, 'concurrency_limit_exceeded'],
  handle: async ({ ctx, now }) => {
    const { configuration, concurrencyLimits, blobs } = now();
    const { limits } = configuration;
    const release = acquireOnce(concurrencyLimits.uploads);
    const form = await readAvatarTalkForm(ctx.req, {
      store: blobs,
      newKey: () => newBlobKey('uploads'),
      limits,
      bodies: ctx.state.bodies,
    }).catch((error: unknown) => {
      release();
      throw error;
    });
    let isKept = false;
    try {
      const deps = now(); // an upload may take an hour: model and price are those of its end
      const id = form.fields['model'] ?? firstOfKind(deps.configuration, 'avatar-talk');
      if (id === undefined)
        throw new GatewayError('model_not_found', 'This gateway has no published avatar-talk model.', {
          param: 'model',
        });
      const model = modelFor(keyOf(ctx), deps.configuration, id);
      requireKind(model, ['avatar-talk']);
      const request = parseAvatarTalkFields(form.fields, model);
      await checkWebhookUrl(deps, request);
      const uploads = await probeUploads(blobs, form, limits);
      release();
      const wanted = {
        model,
        stored: { kind: 'avatar_talk' as const, request },
        facts: { kind: 'avatar_talk' as const, audioDurationMs: uploads.audio.durationMs },
        uploads,
        fingerprint: { fields: form.fields, audio: form.audio.sha256, video: form.video.sha256 },
      };
      const created = await createTask(deps, ctx, wanted, doubtSeconds);
      const { taskId, isNew } = await whenCertain(deps, ctx, created, doubtSeconds);
      isKept = isNew; // in doubt, too: if there is no task, retention takes them
      return { id: taskId, status: 'processing' as const };
    } finally {
      release();
      // What was refused, and what an Idempotency-Key had stored before, is not kept a second time.
      if (!isKept) await Promise.all([form.audio, form.video].map(({ key }) => blobs.remove(key)));
    }
  },
});

const getAvatarTalk = operation({
  ...ofTask,
  method: 'get',
  id: 'getAvatarTalk',
  tag: 'Avatar-talk',
  level: 'read',
  summary: 'Query an avatar-talk task, or fetch its video',
  description:
    'Finished, it returns the MP4 bytes with cost headers; the task is then removed and cannot be fetched again. HEAD never counts as fetching, and `Range` is ignored. A result is kept for 10 minutes.',
  answer: avatarTalkTask,
  responses: {
    200: {
      description: 'Processing or failed as JSON; finished as the video.',
      content: { 'video/mp4': {} },
      headers: headers('X-Video-Duration', 'X-Tokens', 'X-Cost'),
      examples: () => ({
        processing: { summary: 'Running', value: processing },
        failed: { summary: 'Failed', value: failed },
      }),
    },
  },
  errors: ['task_not_found', 'task_being_fetched'],
  handle: async (ask) => {
    const task = await avatarTalkOf(ask);
    if (task.state !== 'succeeded') return avatarTalkRecord(task);
    await sendOnce(ask.deps, ask.ctx, task);
    return written;
  },
});

const cancelAvatarTalk = cancelOperation({
  ...ofTask,
  id: 'cancelAvatarTalk',
  summary: 'Cancel an avatar-talk task',
  tag: 'Avatar-talk',
  answer: avatarTalkTask,
  cancelled: () => failed,
  find: avatarTalkOf,
  present: (_, task) => avatarTalkRecord(task),
});

export const avatarTalkOperations = [createAvatarTalk, getAvatarTalk, cancelAvatarTalk];

/** The task of the path, while its result can be fetched. */
async function avatarTalkOf({ deps, ctx, params }: Ask<unknown, unknown>): Promise<Task> {
  const task = await taskOf(deps, ctx, params['id'], 'avatar_talk');
  if (task.endedMs !== null && task.endedMs > deps.fetchWindowMs) throw taskNotFound();
  return task;
}

/** A field of a form is a text or absent. */
const { template_name: templateName, webhook_url: webhookUrl } = avatarTalkFields.shape;
const field = (schema: typeof modelId, description: string): JsonSchema => ({ ...inline(schema), description });

const MiB = 1024 * 1024;

/** The form; whole MiB and seconds of the limits are written as such. */
const form = ({ limits }: GatewayFacts): JsonSchema => ({
  schema: {
    type: 'object',
    required: ['audio', 'video'],
    properties: {
      audio: {
        type: 'string',
        format: 'binary',
        description: `WAV or MP3; drives the lip movement. At most ${limits.audioBytes / MiB} MiB and ${limits.audioSeconds} s.`,
      },
      video: {
        type: 'string',
        format: 'binary',
        description: `MP4; background footage. At most ${limits.videoBytes / MiB} MiB.`,
      },
      model: field(modelId, 'Default: the first published model of kind `avatar-talk`.'),
      template_name: field(templateName.unwrap().unwrap(), `Default \`${templateNameDefault}\`.`),
      webhook_url: field(webhookUrl.unwrap().unwrap(), 'Receives a signed POST when the task ends.'),
    },
  },
  // Of files their names: what a form holds of them is bytes.
  example: { audio: 'speech.wav', video: 'footage.mp4', template_name: templateNameDefault },
  encoding: { audio: { contentType: 'audio/wav, audio/mpeg' }, video: { contentType: 'video/mp4' } },
});
