/** The benchmark's own processes: each is forked, says when it is ready, and ends with the process that started it. */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { z } from 'zod';
import { end, nextMessage } from '../children.ts';
import { type Load, type LoadResult, loadResultSchema } from './load-messages.ts';

export interface Server {
  url: string;
  pid: number;
  stop: () => Promise<void>;
}

const root = join(import.meta.dirname, '..', '..');
const readySchema = z.object({ url: z.string() });
const typescript = ['--import', 'tsx'];

/** Starts the upstream. */
export const startMock = (): Promise<Server> => startServer(join(import.meta.dirname, 'mock.ts'), typescript, {});

/**
 * Starts the floor in front of an upstream. It runs as plain JavaScript, as the gateway does: a TypeScript loader in the
 * process would make the floor look dearer than it is. Without a Node of its own it has the benchmark's.
 */
export async function startFloor(upstream: string, node?: string): Promise<Server> {
  const source = await readFile(join(import.meta.dirname, 'floor.ts'), 'utf8');
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  });
  const folder = join(root, '.run', 'bench');
  await mkdir(folder, { recursive: true });
  const file = join(folder, `floor-${randomUUID()}.mjs`);
  await writeFile(file, outputText);
  const server = await startServer(file, [], { UPSTREAM: upstream, NODE_ENV: 'production' }, node);
  return { ...server, stop: () => server.stop().then(() => rm(file, { force: true })) };
}

export interface LoadGenerator {
  run(load: Load): Promise<LoadResult>;
  stop: () => Promise<void>;
}

/** Starts the load generator. */
export function startLoad(): LoadGenerator {
  const child = fork(join(import.meta.dirname, 'load.ts'), { cwd: root, execArgv: typescript });
  return {
    run: async (load) => {
      child.send(load);
      return loadResultSchema.parse(await nextMessage(child));
    },
    stop: () => end(child),
  };
}

async function startServer(
  file: string,
  execArgv: string[],
  env: NodeJS.ProcessEnv,
  execPath = process.execPath,
): Promise<Server> {
  const child = fork(file, { cwd: root, execPath, execArgv, env: { ...process.env, ...env } });
  const { url } = readySchema.parse(await nextMessage(child));
  return { url, pid: child.pid ?? 0, stop: () => end(child) };
}
