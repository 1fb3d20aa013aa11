/** The forms of Tollgate's ids. Making one takes time and randomness, so that lives in `postgres/new-ids.ts`. */
import type { TaskKind } from './tasks/task-states.ts';

export type AccountId = string & { readonly id: 'account' };
export type KeyId = string & { readonly id: 'key' };
export type FileId = string & { readonly id: 'file' };
export type TaskId = string & { readonly id: 'task' };
/** UUIDv7 of a transfer: one hold with its capture or release, or one credit. */
export type TransferId = string & { readonly id: 'transfer' };

export const taskIdPrefixes = { image: 'img_', video: 'vid_', avatar_talk: 'avt_' } as const satisfies Record<
  TaskKind,
  string
>;

/** What is handed to providers as our own reference of a task. */
export const providerReference = (task: TaskId): string => `tg-${task}`;
