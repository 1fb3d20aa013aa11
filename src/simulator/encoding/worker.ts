/** The encoding thread: takes one task at a time and answers whether its file was written. */
import { parentPort } from 'node:worker_threads';
import { UnusableInput, type EncodeTask, type TaskInput } from './tasks.ts';

export type WorkerAnswer =
  | { outcome: 'written' }
  | { outcome: 'unusable'; input: TaskInput; message: string }
  | { outcome: 'failed'; message: string };

parentPort?.on('message', (task: EncodeTask) => {
  run(task).then(
    () => answer({ outcome: 'written' }),
    (error: unknown) => {
      if (error instanceof UnusableInput) answer({ outcome: 'unusable', input: error.input, message: error.message });
      else
        answer({ outcome: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    },
  );
});

/** Loads what the task needs and no more: an image in 8k shall not pay for the memory of a video encoder. */
async function run(task: EncodeTask): Promise<void> {
  switch (task.kind) {
    case 'video':
      return (await import('./video.ts')).makeVideo(task);
    case 'avatar':
      return (await import('./avatar.ts')).makeAvatar(task);
    case 'upscale':
      return (await import('./upscale.ts')).upscale(task);
    case 'edit':
      return (await import('./edit.ts')).makeEdit(task);
    default:
      return task satisfies never;
  }
}

function answer(message: WorkerAnswer): void {
  parentPort?.postMessage(message);
}
