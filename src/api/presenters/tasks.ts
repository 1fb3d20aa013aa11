/** Tasks as callers see them: from rows to records. */
import type * as z from 'zod';
import { errorBody, errorTable } from '../../domain/errors.ts';
import { toAmount } from '../../domain/money.ts';
import { tokensOfSeconds } from '../../domain/billing/pricing.ts';
import { publicStatus, type TaskKind } from '../../domain/tasks/task-states.ts';
import type { ListedTask, ShownTask } from '../../tasks/rows/task-list.ts';
import type { Task } from '../../tasks/rows/task-rows.ts';
import type { ApiContext } from '../context.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { showRetry } from '../retry-headers.ts';
import { fileLinks } from './links.ts';
import type {
  avatarTalkTask,
  endedAvatarTalkTask,
  imageTask,
  listedAvatarTalkTask,
  videoTask,
} from './task-records.ts';
import { unixSeconds } from '../../domain/unix-seconds.ts';

type ImageRecord = z.input<typeof imageTask>;
type VideoRecord = z.input<typeof videoTask>;
type AvatarTalkRecord = z.input<typeof avatarTalkTask>;
type ListedAvatarTalkRecord = z.input<typeof listedAvatarTalkTask>;
type EndedAvatarTalkRecord = z.input<typeof endedAvatarTalkTask>;

type Links = Pick<ApiDependencies, 'secrets' | 'publicUrl'>;

/** The record of an image task. */
export function imageRecord(links: Links, task: ShownTask): ImageRecord {
  const status = publicStatus(task.state);
  switch (status) {
    case 'succeeded': {
      const data = fileLinks(links, task).map((url) => ({ url }));
      return { ...headOf(task, 'image', status), data, success: true, _local: local(task) };
    }
    case 'failed':
      return { ...headOf(task, 'image', status), success: false, error: errorOf(task) };
    case 'processing':
      return { ...headOf(task, 'image', status), message: stillRunning('/images/generations', task) };
  }
}

/** The record of a video task. */
export function videoRecord(links: Links, task: ShownTask): VideoRecord {
  const status = publicStatus(task.state);
  switch (status) {
    case 'succeeded': {
      const content = fileLinks(links, task).map((url) => ({ video_url: url }));
      return { ...headOf(task, 'video', status), content, _local: local(task) };
    }
    case 'failed':
      return { ...headOf(task, 'video', status), error: errorOf(task) };
    case 'processing':
      return { ...headOf(task, 'video', status), message: stillRunning('/video/generations', task) };
  }
}

/** An avatar-talk task that is still running or has failed; finished, its answer is the video itself. */
export function avatarTalkRecord(task: Task): AvatarTalkRecord {
  return publicStatus(task.state) === 'failed'
    ? { id: task.id, status: 'error', error: errorOf(task) }
    : { id: task.id, status: 'processing' };
}

/** The record of a task of any kind, as lists have it: of avatar-talk, what can't be fetched any more is `removed`. */
export function recordOf(links: Links, task: ListedTask): ImageRecord | VideoRecord | ListedAvatarTalkRecord {
  switch (task.kind) {
    case 'image':
      return imageRecord(links, task);
    case 'video':
      return videoRecord(links, task);
    case 'avatar_talk':
      return {
        ...headOf(task, task.kind, task.isGone ? 'removed' : avatarTalkStatusOf(task)),
        ...avatarTalkFacts(task),
      };
    default:
      return task.kind satisfies never;
  }
}

/** The record of a task that has ended, for its webhook: what GET would give, but of avatar-talk no more than its facts. */
export function webhookRecord(links: Links, task: ShownTask): ImageRecord | VideoRecord | EndedAvatarTalkRecord {
  switch (task.kind) {
    case 'image':
      return imageRecord(links, task);
    case 'video':
      return videoRecord(links, task);
    case 'avatar_talk':
      return {
        id: task.id,
        object: 'avatar_talk',
        status: publicStatus(task.state) === 'succeeded' ? 'completed' : 'error',
        ...avatarTalkFacts(task),
      };
  }
}

const headOf = <Kind extends TaskKind, Status extends string>(task: ShownTask, object: Kind, status: Status) => ({
  id: task.id,
  object,
  model: task.model,
  status,
  created: unixSeconds(task.createdAt),
});

const avatarTalkFacts = (task: ShownTask) => ({
  duration: task.durationMs === null ? null : task.durationMs / 1000,
  tokens: task.durationMs === null ? null : tokensOfSeconds(task.durationMs),
  cost: task.cost === null ? null : toAmount(task.cost),
  error: publicStatus(task.state) === 'failed' ? errorOf(task) : null,
});

const avatarTalkStatusOf = (task: ShownTask) => avatarTalkStatuses[publicStatus(task.state)];
const avatarTalkStatuses = { processing: 'processing', succeeded: 'completed', failed: 'error' } as const;

/**
 * Answers a creation: 200 with the result, 202 while it runs, and for a failure its record under the status that the
 * error table gives, marked for the SDKs, since sending it again would start another task.
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
  cost: task.cost === null ? null : toAmount(task.cost),
  balance: task.balanceAfter === null ? null : toAmount(task.balanceAfter),
});

const errorOf = (task: ShownTask) => errorBody(task.error ?? { code: 'internal_error', message: 'The task failed.' });

const stillRunning = (path: string, task: ShownTask) =>
  `The task is running. Poll GET ${path}/${task.id} for its result.`;
