/** The built program as its users run it: real processes on a data folder of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startOptions } from '../../bench/start-options.ts';
import { processesMentioning } from '../../src/embedded/processes.ts';
import { fromTestRun } from './database.ts';

/** The built `tollgate`. */
export const program = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js');
const waitMsMax = 60_000;

export type Environment = Record<string, string | undefined>;

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A program that was started; its output is collected. */
export class Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';
  readonly #isGroup: boolean;
  #hasEnded = false;

  /** `uid` and `gid` run it as another user, which root may. `detached`: signals reach what it starts, too. */
  constructor(
    command: string,
    args: readonly string[],
    options: { cwd: string; env: Environment; uid?: number; gid?: number; detached?: boolean },
  ) {
    this.#isGroup = options.detached === true;
    this.child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.ended = new Promise((resolve, reject) => {
      this.child.once('error', reject);
      this.child.once('close', (code) => {
        this.#hasEnded = true;
        resolve({ code, stdout: this.stdout, stderr: this.stderr });
      });
    });
  }

  /** What the first match of a pattern captures in what was printed, once it is there; fails if the program ends first. */
  async printed(pattern: RegExp, msMax?: number): Promise<string> {
    let ended = false;
    void this.ended.then(() => (ended = true));
    const look = () => {
      const match = pattern.exec(this.stdout + this.stderr);
      if (!match && ended) throw new Error(`it ended without ${pattern}:\n${this.stdout}${this.stderr}`);
      return match ?? undefined;
    };
    const reported = await until(`${pattern} in the output`, look, msMax);
    return reported[1] ?? reported[0];
  }

  signal(name: NodeJS.Signals): void {
    const { pid } = this.child;
    if (!this.#isGroup) this.child.kill(name);
    else if (!this.#hasEnded && pid !== undefined) kill(-pid, name);
  }
}

/** A data folder, and a place to work in beside it; both end with the test, and every server that works on them. */
export class Installation {
  readonly folder: string;
  readonly dataDir: string;
  /** The environment of every command here, besides what all installations have. */
  readonly settings: Environment;
  readonly #running = new Set<Running>();

  constructor(folder: string, env: Environment) {
    this.folder = folder;
    this.dataDir = join(folder, 'data');
    this.settings = env;
  }

  /** `name` ends the folder's name, to see what signs in it do. */
  static async make(env: Environment = {}, name = ''): Promise<Installation> {
    return new Installation(await mkdtemp(join(tmpdir(), `tollgate-cli-${name}`)), env);
  }

  environment(env: Environment = {}): Environment {
    const own = Object.entries(process.env).filter(([name]) => !/^(TOLLGATE_|TEMPORAL_|S3_|DATABASE_URL)/.test(name));
    return {
      ...Object.fromEntries(own),
      PORT: '0',
      TOLLGATE_NOTICE_SECONDS: '0',
      TOLLGATE_DATA_DIR: this.dataDir,
      TEMPORAL_CLI_PATH: fromTestRun('TEMPORAL_CLI'),
      ...this.settings,
      ...env,
    };
  }

  /** Starts `tollgate` with these arguments. */
  spawn(args: readonly string[], env: Environment = {}): Running {
    return this.#kept(new Running(process.execPath, [...startOptions, program, ...args], this.#place(env)));
  }

  /** Runs a script of bash lines to its end. */
  bash(lines: string, env: Environment = {}): Promise<Ended> {
    return this.#kept(new Running('bash', ['-c', lines], this.#place(env))).ended;
  }

  /** Runs `tollgate` to its end. */
  run(args: readonly string[], env: Environment = {}): Promise<Ended> {
    return this.spawn(args, env).ended;
  }

  /** Runs a command with `--json` and answers the object that it prints. */
  async json(...args: string[]): Promise<Record<string, unknown>> {
    const { code, stdout, stderr } = await this.run([...args, '--json']);
    if (code !== 0) throw new Error(`tollgate ${args.join(' ')} exited with ${code}: ${stderr}`);
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  /** `tollgate start`, once it has greeted and is ready. */
  async start(env: Environment = {}): Promise<Gateway> {
    const startedAt = performance.now();
    const running = this.spawn(['start'], env);
    const url = await running.printed(/^Tollgate +(http:\/\/\S+)$/m);
    await running.printed(/Stop with Ctrl-C/);
    await ready(url);
    const [key] = /\bsk-tg-[\w-]+/.exec(running.stdout) ?? [];
    return { running, url, key, seconds: (performance.now() - startedAt) / 1000 };
  }

  /** The servers that work on this folder now. */
  async servers(): Promise<{ pid: number; commandLine: string }[]> {
    return processesMentioning(this.folder);
  }

  #place(env: Environment) {
    return { cwd: this.folder, env: this.environment(env) };
  }

  #kept(running: Running): Running {
    this.#running.add(running);
    const ended = () => this.#running.delete(running);
    running.ended.then(ended, ended);
    return running;
  }

  /** Ends whatever is left on this folder and removes it. */
  async remove(): Promise<void> {
    const left = [...this.#running];
    for (const running of left) running.signal('SIGKILL'); // first, or they would start their servers again
    await Promise.allSettled(left.map(({ ended }) => ended));
    for (const { pid } of await this.servers()) kill(pid, 'SIGKILL');
    await until('the end of all servers', async () => ((await this.servers()).length === 0 ? true : undefined));
    await rm(this.folder, { recursive: true, force: true });
  }
}

export interface Gateway {
  running: Running;
  url: string;
  /** Printed at the first start only. */
  key: string | undefined;
  /** From the command to `/readyz` 200. */
  seconds: number;
}

/** Waits for `/readyz` 200. */
export async function ready(url: string, msMax?: number): Promise<void> {
  const ask = async () => {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    return answer?.status === 200 ? true : undefined;
  };
  await until(`${url}/readyz 200`, ask, msMax);
}

/** Asks again and again until there is an answer; fails after a minute, if no other time is named. */
export async function until<T>(
  what: string,
  ask: () => T | undefined | Promise<T | undefined>,
  msMax = waitMsMax,
): Promise<T> {
  for (const startedAt = performance.now(); ;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() - startedAt > msMax) throw new Error(`waited ${msMax / 1000} s for ${what}`);
    await pause(50);
  }
}

/** Signals a process, or a group by its negative id, that may have ended already. */
export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
