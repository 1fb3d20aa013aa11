/** One role's start beside a gateway that runs, whose servers it uses: `tollgate api`, `tollgate worker`. */
import { spawn } from 'node:child_process';
import { end } from '../children.ts';
import { program, startEnvironment } from '../gateway.ts';
import { startOptions } from '../start-options.ts';
import { cpuTimes, sumOf } from '../processes.ts';
import { root } from '../report.ts';
import { becomesReady } from './npm-start.ts';

export const roles = ['api', 'worker'] as const;
export type Role = (typeof roles)[number];

export interface RoleStarted {
  role: Role;
  /** From the command to `/readyz` 200. */
  readyMs: number;
  cpuMs: number;
  /** From SIGTERM to the end, without a notice before it. */
  endMs: number;
}

export async function roleStart(
  role: Role,
  { dataDir, port }: { dataDir: string; port: number },
  signal: AbortSignal,
): Promise<RoleStarted> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...startOptions, program, role], {
    cwd: root,
    env: {
      ...startEnvironment(),
      ...{ TOLLGATE_DATA_DIR: dataDir, TOLLGATE_NOTICE_SECONDS: '0', LOG_LEVEL: 'error' },
      ...(role === 'api' ? { PORT: String(port) } : { TOLLGATE_WORKER_PORT: String(port) }),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    await becomesReady(`http://127.0.0.1:${port}/readyz`, { hasEnded, signal });
    const readyMs = performance.now() - startedAt;
    const cpuMs = sumOf(cpuTimes(child.pid ?? 0));
    const askedAt = performance.now();
    await end(child);
    return { role, readyMs, cpuMs, endMs: performance.now() - askedAt };
  } finally {
    await end(child);
  }
}
