/** Images in the document. */
import { imageBody } from '../../domain/requests/image-request.ts';
import { failedImage } from './answer-examples.ts';
import { billableErrors, modelErrors } from './errors.ts';
import { requestHeader } from './headers.ts';
import type { Group, JsonSchema } from './operation.ts';
import { refOf, request } from './schemas.ts';
import { cancelOperation, imageTask, taskIdParameter } from './tasks.ts';

const path = '/images/generations';
const kind = 'image';
const tag = 'Images';

const imageRequest = request('ImageRequest', imageBody, {
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
});

const modelParameter: JsonSchema = {
  name: 'model',
  in: 'query',
  description: "The task's model, if it is named at all.",
  schema: { type: 'string' },
};

export const imageOperations: Group = ({ model }, { imageWaitSeconds }) => [
  {
    method: 'post',
    path,
    id: 'createImage',
    tag,
    level: 'standard',
    summary: 'Image generation',
    description:
      imageWaitSeconds === 0
        ? 'Answers at once with HTTP 202 and the task id in `id`, unless `Prefer: wait=N` says otherwise.'
        : `Waits up to ${imageWaitSeconds} s for the images, then answers HTTP 202 with a task id. The caller going away never stops the task.`,
    parameters: [requestHeader('Idempotency-Key'), requestHeader('Prefer')],
    body: {
      content: {
        'application/json': {
          schema: imageRequest,
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
        },
      },
    },
    answers: {
      200: {
        description: 'The images are ready.',
        content: { 'application/json': { schema: refOf(imageTask) } },
        next: ['getImage'],
      },
      202: {
        description: 'The task is running: poll it by its id.',
        content: { 'application/json': { schema: refOf(imageTask) } },
        next: ['getImage', 'cancelImage'],
      },
    },
    errors: [...modelErrors, ...billableErrors, 'concurrency_limit_exceeded'],
    failedRecord: { name: 'ImageTask', schema: refOf(imageTask), exampleWith: failedImage(model('image')) },
  },
  {
    method: 'get',
    path: `${path}/{id}`,
    id: 'getImage',
    tag,
    level: 'read',
    summary: 'Query an image task',
    parameters: [taskIdParameter(kind), modelParameter],
    answers: {
      200: {
        description: 'The task record, also when the task failed.',
        content: { 'application/json': { schema: refOf(imageTask) } },
      },
    },
    errors: ['task_not_found'],
  },
  cancelOperation({ kind, path: `${path}/{id}`, id: 'cancelImage', tag, record: imageTask, query: [modelParameter] }),
];
