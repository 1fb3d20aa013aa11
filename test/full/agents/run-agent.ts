/** Coding agents as processes: installed once below `.run`, and started each time in a new place with a file to fix. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Ended, Running, until } from '../../support/process.ts';
import { pythonWith } from '../../support/python.ts';
import type { Agent, ModelAccess } from './agent.ts';

/** Longer than any agent takes, also one that tries again for a minute before it says why, on a busy machine. */
const runMsMax = 240_000;

export interface AgentRun extends Ended {
  /** What the file holds in the end. */
  greeting: string;
}

/** Runs an agent to its end, or until it has printed `awaited`: some try again for minutes. Throws if it ends without. */
export async function runAgent(
  agent: Agent,
  access: ModelAccess,
  prompt: (greeting: string) => string,
  awaited?: RegExp,
): Promise<AgentRun> {
  const program = await programOf(agent);
  const folder = await mkdtemp(join(tmpdir(), `agent-${agent.name}-`));
  let running: Running | undefined;
  try {
    const [home, project] = [join(folder, 'home'), join(folder, 'project')];
    await Promise.all([mkdir(home), mkdir(project)]);
    const greeting = join(project, 'greeting.txt');
    await writeFile(greeting, 'Helo, world\n');
    const { args, env } = await agent.settle({ ...access, home, project, greeting }, prompt(greeting));
    const own = { PATH: process.env['PATH'], HOME: home, TMPDIR: folder };
    // Some programs are a script that starts the agent.
    running = new Running(program, args, { cwd: project, env: { ...own, ...env }, detached: true });
    await endOrWords(running, awaited);
    running.signal('SIGKILL');
    const ended = await running.ended;
    return { ...ended, greeting: await readFile(greeting, 'utf8') };
  } finally {
    running?.signal('SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function endOrWords(running: Running, awaited: RegExp | undefined): Promise<void> {
  let hasEnded = false;
  void running.ended.then(() => (hasEnded = true));
  const output = () => running.stdout + running.stderr;
  const isThere = () => {
    // Some break their lines where a terminal would.
    if (awaited?.test(output().replace(/\s+/g, ' '))) return true;
    if (hasEnded && awaited) throw new Error(`it ended without ${awaited}:\n${output()}`);
    return hasEnded ? true : undefined;
  };
  await until('the end of the agent', isThere, runMsMax).catch((error: unknown) => {
    throw new Error(`${String(error)}; it printed:\n${output()}`);
  });
}

/** The path of the agent's program. Several tests at once install it once. */
function programOf(agent: Agent): Promise<string> {
  const program = programs.get(agent.package) ?? installed(agent);
  programs.set(agent.package, program);
  return program;
}

const programs = new Map<string, Promise<string>>();

/** Installs it below .run at its first use. */
async function installed({ name, program, package: wanted }: Agent): Promise<string> {
  if (wanted.includes('==')) return join(await pythonWith(wanted), program);
  const all = join(import.meta.dirname, '..', '..', '..', '.run', 'agents');
  const version = wanted.slice(wanted.lastIndexOf('@') + 1);
  const folder = join(all, `${name}-${version}`);
  const path = join(folder, 'node_modules', '.bin', program);
  if (await stat(path).catch(() => undefined)) return path;
  await mkdir(all, { recursive: true });
  // It gets its name when it is whole, so that a broken installation is not taken for one.
  const made = await mkdtemp(join(all, `${name}-`));
  const args = ['install', '--prefix', made, '--no-save', '--no-audit', '--no-fund', '--loglevel=error', wanted];
  await promisify(execFile)('npm', args);
  await rename(made, folder).catch(async (error: unknown) => {
    // Another test has installed it meanwhile.
    if (!(await stat(path).catch(() => undefined))) throw error;
    await rm(made, { recursive: true, force: true });
  });
  return path;
}
