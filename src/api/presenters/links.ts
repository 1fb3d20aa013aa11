/** Signed links to a task's files, made for every answer; equal answers of one hour have equal links. */
import type { TaskId } from '../../domain/ids.ts';
import { type FileLink, type LinkKeys, signLink } from '../../tasks/provider-calls/signed-links.ts';
import type { ShownTask } from '../../tasks/rows/task-list.ts';
import type { ApiDependencies } from '../dependencies.ts';

// Links are good for at least 24 hours; the hour on top makes sure of it whatever clocks say.
const linkSeconds = 25 * 3600;
// Their end is a full hour, so that answers to the same request can be compared.
const stepSeconds = 3600;

/** The addresses of a succeeded task's files; none once they were deleted. */
export function fileLinks(
  { secrets, publicUrl }: Pick<ApiDependencies, 'secrets' | 'publicUrl'>,
  task: ShownTask,
): string[] {
  if (task.removedAt || !task.files) return [];
  return task.files.map((_, file) => `${publicUrl()}${filePath(secrets, task.id, file)}`);
}

/** Where pages of the same origin find a file of a task, a result or an upload: path and signed query. */
export function filePath(secrets: LinkKeys, taskId: TaskId, file: FileLink['file']): string {
  const expiresAtSeconds = Math.ceil((Date.now() / 1000 + linkSeconds) / stepSeconds) * stepSeconds;
  return signLink({ taskId, file, expiresAtSeconds }, secrets);
}
