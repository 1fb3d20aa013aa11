/** Video tasks in the form of the OpenAI API: the same tasks, ids and ledger as under `/video/generations`. */
import * as z from 'zod';
import { GatewayError } from '../../domain/errors.ts';
import { valuesOfForm } from '../../domain/requests/form-fields.ts';
import { invalid, list } from '../../domain/requests/parse.ts';
import { videosBody, videosFormTypes } from '../../domain/requests/videos-request.ts';
import type { VideoRequest } from '../../domain/requests/video-request.ts';
import { isFinal } from '../../domain/tasks/task-states.ts';
import { imageUploadName } from '../../domain/tasks/uploads.ts';
import { newBlobKey } from '../../postgres/new-ids.ts';
import { type CreatedTask, createTask, requireRoom } from '../../tasks/create/create-task.ts';
import { type ImageUpload, keepForTask } from '../../tasks/create/image-uploads.ts';
import { wantedOpenAiVideo } from '../../tasks/create/wanted-tasks.ts';
import { removeMedia } from '../../tasks/rows/fetch-claims.ts';
import { findTask, type Task } from '../../tasks/rows/task-rows.ts';
import { listVideos } from '../../tasks/rows/video-list.ts';
import { taskNotFound, taskOf } from '../../tasks/wait/find-task.ts';
import { asAccepted, whenCertain } from '../../tasks/wait/wait-for-task.ts';
import { namesOf } from '../body/json-names.ts';
import { requestJson } from '../body/request-json.ts';
import { isForm, promptBytesMax, readUploadForm } from '../body/upload-form.ts';
import { acquireOnce } from '../concurrency-limits.ts';
import { type ApiContext, keyOf } from '../context.ts';
import type { ApiDependencies, DependenciesNow } from '../dependencies.ts';
import { limit, pageRowsDefault, readQuery } from '../lists/list-query.ts';
import type { Ask } from '../operation.ts';
import { billableErrors, modelErrors } from '../openapi/error-lists.ts';
import { exampleIds } from '../openapi/example-ids.ts';
import { one } from '../openapi/examples.ts';
import { fileSchema, formContent } from '../openapi/form-body.ts';
import { requestHeader } from '../openapi/headers.ts';
import { jsonContent } from '../openapi/json-body.ts';
import { queryParameters } from '../openapi/queries.ts';
import { answer, type JsonSchema } from '../openapi/schemas.ts';
import { openAiVideos } from '../openapi/video-examples.ts';
import { openAiList } from '../presenters/openai-list.ts';
import { openAiVideo, openAiVideoOf, type ShownVideo } from '../presenters/openai-videos.ts';
import { type GatewayFacts, operation } from '../public-operation.ts';
import { refuseLate } from '../server/draining.ts';
import { answerFile, fileResponses } from '../send-file.ts';
import { resultDownload } from './files.ts';
import { taskIdParameter } from './task-operations.ts';

/** How long a creation waits where it is in doubt whether its task is there. */
const doubtSeconds = 10;

const words = {
  model: 'Video model id.',
  prompt: 'What the video shows.',
  seconds: 'Its length, as a text or a number; which ones there are is a matter of the model.',
  size: '`<width>x<height>`; which ones there are is a matter of the model. Without it, the model chooses.',
  input_reference:
    'An image to begin with: a file of the form, or `{"image_url"}` with an http or https URL or a data URI.',
  duration: 'As `seconds`, in the form of OpenRouter.',
  resolution: 'In the place of `size`, such as `720p`, at the ratio asked for.',
  aspect_ratio: 'Default `16:9`.',
  generate_audio: 'Default true.',
  seed: 'Passed on to models that have one.',
  frame_images: 'The first and the last frame, for models that take them.',
  input_references: 'Images that the video refers to.',
  callback_url: 'As `webhook_url`.',
  webhook_url: 'Receives a signed POST when the task ends.',
};
const ofVideo = { tag: 'Videos', path: '/videos/{id}', parameters: [taskIdParameter('video')] } as const;

const createOpenAiVideo = operation({
  method: 'post',
  path: '/videos',
  id: 'createOpenAiVideo',
  tag: 'Videos',
  level: 'standard',
  summary: 'Video generation, in the form of OpenAI',
  description:
    'Answers at once; the task is the same as one of `/video/generations`, and can be asked for and cancelled there as well. As JSON, or as a form with a file. The fields of OpenRouter are taken too; where both name the same thing, those of OpenAI count.',
  parameters: [requestHeader('Idempotency-Key')],
  before: async ({ deps, ctx }) => {
    refuseLate(ctx);
    await requireRoom(deps, ctx);
  },
  body: { content: (facts) => ({ ...videoJson(facts), 'multipart/form-data': videoForm(facts) }) },
  answer: openAiVideo,
  responses: {
    200: {
      description: 'Accepted.',
      examples: (facts) => one('Accepted', openAiVideos(facts).queued),
      next: ['getOpenAiVideo', 'getVideo', 'cancelVideo'],
    },
  },
  errors: [...modelErrors, ...billableErrors, 'concurrency_limit_exceeded'],
  handle: async ({ ctx, now }) => {
    const { created, request } = await (isForm(ctx.req) ? createByForm(ctx, now) : createByJson(ctx, now()));
    const deps = now();
    const certain = await whenCertain(deps, ctx, created, doubtSeconds);
    // What an Idempotency-Key of before named may have ended since.
    const task = certain.isNew ? undefined : await findTask(deps.database, certain.taskId);
    const shown = task ? shownVideo(task) : undefined;
    return openAiVideoOf(shown ?? { ...asAccepted(certain), finishedAt: null, request }, deps.configuration);
  },
});

