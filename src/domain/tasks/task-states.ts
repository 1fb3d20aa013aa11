/** The life of a task as data: the kinds, the states and the moves between them. SQL carries the same guard. */
export const taskKinds = ['image', 'video', 'avatar_talk'] as const;
export type TaskKind = (typeof taskKinds)[number];

/** The moves a task may make. A state without moves is final: the transaction that reaches it also moves the money. */
export const taskMoves = {
  accepted: ['running', 'succeeded', 'failed', 'cancelled'],
  running: ['succeeded', 'failed', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
} as const satisfies Record<string, readonly string[]>;
export type TaskState = keyof typeof taskMoves;
export type FinalTaskState = 'succeeded' | 'failed' | 'cancelled';

export const taskStates = Object.keys(taskMoves) as TaskState[];
export const finalTaskStates = ['succeeded', 'failed', 'cancelled'] as const satisfies readonly FinalTaskState[];

export const isFinal = (state: TaskState): state is FinalTaskState => taskMoves[state].length === 0;
export const mayMove = (from: TaskState, to: TaskState): boolean =>
  (taskMoves[from] as readonly TaskState[]).includes(to);

/** Callers know three statuses and get no fourth: a cancelled task is a failed one with `error.code` `cancelled`. */
export function publicStatus(state: TaskState): 'processing' | 'succeeded' | 'failed' {
  if (state === 'succeeded') return 'succeeded';
  return isFinal(state) ? 'failed' : 'processing';
}

/** One stored file of a task's result: facts measured on the very bytes that were stored. */
export interface StoredFile {
  blobKey: string;
  mediaType: string;
  bytes: number;
  sha256: string;
  /** Of a video or audio file, rounded half up to the millisecond. */
  durationMs?: number;
  width?: number;
  height?: number;
}
