/** The floor's process: a client and a worker of bare workflows, which make and write the image that a task's simulator makes. */
import { randomUUID } from 'node:crypto';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { z } from 'zod';
import type { Job } from '../../src/providers/contract.ts';
import { createSimulator } from '../../src/simulator/simulator.ts';
import { imageRequest } from './callers.ts';
import type { BareActivities, bare } from './bare-workflow.ts';
import { serveLoads } from './messages.ts';

const optionsSchema = z.object({ TEMPORAL: z.string(), NAMESPACE: z.string(), FOLDER: z.string() });
const { TEMPORAL: address, NAMESPACE: namespace, FOLDER: folder } = optionsSchema.parse(process.env);
const queue = 'bare';

const simulator = createSimulator(
  {
    ...{ name: 'bare', kind: 'simulator', secrets: {}, numbers: {}, headers: {} },
    ...{ timeoutMs: 60_000, idleTimeoutMs: 60_000, deadlineMs: 60_000 },
  },
  { fetchFile: () => Promise.reject(new Error('nothing is fetched')), tempDir: folder },
);

const job: Job = {
  ...{ reference: 'tg-bench', kind: 'image', model: 'sim-image', options: {}, fields: {}, qualityScale: null },
  hookUrl: 'http://127.0.0.1/',
  input: {
    kind: 'image',
    request: {
      ...{ model: imageRequest.model, prompt: imageRequest.prompt, quality: 'medium', n: 1, imageUrls: [] },
      pixels: { mode: 'sized', width: 1024, height: 1024 },
    },
  },
};

const activities: BareActivities = {
  submit: () => Promise.resolve(),
  settle: () => Promise.resolve(),
  async makeAndWrite(path) {
    const signal = AbortSignal.timeout(60_000);
    const submission = await simulator.submit(job, signal);
    const answer = submission.outcome === 'accepted' ? await simulator.poll(submission.jobId, job, signal) : undefined;
    if (answer?.state !== 'succeeded' || !answer.parts[0]) throw new Error('no image');
    // As durable as a task's.
    const file = await open(path, 'wx');
    try {
      await writeFile(file, await answer.parts[0].open(signal));
      await file.sync();
      return (await file.stat()).size;
    } finally {
      await file.close();
    }
  },
};

await mkdir(folder, { recursive: true });
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  namespace,
  taskQueue: queue,
  workflowsPath: fileURLToPath(new URL('./bare-workflow.ts', import.meta.url)),
  activities,
});
void worker.run();
const client = new Client({ connection, namespace });
serveLoads(async () => {
  const args: [string] = [join(folder, randomUUID())];
  const bytes = await client.workflow.execute<typeof bare>('bare', {
    taskQueue: queue,
    workflowId: randomUUID(),
    args,
  });
  if (bytes < 1_000) throw new Error('the image is too small to be one');
});
process.send?.({ ready: true });