const getOpenAiVideo = operation({
  ...ofVideo,
  method: 'get',
  id: 'getOpenAiVideo',
  level: 'read',
  summary: 'Query a video, in the form of OpenAI',
  answer: openAiVideo,
  responses: {
    200: {
      description: 'The video, also when it failed.',
      examples: (facts) => ({
        completed: { summary: 'Done', value: openAiVideos(facts).completed },
        queued: { summary: 'Accepted', value: openAiVideos(facts).queued },
        failed: { summary: 'Failed', value: openAiVideos(facts).failed },
      }),
    },
  },
  errors: ['task_not_found'],
  handle: async (ask) => openAiVideoOf(await videoOf(ask), ask.deps.configuration),
});

const contentQuery = z.object({
  variant: z.literal('video', "must be 'video': neither thumbnails nor sprite sheets are made").optional(),
});

const getOpenAiVideoContent = operation({
  ...ofVideo,
  method: 'get',
  path: '/videos/{id}/content',
  id: 'getOpenAiVideoContent',
  level: 'read',
  summary: 'Download a video',
  description: 'The MP4 itself, once the video is completed. One `Range` of bytes may be asked for.',
  parameters: [...ofVideo.parameters, ...queryParameters(contentQuery, { variant: 'Only the video is there.' })],
  answer: z.void(),
  responses: fileResponses({ 'video/mp4': {} }),
  errors: ['task_not_found', 'task_not_ended', 'invalid_parameter'],
  handle: async (ask) => {
    readQuery(contentQuery, ask.ctx.query);
    const task = await videoOf(ask);
    if (!isFinal(task.state)) throw notEnded('GET it until its status is completed.');
    const [file] = task.files ?? [];
    if (!file) throw new GatewayError('task_not_found', 'This video failed, so it has no content.');
    const link = { taskId: task.id, file: 0, expiresAtSeconds: dayFromNow() };
    await answerFile(ask.deps, ask.ctx, resultDownload(ask.deps, { ...file, link }));
  },
});

const orderRule = `must be ${list(["'asc'", "'desc'"])}`;
const listQuery = z.object({
  limit,
  after: z.string().optional(),
  order: z.enum(['asc', 'desc'], orderRule).optional(),
});

const listOpenAiVideos = operation({
  method: 'get',
  path: '/videos',
  id: 'listOpenAiVideos',
  tag: 'Videos',
  level: 'read',
  summary: "The account's videos, in the form of OpenAI",
  query: listQuery,
  parameters: queryParameters(listQuery, {
    after: 'The `last_id` of the previous page.',
    order: 'By creation: `desc`, the default, begins with the newest.',
  }),
  answer: openAiList('VideoList', openAiVideo),
  responses: {
    200: {
      description: 'A page.',
      examples: (facts) =>
        one('A page', {
          object: 'list',
          data: [openAiVideos(facts).completed],
          first_id: exampleIds.video,
          last_id: exampleIds.video,
          has_more: false,
        }),
    },
  },
  errors: ['invalid_parameter'],
  handle: async ({ ctx, deps, query: { limit = pageRowsDefault, after: id, order = 'desc' } }) => {
    const after = id === undefined ? undefined : await taskOf(deps, ctx, id, 'video').catch(unknownCursor);
    const found = await listVideos(deps.database, keyOf(ctx).accountId, { limit: limit + 1, after, order });
    const data = found
      .slice(0, limit)
      .flatMap((task) => shownVideo(task) ?? [])
      .map((video) => openAiVideoOf(video, deps.configuration));
    return {
      object: 'list',
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: found.length > limit,
    };
  },
});

const deleteOpenAiVideo = operation({
  ...ofVideo,
  method: 'delete',
  id: 'deleteOpenAiVideo',
  level: 'standard',
  summary: 'Delete a video',
  description:
    'Deletes the video and its request before their time; one that still runs is cancelled by `DELETE /video/generations/{id}`.',
  answer: answer(
    'DeletedVideo',
    z.strictObject({ id: z.string(), object: z.literal('video.deleted'), deleted: z.literal(true) }),
  ),
  responses: {
    200: {
      description: 'Deleted.',
      examples: () => one('Deleted', { id: exampleIds.video, object: 'video.deleted', deleted: true }),
    },
  },
  errors: ['task_not_found', 'task_not_ended'],
  handle: async (ask) => {
    const { id, state } = await videoOf(ask);
    if (!isFinal(state)) throw notEnded(`DELETE /video/generations/${id} cancels it.`);
    await removeMedia(ask.deps.database, ask.deps.blobs, id);
    return { id, object: 'video.deleted' as const, deleted: true as const };
  },
});

