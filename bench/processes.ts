/**
 * CPU time and memory of a tree of processes, from Linux's /proc. A process's time is its own and that of children that
 * ended: so the sum over a tree never loses what was forked and has ended between two looks, such as a PostgreSQL back end.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** What belongs to a target: its own process, its PostgreSQL, and whatever else it started. */
export const parts = ['own', 'postgres', 'rest'] as const;
export type Part = (typeof parts)[number];

/** Milliseconds of user and system time. */
export type CpuTimes = Record<Part, number>;

/** /proc counts in ticks of 10 ms on every Linux (USER_HZ is 100, whatever the kernel's own clock). */
const msPerTick = 10;

/** Raises an error in plain words where there is no /proc to read. */
export function checkSystem(): void {
  if (process.platform === 'linux' && existsSync('/proc/self/stat')) return;
  throw new Error('This benchmark counts CPU time in /proc, so it needs Linux.');
}

/** What the tree below a process has used by now. */
export function cpuTimes(root: number): CpuTimes {
  const times = { own: 0, postgres: 0, rest: 0 };
  for (const { pid, command, ownMs, endedChildrenMs } of processTree(root)) {
    const part = pid === root ? 'own' : command === 'postgres' ? 'postgres' : 'rest';
    times[part] += ownMs;
    times[part === 'own' ? 'rest' : part] += endedChildrenMs;
  }
  return times;
}

/** What was used between two looks. */
export function cpuBetween(before: CpuTimes, after: CpuTimes): CpuTimes {
  return {
    own: after.own - before.own,
    postgres: after.postgres - before.postgres,
    rest: after.rest - before.rest,
  };
}

/** The sum over the named parts. */
export const sumOf = (times: CpuTimes, counted: readonly Part[] = parts): number =>
  counted.reduce((sum, part) => sum + times[part], 0);

/**
 * MB in memory of a process, or of the tree below it. Pages that processes of one program share (PostgreSQL's buffers,
 * its code) count once, with the process that has most of them.
 */
export function residentMB(root: number, counted: readonly Part[] = parts): number {
  let privateKB = 0;
  const sharedKB = new Map<string, number>();
  for (const { pid, command } of processTree(root)) {
    const part = pid === root ? 'own' : command === 'postgres' ? 'postgres' : 'rest';
    if (!counted.includes(part)) continue;
    const status = textOf(`/proc/${pid}/status`);
    const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
    privateKB += field('RssAnon');
    sharedKB.set(command, Math.max(sharedKB.get(command) ?? 0, field('RssFile') + field('RssShmem')));
  }
  return [...sharedKB.values()].reduce((sum, kB) => sum + kB, privateKB) / 1024;
}

/** Milliseconds that all processors together have worked since the machine started. */
export function machineMs(): number {
  const [, user, nice, system, , , interrupts, softInterrupts, stolen] = textOf('/proc/stat').split(/\s+/, 9);
  return [user, nice, system, interrupts, softInterrupts, stolen].reduce((sum, ticks) => sum + msOf(ticks), 0);
}

/** How many files a process that is started from here may have open. */
export function openFilesMax(): number {
  const limit = /^Max open files\s+(\S+)/m.exec(textOf('/proc/self/limits'))?.[1];
  return limit === undefined || limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit);
}

interface ProcessTimes {
  pid: number;
  parent: number;
  command: string;
  ownMs: number;
  endedChildrenMs: number;
}

function processTree(root: number): ProcessTimes[] {
  const children = new Map<number, ProcessTimes[]>();
  let self: ProcessTimes | undefined;
  for (const name of readdirSync('/proc')) {
    const found = /^\d+$/.test(name) ? timesOf(Number(name)) : undefined;
    if (!found) continue;
    if (found.pid === root) self = found;
    const siblings = children.get(found.parent);
    if (siblings) siblings.push(found);
    else children.set(found.parent, [found]);
  }
  const tree = self ? [self] : [];
  for (const { pid } of tree) tree.push(...(children.get(pid) ?? [])); // grows while it is walked
  return tree;
}

/** The fields of `/proc/PID/stat`; the command's name is in brackets and may hold anything. */
function timesOf(pid: number): ProcessTimes | undefined {
  const text = textOf(`/proc/${pid}/stat`);
  const [nameStart, nameEnd] = [text.indexOf('('), text.lastIndexOf(')')];
  if (nameEnd === -1) return undefined;
  const fields = text.slice(nameEnd + 2).split(' ');
  return {
    pid,
    parent: Number(fields[1]),
    command: text.slice(nameStart + 1, nameEnd),
    ownMs: msOf(fields[11]) + msOf(fields[12]),
    endedChildrenMs: msOf(fields[13]) + msOf(fields[14]),
  };
}

const msOf = (ticks: string | undefined): number => Number(ticks ?? 0) * msPerTick;

/** Empty for a process that ended meanwhile. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ESRCH') return '';
    throw error;
  }
}
