/** One task as the API gives it. */
import type { Answer } from '../../api/client.ts';

export type TaskPage = Answer<'getTask'>;
export type StoredFile = TaskPage['files'][number];
export type TimelineStep = TaskPage['course'][number];
export type TaskRequest = NonNullable<TaskPage['request']>;
