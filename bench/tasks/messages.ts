/** The messages between the task benchmark and its own processes. */
import { z } from 'zod';

/** So many tasks, so many of them at a time. */
export const loadSchema = z.object({ tasks: z.number(), callers: z.number() });
export type TaskLoad = z.output<typeof loadSchema>;

export const loadResultSchema = z.object({
  /** From the first call to the last answer. */
  seconds: z.number(),
  /** Of each task, from the call to its answer. */
  timesMs: z.array(z.number()),
});
export type TaskLoadResult = z.output<typeof loadResultSchema>;

/** Runs a load: as many callers, each with one task after another. The first failure ends it. */
export async function runLoad({ tasks, callers }: TaskLoad, once: () => Promise<void>): Promise<TaskLoadResult> {
  const timesMs: number[] = [];
  let begun = 0;
  const startedAt = performance.now();
  const call = async () => {
    while (begun < tasks) {
      begun += 1;
      const calledAt = performance.now();
      await once();
      timesMs.push(performance.now() - calledAt);
    }
  };
  await Promise.all(Array.from({ length: Math.min(tasks, callers) }, call));
  return { seconds: (performance.now() - startedAt) / 1000, timesMs };
}

/** Serves loads that the parent process sends, until it ends this one. */
export function serveLoads(once: () => Promise<void>): void {
  process.on('message', (message) => {
    runLoad(loadSchema.parse(message), once).then(
      (result) => process.send?.(result),
      (error: unknown) => {
        process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
        process.exit(1);
      },
    );
  });
}
