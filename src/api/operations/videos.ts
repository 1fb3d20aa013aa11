/** Videos: creating, querying and cancelling their tasks. */
import { videoBody } from '../../domain/requests/video-request.ts';
import { type CreatedTask, createTask, requireRoom } from '../../tasks/create/create-task.ts';
import { wantedVideo } from '../../tasks/create/wanted-tasks.ts';
import { taskOf, withResult } from '../../tasks/wait/find-task.ts';
import { waitForTask, waitSeconds } from '../../tasks/wait/wait-for-task.ts';
import { type ApiContext, deploymentOf, keyOf } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { written } from '../operation.ts';
import { billableErrors, modelErrors } from '../openapi/error-lists.ts';
import { one } from '../openapi/examples.ts';
import { requestHeader } from '../openapi/headers.ts';
import { jsonBody } from '../openapi/json-body.ts';
import { allStates, videoTasks } from '../openapi/task-examples.ts';
import { videoTask } from '../presenters/task-records.ts';
import { answerCreation, videoRecord } from '../presenters/tasks.ts';
import { operation } from '../public-operation.ts';
import { answerLater } from '../server/late-answer.ts';
import { cancelOperation, taskIdParameter } from './task-operations.ts';

const words = {
  model: 'Video model id.',
  content: 'Media items: texts, images, videos and audio. `prompt` may stand for a text item.',
  prompt: 'Is converted to a text item at the front of `content`.',
  audioUrl: 'Of the flat body of avatar video models: URL of the driving audio.',
  videoUrl: 'Of the flat body of avatar video models: URL of the background or reference video.',
  modelVersion: 'Version number of the avatar model.',
  generate_audio: 'Default true.',
  ratio: 'Default `16:9`. `16:9`, `9:16` or `1:1`, where the model has no list of its own.',
  duration: 'Seconds. Default 5. 5, 8, 10 or 11, where the model has no list of its own.',
  watermark: 'Default false.',
  webhook_url: 'Receives a signed POST when the task ends.',
};
const ofTask = { path: '/video/generations/{id}', parameters: [taskIdParameter('video')] };

const createVideo = operation({
  method: 'post',
  path: '/video/generations',
  id: 'createVideo',
  tag: 'Videos',
  level: 'standard',
  summary: 'Video generation',
  description: ({ videoWaitSeconds }) =>
    `Text-to-video, image-to-video and avatar video. Waits up to ${videoWaitSeconds} s; work that does not finish within the request is answered with HTTP 202, \`id\` and \`message\`.`,
  parameters: [requestHeader('Idempotency-Key'), requestHeader('Prefer')],
  before: ({ deps, ctx }) => requireRoom(deps, ctx),
  body: jsonBody('VideoRequest', videoBody, {
    words,
    shown: ({ model }) => ({
      examples: {
        prompt: {
          summary: 'By a prompt',
          value: { model: model('video'), prompt: 'A gate opens', duration: 5, ratio: '16:9' },
        },
        content: {
          summary: 'By content',
          value: { model: model('video'), content: [{ type: 'text', text: 'A gate opens' }], generate_audio: false },
        },
      },
    }),
  }),
  answer: videoTask,
  responses: {
    200: {
      description: 'The video is ready.',
      examples: (facts) => one('Done', videoTasks(facts).succeeded),
      next: ['getVideo'],
    },
    202: {
      description: 'The task is running: poll it by its id.',
      examples: (facts) => one('Running', videoTasks(facts).processing),
      next: ['getVideo', 'cancelVideo'],
    },
  },
  errors: [...modelErrors, ...billableErrors, 'concurrency_limit_exceeded'],
  failedRecord: (facts, error) => ({ ...videoTasks(facts).failed, error }),
  handle: async ({ ctx, deps, body }) => {
    const seconds = waitSeconds(ctx, deploymentOf(ctx).videoWaitSeconds);
    const created = await createdBy(deps, ctx, body, seconds);
    answerLater(ctx, waitForTask(deps, ctx, created, seconds), (task) =>
      answerCreation(ctx, task, videoRecord(deps, task)),
    );
    return written;
  },
});

const getVideo = operation({
  ...ofTask,
  method: 'get',
  id: 'getVideo',
  tag: 'Videos',
  level: 'read',
  summary: 'Query a video task',
  answer: videoTask,
  responses: {
    200: {
      description: 'The task record, also when the task failed.',
      examples: (facts) => allStates(videoTasks(facts)),
    },
  },
  errors: ['task_not_found'],
  handle: async ({ ctx, deps, params }) =>
    videoRecord(deps, withResult(await taskOf(deps, ctx, params['id'], 'video'), deps.configuration)),
});

const cancelVideo = cancelOperation({
  ...ofTask,
  id: 'cancelVideo',
  summary: 'Cancel a video task',
  tag: 'Videos',
  answer: videoTask,
  cancelled: (facts) => videoTasks(facts).cancelled,
  find: ({ deps, ctx, params }) => taskOf(deps, ctx, params['id'], 'video'),
  present: videoRecord,
});

export const videoOperations = [createVideo, getVideo, cancelVideo];

/** A function of its own, so that the request's body is let go of while the caller waits for the end. */
async function createdBy(deps: ApiDependencies, ctx: ApiContext, body: unknown, seconds: number): Promise<CreatedTask> {
  return await createTask(deps, ctx, await wantedVideo(deps, keyOf(ctx), body), seconds);
}
