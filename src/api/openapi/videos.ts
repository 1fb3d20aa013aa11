/** Videos in the document. */
import { videoBody } from '../../domain/requests/video-request.ts';
import { failedVideo } from './answer-examples.ts';
import { billableErrors, modelErrors } from './errors.ts';
import { requestHeader } from './headers.ts';
import type { Group } from './operation.ts';
import { refOf, request } from './schemas.ts';
import { cancelOperation, taskIdParameter, videoTask } from './tasks.ts';

const path = '/video/generations';
const kind = 'video';
const tag = 'Videos';

const videoRequest = request('VideoRequest', videoBody, {
  model: 'Video model id.',
  content: 'Media items: texts, images, videos and sounds. `prompt` may stand for a text item.',
  prompt: 'Is converted to a text item at the front of `content`.',
  audioUrl: 'Of the flat body of avatar video models: URL of the driving audio.',
  videoUrl: 'Of the flat body of avatar video models: URL of the background or reference video.',
  modelVersion: 'Version number of the avatar model.',
  generate_audio: 'Default true.',
  ratio: 'Default `16:9`.',
  duration: 'Seconds. Default 5.',
  watermark: 'Default false.',
  webhook_url: 'Receives a signed POST when the task ends.',
});

export const videoOperations: Group = ({ model }, { videoWaitSeconds }) => [
  {
    method: 'post',
    path,
    id: 'createVideo',
    tag,
    level: 'standard',
    summary: 'Video generation',
    description: `Text-to-video, image-to-video and avatar video. Waits up to ${videoWaitSeconds} s; work that does not finish within the request is answered with HTTP 202, \`id\` and \`message\`.`,
    parameters: [requestHeader('Idempotency-Key'), requestHeader('Prefer')],
    body: {
      content: {
        'application/json': {
          schema: videoRequest,
          examples: {
            prompt: {
              summary: 'By a prompt',
              value: { model: model('video'), prompt: 'A gate opens', duration: 5, ratio: '16:9' },
            },
            content: {
              summary: 'By content',
              value: {
                model: model('video'),
                content: [{ type: 'text', text: 'A gate opens' }],
                generate_audio: false,
              },
            },
          },
        },
      },
    },
    answers: {
      200: {
        description: 'The video is ready.',
        content: { 'application/json': { schema: refOf(videoTask) } },
        next: ['getVideo'],
      },
      202: {
        description: 'The task is running: poll it by its id.',
        content: { 'application/json': { schema: refOf(videoTask) } },
        next: ['getVideo', 'cancelVideo'],
      },
    },
    errors: [...modelErrors, ...billableErrors, 'concurrency_limit_exceeded'],
    failedRecord: { name: 'VideoTask', schema: refOf(videoTask), exampleWith: failedVideo(model('video')) },
  },
  {
    method: 'get',
    path: `${path}/{id}`,
    id: 'getVideo',
    tag,
    level: 'read',
    summary: 'Query a video task',
    parameters: [taskIdParameter(kind)],
    answers: {
      200: {
        description: 'The task record, also when the task failed.',
        content: { 'application/json': { schema: refOf(videoTask) } },
      },
    },
    errors: ['task_not_found'],
  },
  cancelOperation({ kind, path: `${path}/{id}`, id: 'cancelVideo', tag, record: videoTask }),
];
