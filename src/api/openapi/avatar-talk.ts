/** Avatar-talk in the document. */
import { avatarTalkFields, templateNameDefault } from '../../domain/requests/avatar-talk.ts';
import { modelId } from '../../domain/requests/fields.ts';
import { billableErrors, modelErrors } from './errors.ts';
import { headers, requestHeader } from './headers.ts';
import type { Facts, Group, JsonSchema } from './operation.ts';
import { inline, refOf } from './schemas.ts';
import { avatarTalkTask, cancelOperation, taskIdParameter } from './tasks.ts';

const path = '/svctalk/generate';
const kind = 'avatar_talk';
const tag = 'Avatar-talk';

/** A field of a form is a text or absent. */
const { template_name: templateName, webhook_url: webhookUrl } = avatarTalkFields.shape;
const field = (schema: typeof modelId, description: string): JsonSchema => ({ ...inline(schema), description });

const MiB = 1024 * 1024;

/** The form; whole MiB and seconds of the limits are told as such. */
const form = ({ limits }: Facts): JsonSchema => ({
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

export const avatarTalkOperations: Group = (facts) => [
  {
    method: 'post',
    path,
    id: 'createAvatarTalk',
    tag,
    level: 'standard',
    summary: 'Lip-synced video from an audio file and a video file',
    description:
      'Input is free; output costs by the second of generated video. A client that uploads with a command-line HTTP tool may send an empty `Expect` header.',
    parameters: [requestHeader('Idempotency-Key'), requestHeader('Expect')],
    body: { content: { 'multipart/form-data': form(facts) } },
    answers: {
      200: {
        description: 'Accepted.',
        content: { 'application/json': { schema: refOf(avatarTalkTask) } },
        next: ['getAvatarTalk', 'cancelAvatarTalk'],
      },
    },
    errors: [...modelErrors, ...billableErrors, 'concurrency_limit_exceeded'],
  },
  {
    method: 'get',
    path: `${path}/{id}`,
    id: 'getAvatarTalk',
    tag,
    level: 'read',
    summary: 'Query an avatar-talk task, or fetch its video',
    description:
      'Finished, it returns the MP4 bytes with cost headers; the task is then removed and cannot be fetched again. HEAD never counts as fetching, and `Range` is ignored. A result is kept for 10 minutes.',
    parameters: [taskIdParameter(kind)],
    answers: {
      200: {
        description: 'Processing or failed as JSON; finished as the video.',
        content: { 'application/json': { schema: refOf(avatarTalkTask) }, 'video/mp4': {} },
        headers: headers('X-Video-Duration', 'X-Tokens', 'X-Cost'),
      },
    },
    errors: ['task_not_found', 'task_being_fetched'],
  },
  cancelOperation({ kind, path: `${path}/{id}`, id: 'cancelAvatarTalk', tag, record: avatarTalkTask }),
];
