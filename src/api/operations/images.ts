/** Images: creating, querying and cancelling their tasks. */
import { imageBody } from '../../domain/requests/image-request.ts';
import { type CreatedTask, createTask, requireRoom } from '../../tasks/create/create-task.ts';
import { answerInline, showInline } from '../../tasks/create/inline-images.ts';
import { wantedImage } from '../../tasks/create/wanted-tasks.ts';
import type { Task } from '../../tasks/rows/task-rows.ts';
import { taskNotFound, taskOf, withResult } from '../../tasks/wait/find-task.ts';
import { waitForTask, waitSeconds } from '../../tasks/wait/wait-for-task.ts';
import { type ApiContext, deploymentOf, keyOf } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { type Ask, written } from '../operation.ts';
import { billableErrors, modelErrors } from '../openapi/error-lists.ts';
import { one } from '../openapi/examples.ts';
import { requestHeader } from '../openapi/headers.ts';
import { jsonBody } from '../openapi/json-body.ts';
import type { JsonSchema } from '../openapi/schemas.ts';
import { allStates, imageTasks } from '../openapi/task-examples.ts';
import { imageTask } from '../presenters/task-records.ts';
import { answerCreation, imageRecord } from '../presenters/tasks.ts';
import { type GatewayFacts, operation } from '../public-operation.ts';
import { answerLater } from '../server/late-answer.ts';
import { cancelOperation, taskIdParameter } from './task-operations.ts';

/** What a reader should know of the fields; edits and variations have most of them. */
export const imageWords = {
  model: 'Image model id.',
  prompt: 'Description of content and style. Required but for upscaling. How long it may be is a matter of the model.',
  quality: 'Default `medium`. `auto` is as if absent, `standard` is `medium`, `hd` is `high`.',
  ratio: 'Default `1:1`.',
  resolution: 'Default `2k`. When used, `ratio` must also be sent. `8k` is for upscaling.',
  size: 'Format `<width>x<height>`, or `auto` as if absent; wins over `resolution` and `ratio`. Width times height must be from 1,048,576 to 16,777,216, width/height from 1/3 to 3.',
  image_urls: 'Reference images. At most 14; 6 or fewer recommended.',
  n: 'Number of images. 1 forces a single image; above that the model decides the count.',
  upscale: 'True enables upscale mode, which requires one of `image_urls`. Supports 4K and 8K output.',
  response_format: 'Default `url`. `b64_json` puts the files themselves into the answers, as `data[].b64_json`.',
  output_format: "Default: whatever the model makes. What the model's routes can't deliver is refused.",
  background: "Default `auto`. What the model's routes can't deliver is refused; `transparent` doesn't go with `jpeg`.",
  stream: 'Images are not streamed.',
  webhook_url: 'Receives a signed POST when the task ends.',
};
const modelParameter: JsonSchema = {
  name: 'model',
  in: 'query',
  description: "The task's model, if it is named at all.",
  schema: { type: 'string' },
};
const ofTask = { path: '/images/generations/{id}', parameters: [taskIdParameter('image'), modelParameter] };

/** What the creations of image tasks have in common. */
export const imageCreation = {
  tag: 'Images',
  level: 'standard',
  responses: {
    200: {
      description: 'The images are ready.',
      examples: (facts: GatewayFacts) => one('Done', imageTasks(facts).succeeded),
      next: ['getImage'],
    },
    202: {
      description: 'The task is running: poll it by its id.',
      examples: (facts: GatewayFacts) => one('Running', imageTasks(facts).processing),
      next: ['getImage', 'cancelImage'],
    },
  },
  errors: [...modelErrors, ...billableErrors, 'concurrency_limit_exceeded'],
  failedRecord: (facts: GatewayFacts, error: unknown) => ({ ...imageTasks(facts).failed, error }),
} as const;

/** Answers a creation once its task has ended or the wait is over. */
export function answerImageCreation(
  deps: ApiDependencies,
  ctx: ApiContext,
  { created, isInline }: { created: CreatedTask; isInline: boolean },
  seconds: number,
): typeof written {
  answerLater(ctx, waitForTask(deps, ctx, created, seconds), (task) =>
    isInline ? answerInline(deps, ctx, task) : answerCreation(ctx, task, imageRecord(deps, task)),
  );
  return written;
}

const createImage = operation({
  ...imageCreation,
  method: 'post',
  path: '/images/generations',
  id: 'createImage',
  summary: 'Image generation',
  description: ({ imageWaitSeconds }) =>
    imageWaitSeconds === 0
      ? 'Answers at once with HTTP 202 and the task id in `id`, unless `Prefer: wait=N` says otherwise.'
      : `Waits up to ${imageWaitSeconds} s for the images, then answers HTTP 202 with a task id. The caller going away never stops the task.`,
  parameters: [requestHeader('Idempotency-Key'), requestHeader('Prefer')],
  before: ({ deps, ctx }) => requireRoom(deps, ctx),
  body: jsonBody('ImageRequest', imageBody, {
    words: imageWords,
    shown: ({ model }) => ({
      examples: {
        text: {
          summary: 'Text-to-image',
          value: {
            model: model('image'),
            prompt: 'A toll gate in the morning fog',
            ratio: '16:9',
            resolution: '2k',
          },
        },
        size: {
          summary: 'An exact size',
          value: { model: model('image'), prompt: 'A toll gate at night', size: '1024x1536', quality: 'high' },
        },
      },
    }),
  }),
  answer: imageTask,
  handle: async ({ ctx, deps, body }) => {
    const seconds = waitSeconds(ctx, deploymentOf(ctx).imageWaitSeconds);
    return answerImageCreation(deps, ctx, await createdBy(deps, ctx, body, seconds), seconds);
  },
});

const getImage = operation({
  ...ofTask,
  method: 'get',
  id: 'getImage',
  tag: 'Images',
  level: 'read',
  summary: 'Query an image task',
  answer: imageTask,
  responses: {
    200: {
      description: 'The task record, also when the task failed.',
      examples: (facts) => allStates(imageTasks(facts)),
    },
  },
  errors: ['task_not_found'],
  handle: async (ask) => {
    const { ctx, deps } = ask;
    const task = await imageOf(ask);
    const shown = withResult(task, deps.configuration);
    const isInline = task.request?.kind === 'image' && task.request.request.responseFormat === 'b64_json';
    if (!isInline || task.state !== 'succeeded') return imageRecord(deps, shown);
    await showInline(deps, ctx, shown);
    return written;
  },
});

const cancelImage = cancelOperation({
  ...ofTask,
  id: 'cancelImage',
  summary: 'Cancel an image task',
  tag: 'Images',
  answer: imageTask,
  cancelled: (facts) => imageTasks(facts).cancelled,
  find: imageOf,
  present: imageRecord,
});

export const imageOperations = [createImage, getImage, cancelImage];

/** A function of its own, so that the request's body is let go of while the caller waits for the end. */
async function createdBy(
  deps: ApiDependencies,
  ctx: ApiContext,
  body: unknown,
  seconds: number,
): Promise<{ created: CreatedTask; isInline: boolean }> {
  const wanted = await wantedImage(deps, keyOf(ctx), body);
  return { created: await createTask(deps, ctx, wanted, seconds), isInline: wanted.isInline };
}

/** The task of the path; a `model` in the query has to be its own. */
async function imageOf({ deps, ctx, params }: Ask<unknown, unknown>): Promise<Task> {
  const task = await taskOf(deps, ctx, params['id'], 'image');
  const { model } = ctx.query;
  if (model !== undefined && model !== task.model) throw taskNotFound();
  return task;
}
