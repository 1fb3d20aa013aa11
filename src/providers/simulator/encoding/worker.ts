/** The encoding thread: takes one task at a time and answers whether its file was written. */
import { parentPort } from 'node:worker_threads';
import { Logging, LogLevel } from 'mediabunny';
import { makeAvatar } from './avatar.ts';
import { UnusableInput, type EncodeTask, type TaskInput } from './tasks.ts';
import { upscale } from './upscale.ts';
import { makeVideo } from './video.ts';

export type WorkerAnswer =
  | { outcome: 'written' }
  | { outcome: 'unusable'; input: TaskInput; message: string }
  | { outcome: 'failed'; message: string };

// What it would print about odd files is told to the caller instead.
Logging.level = LogLevel.Silent;

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

function run(task: EncodeTask): Promise<void> {
  switch (task.kind) {
    case 'video':
      return makeVideo(task);
    case 'avatar':
      return makeAvatar(task);
    case 'upscale':
      return upscale(task);
    default:
      return task satisfies never;
  }
}

function answer(message: WorkerAnswer): void {
  parentPort?.postMessage(message);
}
