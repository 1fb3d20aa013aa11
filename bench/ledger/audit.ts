/** How long the audit of a ledger takes as its users run it, and how much memory. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { program } from '../gateway.ts';
import { secret } from './databases.ts';

export interface Audited {
  seconds: number;
  peakMB: number;
  entries: number;
}

const failureSchema = z.object({ stdout: z.string() });
const reportSchema = z.object({ agrees: z.boolean(), looked: z.object({ entries: z.number() }) });

/** Runs the command; refuses a ledger that doesn't agree. */
export async function timeAudit(url: string, folder: string): Promise<Audited> {
  const env = { PATH: process.env['PATH'], DATABASE_URL: url, TOLLGATE_DATA_DIR: folder, TOLLGATE_SECRET: secret };
  const run = (...more: string[]) =>
    promisify(execFile)(process.execPath, [program, 'audit', '--json', '--no-temporal', ...more], {
      env,
      cwd: folder,
    });
  await run('--since', '2100-01-01T00:00:00Z'); // builds what is stale
  const startedAt = performance.now();
  const running = run();
  const watch = watchPeak(running.child.pid ?? 0);
  const stdout = await running
    .then(
      (ended) => ended.stdout,
      (error: unknown) => failureSchema.parse(error).stdout, // a disagreement ends it with 1, and is reported below
    )
    .finally(() => watch.stop());
  const seconds = (performance.now() - startedAt) / 1000;
  const { agrees, looked } = reportSchema.parse(JSON.parse(stdout));
  if (!agrees) throw new Error(stdout.slice(0, 2_000));
  return { seconds, entries: looked.entries, peakMB: watch.peakMB() };
}

/** Linux keeps the peak of a process's resident memory while it lives. */
function watchPeak(pid: number): { peakMB: () => number; stop: () => void } {
  let peakMB = 0;
  const timer = setInterval(() => {
    readFile(`/proc/${pid}/status`, 'utf8').then(
      (status) => (peakMB = Math.max(peakMB, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024)),
      () => undefined, // it has ended
    );
  }, 20);
  return { peakMB: () => peakMB, stop: () => clearInterval(timer) };
}
