/** Signed links to a task's files, made afresh for every answer. */
import { signLink } from '../../storage/links.ts';
import type { Task } from '../../storage/tasks.ts';
import type { ApiDependencies } from '../dependencies.ts';

// Links are good for at least 24 hours; the hour on top makes sure of it whatever clocks say.
const link_seconds = 25 * 3600;

/** The addresses of a succeeded task's files; none once they were deleted. */
export function fileLinks(
  { secrets, publicUrl }: Pick<ApiDependencies, 'secrets' | 'publicUrl'>,
  task: Task,
): string[] {
  if (task.removedAt || !task.files) return [];
  const expiresAtSeconds = Math.floor(Date.now() / 1000) + link_seconds;
  return task.files.map(
    (_, index) => `${publicUrl()}${signLink({ taskId: task.id, index, expiresAtSeconds }, secrets)}`,
  );
}
