/** Task records: what callers see of an image, video or avatar-talk task. */
import { unixSeconds } from '../../domain/unix-seconds.ts';
import { errorBody, errorTable } from '../../domain/errors.ts';
import { toYuan } from '../../domain/money.ts';
import { tokensOfSeconds } from '../../domain/billing/pricing.ts';
import { publicStatus } from '../../domain/tasks/task-states.ts';
import type { ListedTask, ShownTask } from '../../tasks/rows/task-list.ts';
import type { Task } from '../../tasks/rows/task-rows.ts';
import type { ApiContext } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { showRetry } from '../retry-headers.ts';
import { fileLinks } from './links.ts';

type Links = Pick<ApiDependencies, 'secrets' | 'publicUrl'>;

/** The record of an image task. */
export function imageRecord(links: Links, task: ShownTask): Record<string, unknown> {
  const head = {
    id: task.id,
    object: 'image',
    model: task.model,
    status: publicStatus(task.state),
    created: unixSeconds(task.createdAt),
  };
  switch (publicStatus(task.state)) {
    case 'succeeded':
      return { ...head, data: fileLinks(links, task).map((url) => ({ url })), success: true, _local: local(task) };
    case 'failed':
      return { ...head, success: false, error: errorOf(task) };
    case 'processing':
      return { ...head, message: stillRunning('/images/generations', task) };
  }
}

/** The record of a video task. */
export function videoRecord(links: Links, task: ShownTask): Record<string, unknown> {
  const head = {
    id: task.id,
    object: 'video',
    model: task.model,
    status: publicStatus(task.state),
    created: unixSeconds(task.createdAt),
  };
  switch (publicStatus(task.state)) {
    case 'succeeded':
      return { ...head, content: fileLinks(links, task).map((url) => ({ video_url: url })), _local: local(task) };
    case 'failed':
      return { ...head, error: errorOf(task) };
    case 'processing':
      return { ...head, message: stillRunning('/video/generations', task) };
  }
}

/** An avatar-talk task that is still running or has failed; finished, its answer is the video itself. */
export function avatarTalkRecord(task: Task): Record<string, unknown> {
  return publicStatus(task.state) === 'failed'
    ? { id: task.id, status: 'error', error: errorOf(task) }
    : { id: task.id, status: 'processing' };
}

/** An avatar-talk task among others, where nothing is fetched: what can't be fetched any more is `removed`. */
export const listedAvatarTalkRecord = (task: ListedTask): Record<string, unknown> => ({
  id: task.id,
  object: 'avatar_talk',
  model: task.model,
  status: task.isGone ? 'removed' : avatarTalkStatusOf(task),
  created: unixSeconds(task.createdAt),
  ...avatarTalkFacts(task),
});

const avatarTalkFacts = (task: ShownTask) => ({
  duration: task.durationMs === null ? null : task.durationMs / 1000,
  tokens: task.durationMs === null ? null : tokensOfSeconds(task.durationMs),
  cost: task.cost === null ? null : toYuan(task.cost),
  error: publicStatus(task.state) === 'failed' ? errorOf(task) : null,
});

const avatarTalkStatusOf = (task: ShownTask) => avatarTalkStatuses[publicStatus(task.state)];

/** What a webhook is told of a task that has ended: what GET would give, but of avatar-talk no more than that it is there. */
export function webhookRecord(links: Links, task: ShownTask): Record<string, unknown> {
  switch (task.kind) {
    case 'image':
      return imageRecord(links, task);
    case 'video':
      return videoRecord(links, task);
    case 'avatar_talk':
      return { id: task.id, object: 'avatar_talk', status: avatarTalkStatusOf(task), ...avatarTalkFacts(task) };
  }
}

const avatarTalkStatuses = { processing: 'processing', succeeded: 'completed', failed: 'error' } as const;

/**
 * Answers a creation: 200 with the result, 202 while it runs, and for a failure its record under the status that the
 * error table gives, with a word to the SDKs that sending it again would start another task.
 */
export function answerCreation(ctx: ApiContext, task: ShownTask, record: Record<string, unknown>): void {
  ctx.body = record;
  switch (publicStatus(task.state)) {
    case 'succeeded':
      ctx.status = 200;
      return;
    case 'processing':
      ctx.status = 202;
      return;
    case 'failed':
      ctx.status = errorTable[task.error?.code ?? 'internal_error'].status;
      if (task.error && ctx.status === 429) {
        showRetry(ctx, { ...task.error, retryAfterSeconds: task.error.retryAfterSeconds ?? retry_after_seconds });
      }
      ctx.set('x-should-retry', 'false');
  }
}

/** Of a busy provider that doesn't say how long it will be. */
const retry_after_seconds = 5;

const local = (task: ShownTask) => ({
  cost: task.cost === null ? null : toYuan(task.cost),
  balance: task.balanceAfter === null ? null : toYuan(task.balanceAfter),
});

const errorOf = (task: ShownTask) => errorBody(task.error ?? { code: 'internal_error', message: 'The task failed.' });

const stillRunning = (path: string, task: ShownTask) =>
  `The task is running. Poll GET ${path}/${task.id} for its result.`;
