/** The addresses of this gateway that providers are handed: the caller's uploads, and where to call when a job ends. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { TaskId } from '../../domain/ids.ts';
import type { UploadName } from '../../domain/tasks/uploads.ts';
import { type LinkKeys, signLink } from './signed-links.ts';
import type { Task } from '../rows/task-rows.ts';

/** A task that was not submitted after a day fails; the hour on top makes sure of it whatever clocks say. */
const unsubmittedSeconds = 25 * 3600;

export interface ProviderAddresses {
  media(task: Task, file: UploadName): string;
  hook(task: Pick<Task, 'id'>, route: number): string;
  /** Whether an address is `hook` of this task and route, from whatever public address and under any secret that is known. */
  isHook(url: string, task: Pick<Task, 'id'>, route: number): boolean;
}

/**
 * Addresses below the public one, the same for every attempt: links to uploads are good until the task's last deadline
 * and no longer than it is kept.
 */
export function providerAddresses({
  publicUrl,
  secrets,
}: {
  publicUrl: () => string;
  secrets: LinkKeys;
}): ProviderAddresses {
  return {
    media: (task, file) => {
      const deadlineMs = Math.max(...task.terms.routes.map((route) => route.deadlineMs));
      const from = task.dequeuedAt ?? task.createdAt;
      const seconds = Math.floor((from.getTime() + deadlineMs) / 1000) + unsubmittedSeconds;
      return `${publicUrl()}${signLink({ taskId: task.id, file, expiresAtSeconds: seconds }, secrets)}`;
    },
    hook: (task, route) => {
      const { first } = secrets;
      return `${publicUrl()}/hooks/${task.id}/${route}?k=${first.id}&s=${signature(task.id, String(route), first)}`;
    },
    isHook: (url, task, route) => {
      if (!URL.canParse(url)) return false;
      const { pathname, searchParams } = new URL(url);
      const isOfTask = pathname.endsWith(`/hooks/${task.id}/${route}`);
      const path = { taskId: task.id, route: String(route) };
      return isOfTask && isHookOfOurs(path, Object.fromEntries(searchParams), secrets);
    },
  };
}

/** Whether a call to a hook bears our signature. Takes the same time wherever a signature differs. */
export function isHookOfOurs(
  { taskId, route }: { taskId: string; route: string },
  query: Readonly<Record<string, unknown>>,
  keys: LinkKeys,
): boolean {
  const { k, s } = query;
  const key = keys.all.find(({ id }) => id === k);
  if (key === undefined || typeof s !== 'string') return false;
  const [given, expected] = [Buffer.from(s), Buffer.from(signature(taskId, route, key))];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const signature = (task: TaskId | string, route: string, { links }: LinkKeys['first']): string =>
  createHmac('sha256', links).update(`tollgate hook\n${task}\n${route}`).digest('base64url');