export const openAiVideoOperations = [
  createOpenAiVideo,
  listOpenAiVideos,
  getOpenAiVideo,
  getOpenAiVideoContent,
  deleteOpenAiVideo,
];

interface Made {
  created: CreatedTask;
  request: VideoRequest;
}

const fields = [
  ...['model', 'prompt', 'seconds', 'size', 'duration', 'resolution', 'aspect_ratio', 'generate_audio', 'seed'],
  ...['callback_url', 'webhook_url', 'input_reference[image_url]'],
];

async function createByForm(ctx: ApiContext, now: DependenciesNow): Promise<Made> {
  const { concurrencyLimits, blobs, configuration } = now();
  const release = acquireOnce(concurrencyLimits.uploads);
  try {
    const bytesMax = configuration.limits.imageBytes;
    const files = [{ name: 'input_reference', bytesMax, isOptional: true } as const];
    const options = { store: blobs, newKey: () => newBlobKey('uploads'), bodies: ctx.state.bodies };
    const form = await readUploadForm(ctx.req, { files, fields, fieldBytesMax: promptBytesMax }, options);
    const [blob] = form.files.get('input_reference') ?? [];
    const images = blob ? [{ name: imageUploadName(0), param: 'input_reference', blob }] : [];
    const { 'input_reference[image_url]': address, ...values } = valuesOfForm(form.fields, videosFormTypes);
    const body = { ...values, ...(address !== undefined && { input_reference: { image_url: address } }) };
    return await create(ctx, now(), body, images, release);
  } finally {
    release();
  }
}

async function createByJson(ctx: ApiContext, deps: ApiDependencies): Promise<Made> {
  const { value } = await requestJson(deps, ctx, { names: namesOf(videosBody) });
  return create(ctx, deps, value, []);
}

/** Admits the task of a body and of the file that came with it. */
async function create(
  ctx: ApiContext,
  deps: ApiDependencies,
  body: unknown,
  files: readonly ImageUpload[],
  afterFiles: () => void = () => undefined,
): Promise<Made> {
  const stored = files.map(({ blob }) => blob);
  return keepForTask(deps.blobs, stored, async () => {
    const wanted = await wantedOpenAiVideo(deps, keyOf(ctx), body, files, stored);
    afterFiles();
    return { created: await createTask(deps, ctx, wanted, doubtSeconds), request: wanted.request };
  });
}

/** The video of the path. What was deleted is not there any more. */
async function videoOf({ deps, ctx, params }: Ask<unknown, unknown>): Promise<ShownVideo> {
  const video = shownVideo(await taskOf(deps, ctx, params['id'], 'video'));
  if (!video) throw taskNotFound();
  return video;
}

const shownVideo = (task: Task): ShownVideo | undefined =>
  task.removedAt === null && task.request?.kind === 'video' ? { ...task, request: task.request.request } : undefined;

const notEnded = (next: string) => new GatewayError('task_not_ended', `The video is still being made. ${next}`);

function unknownCursor(error: unknown): never {
  throw error instanceof GatewayError ? invalid('after', 'must be the id of a video of this account') : error;
}

/** Until when a link into the store may be good. */
const dayFromNow = (): number => Math.floor(Date.now() / 1000) + 86_400;

const videoJson = jsonContent('VideoCreateRequest', videosBody, {
  words,
  shown: ({ model }) => ({
    examples: {
      openai: {
        summary: 'With the fields of OpenAI',
        value: { model: model('video'), prompt: 'A gate opens', seconds: '8', size: '1280x720' },
      },
      openrouter: {
        summary: 'With the fields of OpenRouter',
        value: { model: model('video'), prompt: 'A gate opens', duration: 8, aspect_ratio: '16:9', resolution: '720p' },
      },
    },
  }),
});

const MiB = 1024 * 1024;
const videoForm = (facts: GatewayFacts): JsonSchema =>
  formContent({
    files: {
      input_reference: fileSchema(
        `An image to begin with: PNG, JPEG or WebP, of at most ${facts.limits.imageBytes / MiB} MiB.`,
      ),
    },
    required: [],
    fields: videosBody.omit({ input_reference: true, frame_images: true, input_references: true }),
    words,
    example: { model: facts.model('video'), prompt: 'A gate opens', seconds: '8', input_reference: 'gate.png' },
    encoding: { input_reference: { contentType: 'image/png, image/jpeg, image/webp' } },
  });
