/** The processes of this benchmark besides the gateway: its provider and its callers. */
import { fork } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { makeVideo } from '../../src/simulator/encoding/video.ts';
import { end, nextMessage } from '../children.ts';
import type { MeasuredGateway } from '../gateway.ts';
import { root } from '../report.ts';
import {
  type Counts,
  countsSchema,
  type Created,
  createdSchema,
  type Creation,
  failureSchema,
  type Order,
  progressSchema,
  reportSchema,
  type SeenJob,
} from './messages.ts';

const readySchema = z.object({ url: z.string() });
const fromCallers = z.union([createdSchema, progressSchema, failureSchema]);

export interface Provider {
  url: string;
  /** Has all jobs that it has end over this time. */
  end(overMs: number): Promise<Counts>;
  count(): Promise<Counts>;
  /** All jobs in the order in which they were created. */
  report(): Promise<SeenJob[]>;
  stop: () => Promise<void>;
}

/** Makes the video that it answers with, and starts it. */
export async function startProvider(): Promise<Provider> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-bench-video-'));
  try {
    const video = join(folder, 'video.mp4');
    const card = { prompt: 'A video', top: 'bench', bottom: '160x96' };
    await makeVideo({
      kind: 'video',
      width: 160,
      height: 96,
      durationMs: 1_000,
      hasAudio: false,
      card,
      outputPath: video,
    });
    const child = forked('provider.ts', { VIDEO: video });
    const { url } = readySchema.parse(await nextMessage(child));
    const ask = (order: Order): Promise<unknown> => {
      child.send(order);
      return nextMessage(child);
    };
    return {
      url,
      end: async (overMs) => countsSchema.parse(await ask({ order: 'end', overMs })),
      count: async () => countsSchema.parse(await ask({ order: 'count' })),
      report: async () => reportSchema.parse(await ask({ order: 'report' })),
      stop: () => end(child),
    };
  } finally {
    await rm(folder, { recursive: true, force: true }); // it has read the video
  }
}

/** What a phase works with. */
export interface Parts {
  gateway: MeasuredGateway;
  provider: Provider;
  callers: Callers;
}

export interface Callers {
  /** Creates tasks, and reports meanwhile how many were accepted. */
  create(creation: Creation, onProgress?: (accepted: number) => void): Promise<Created>;
  stop: () => Promise<void>;
}

/** Starts the callers. */
export function startCallers(): Callers {
  const child = forked('callers.ts', {});
  return {
    create: (creation, onProgress = () => undefined) =>
      new Promise((resolve, reject) => {
        const over = () => child.off('message', hear).off('exit', ended);
        const ended = () => reject(new Error('the callers have ended'));
        const hear = (message: unknown) => {
          const { data, error } = fromCallers.safeParse(message);
          if (data && 'accepted' in data) {
            onProgress(data.accepted);
            return;
          }
          over();
          if (!data) reject(error);
          else if ('failure' in data) reject(new Error(data.failure));
          else resolve(data);
        };
        child.on('message', hear).once('exit', ended);
        child.send(creation);
      }),
    stop: () => end(child),
  };
}

function forked(file: string, env: NodeJS.ProcessEnv) {
  return fork(join(import.meta.dirname, file), {
    cwd: root,
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, ...env },
  });
}
