/** The benchmark's own processes: the client, and the floor with a folder for its files. */
import { fork } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { z } from 'zod';
import { end, nextMessage } from '../children.ts';
import { startOptions } from '../start-options.ts';
import { root } from '../report.ts';
import { type Order, type Outcome, outcomeSchema } from './messages.ts';

export interface Client {
  run(order: Order): Promise<Outcome>;
  stop: () => Promise<void>;
}

export async function startClient(): Promise<Client> {
  const child = fork(join(import.meta.dirname, 'client.ts'), { cwd: root, execArgv: ['--import', 'tsx'] });
  await nextMessage(child);
  return {
    run: async (order) => {
      child.send(order);
      return outcomeSchema.parse(await nextMessage(child));
    },
    stop: () => end(child),
  };
}

export interface Floor {
  url: string;
  pid: number;
  stop: () => Promise<void>;
}

const readySchema = z.object({ url: z.string() });

/** With a file of so many bytes to be fetched. As plain JavaScript, as the gateway runs: a loader would take its share. */
export async function startFloor(fileBytes: number): Promise<Floor> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-bench-'));
  const source = await readFile(join(import.meta.dirname, 'floor.ts'), 'utf8');
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  });
  const program = join(folder, 'floor.mjs');
  await writeFile(program, outputText);
  await writeFile(join(folder, 'file'), pieces(fileBytes));
  const child = fork(program, {
    cwd: root,
    execArgv: startOptions,
    env: { ...process.env, FOLDER: folder, NODE_ENV: 'production' },
  });
  const { url } = readySchema.parse(await nextMessage(child));
  return { url, pid: child.pid ?? 0, stop: () => end(child).then(() => rm(folder, { recursive: true, force: true })) };
}

const piece = Buffer.alloc(256 * 1024, 'a video ');

/** A file of so many bytes. */
export function* pieces(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= piece.length) yield piece.subarray(0, Math.min(left, piece.length));
}
