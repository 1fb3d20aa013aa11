/** Video tasks in the form of the OpenAI API. */
import * as z from 'zod';
import { taskIdPrefixes } from '../../domain/ids.ts';
import { toAmount } from '../../domain/money.ts';
import type { VideoRequest } from '../../domain/requests/video-request.ts';
import type { TaskState } from '../../domain/tasks/task-states.ts';
import { unixSeconds } from '../../domain/unix-seconds.ts';
import type { ShownTask } from '../../tasks/rows/task-list.ts';
import { answer } from '../openapi/schemas.ts';
import { localCost } from './task-records.ts';

const statuses = {
  accepted: 'queued',
  running: 'in_progress',
  succeeded: 'completed',
  failed: 'failed',
  cancelled: 'failed',
} as const satisfies Record<TaskState, string>;

export const openAiVideo = answer(
  'Video',
  z.strictObject({
    id: z.string().describe(`Task id, \`${taskIdPrefixes.video}…\`.`),
    object: z.literal('video'),
    model: z.string(),
    status: z.enum(['queued', 'in_progress', 'completed', 'failed']),
    progress: z.int().describe('Percent: 100 once it is completed, 0 before.'),
    created_at: z.int().describe('Unix seconds, as the two below.'),
    completed_at: z.int().nullable(),
    expires_at: z.int().nullable().describe('When the video is deleted.'),
    prompt: z.string().nullable(),
    seconds: z.string().describe('The length that was asked for.'),
    size: z.string().nullable().describe('`<width>x<height>`, as asked for or as it was made.'),
    remixed_from_video_id: z.null(),
    error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
    _local: localCost.optional().describe('Of a completed one.'),
  }),
);
type OpenAiVideo = z.input<typeof openAiVideo>;

export interface ShownVideo extends ShownTask {
  finishedAt: Date | null;
  request: VideoRequest;
}

/** The record of a video task that was not deleted. `retentionDays` is how long results are kept. */
export function openAiVideoOf(task: ShownVideo, { retentionDays }: { retentionDays: number }): OpenAiVideo {
  const { request, finishedAt } = task;
  const status = statuses[task.state];
  const completedAt = status === 'completed' && finishedAt ? unixSeconds(finishedAt) : null;
  return {
    id: task.id,
    object: 'video',
    model: task.model,
    status,
    progress: status === 'completed' ? 100 : 0,
    created_at: unixSeconds(task.createdAt),
    completed_at: completedAt,
    expires_at: completedAt === null ? null : completedAt + retentionDays * daySeconds,
    prompt: promptOf(request),
    seconds: String(request.durationSeconds),
    size: sizeOf(task),
    remixed_from_video_id: null,
    error: status === 'failed' ? errorOf(task) : null,
    ...(status === 'completed' && {
      _local: {
        cost: task.cost === null ? null : toAmount(task.cost),
        balance: task.balanceAfter === null ? null : toAmount(task.balanceAfter),
      },
    }),
  };
}

const daySeconds = 86_400;

function promptOf({ content }: VideoRequest): string | null {
  const texts = content.flatMap((item) => (item.type === 'text' ? [item.text] : []));
  return texts.length === 0 ? null : texts.join('\n');
}

function sizeOf({ request, files }: ShownVideo): string | null {
  const [file] = files ?? [];
  const { width, height } = file?.width === undefined ? (request.size ?? {}) : file;
  return width === undefined || height === undefined ? null : `${width}x${height}`;
}

const errorOf = ({ error }: ShownVideo): NonNullable<OpenAiVideo['error']> => ({
  code: error?.code ?? 'internal_error',
  message: error?.message ?? 'The task failed.',
});
