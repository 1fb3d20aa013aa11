/** Starts the process that admits. */
import { fork } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { end, nextMessage } from '../children.ts';
import { startOptions } from '../start-options.ts';
import { root } from '../report.ts';
import { type Load, type LoadResult, loadResultSchema } from './load-messages.ts';

export interface LoadProcess {
  run(load: Load): Promise<LoadResult>;
  stop(): Promise<void>;
}

/**
 * It runs as plain JavaScript with the gateway's own V8 settings, as the product does: a TypeScript loader in the process
 * would make the product look dearer than it is. BENCH_LOAD_FLAGS has more flags of Node for it, such as --cpu-prof.
 */
export async function startLoadProcess(): Promise<LoadProcess> {
  await mkdir(join(root, '.run', 'bench'), { recursive: true });
  const folder = await mkdtemp(join(root, '.run', 'bench', 'ledger-'));
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: join(import.meta.dirname, 'load.ts'),
      outDir: folder,
      minify: false,
      rolldownOptions: { output: { entryFileNames: 'load.mjs' } },
    },
  });
  const child = fork(join(folder, 'load.mjs'), {
    cwd: root,
    execArgv: [...startOptions, ...(process.env['BENCH_LOAD_FLAGS']?.split(' ') ?? [])],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  return {
    async run(load) {
      child.send(load);
      return loadResultSchema.parse(await nextMessage(child));
    },
    async stop() {
      await end(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
