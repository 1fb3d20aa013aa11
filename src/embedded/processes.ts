/** What the operating system says about a process: is it there, since when, and with which command line. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A process as it was when asked. Pid and start together name one process for good; a pid alone is used again. */
export interface ProcessFacts {
  pid: number;
  /** Linux: clock ticks since boot, field 22 of /proc/<pid>/stat. Elsewhere: what `ps -o lstart` prints. */
  startedAt: string;
  /** The arguments, joined with one space. */
  commandLine: string;
}

/** Looks a process up. A zombie has ended and counts as not there, like a pid that no process has. */
export async function processFacts(pid: number): Promise<ProcessFacts | undefined> {
  return process.platform === 'linux' ? factsFromProc(pid) : factsFromPs(pid);
}

/** Whether this very process (not a later one with its pid) still runs. */
export async function isAlive(known: ProcessFacts): Promise<boolean> {
  const now = await processFacts(known.pid);
  return now?.startedAt === known.startedAt;
}

/** Running processes whose command line contains the text. */
export async function processesMentioning(text: string): Promise<ProcessFacts[]> {
  const facts = await Promise.all((await allPids()).map((pid) => processFacts(pid)));
  return facts.filter((one) => one !== undefined).filter((one) => one.commandLine.includes(text));
}

/**
 * Resolves once the process has ended. For processes that are not our children, whose end causes no event here.
 * An aborted signal ends the watch with an AbortError.
 */
export async function processEnd(known: ProcessFacts, signal?: AbortSignal): Promise<void> {
  // 100 ms: two small reads of /proc, 0.1 ms of work; a restart is noticed before a client's first retry.
  while (await isAlive(known)) await sleep(100, undefined, { ref: false, ...(signal ? { signal } : {}) });
}

/** A signal, and how long the process may take to obey it before the next one is sent. */
export interface EndingStep {
  signal: NodeJS.Signals;
  waitMs: number;
}

/**
 * Ends a process by the given signals, one after the other, and resolves when it has ended.
 * Raises an error if it outlives the last one. Never signals a later process that got the same pid.
 */
export async function endProcess(known: ProcessFacts, steps: readonly EndingStep[]): Promise<void> {
  for (const { signal, waitMs } of steps) {
    if (!(await isAlive(known))) return;
    sendSignal(known.pid, signal);
    const deadline = performance.now() + waitMs;
    while (performance.now() < deadline) {
      if (!(await isAlive(known))) return;
      await sleep(20);
    }
  }
  if (await isAlive(known)) throw new Error(`Process ${known.pid} does not exit.`);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error; // gone in the meantime: what we wanted
  }
}

/** The system's code (`ENOENT`) or SQLSTATE of an error, if it has one. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

async function factsFromProc(pid: number): Promise<ProcessFacts | undefined> {
  try {
    const [stat, commandLine] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile(`/proc/${pid}/cmdline`, 'utf8'),
    ]);
    // proc(5): the name, in parentheses, may itself hold spaces and parentheses; what follows is counted from field 3.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startedAt] = [fields[0], fields[19]];
    if (state === undefined || startedAt === undefined || 'ZXx'.includes(state)) return undefined;
    return { pid, startedAt, commandLine: commandLine.split('\0').join(' ') };
  } catch (error) {
    // EACCES, EPERM: another user's process where /proc hides these; not one of ours.
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

async function factsFromPs(pid: number): Promise<ProcessFacts | undefined> {
  try {
    const { stdout } = await run('ps', ['-ww', '-p', String(pid), '-o', 'stat=', '-o', 'lstart=', '-o', 'command=']);
    // "Ss   Sat Nov 21 11:26:03 2026 /usr/bin/postgres -D …": the date has five words.
    const match = /^\s*(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/m.exec(stdout);
    const [, state, startedAt, commandLine] = match ?? [];
    if (state === undefined || startedAt === undefined || commandLine === undefined || state.startsWith('Z'))
      return undefined;
    return { pid, startedAt, commandLine: `${commandLine} ` };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 1) return undefined; // ps: no such process
    throw error;
  }
}

async function allPids(): Promise<number[]> {
  if (process.platform === 'linux') return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const { stdout } = await run('ps', ['-ax', '-o', 'pid=']);
  return stdout
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0);
}
