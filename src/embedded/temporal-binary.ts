/** Where the Temporal CLI, which contains the dev server, comes from: found, fetched, or built once and kept. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, chmod, constants, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { processFacts } from './processes.ts';

const run = promisify(execFile);

/** Server 1.29.1, UI 2.42.1. Later tags can't be installed by `go install`: their go.mod has `replace` lines. */
const cliVersion = '1.5.1';
export const cliPackage = `github.com/temporalio/cli/cmd/temporal@v${cliVersion}`;
/** The first server with fair task queues (`matching.enableFairness`), which providers' queues rely on. */
const serverVersionMin = [1, 29] as const;
const downloadTimeoutMs = 180_000;
const buildTimeoutMs = 30 * 60_000;
const progressIntervalMs = 15_000;

export interface TemporalSearch {
  /** TEMPORAL_CLI_PATH. */
  cliPath?: string | undefined;
  /** Called with a line about each step that takes long. */
  say: (line: string) => void;
  env?: NodeJS.ProcessEnv;
}

/**
 * The path of a Temporal CLI that runs: `cliPath`, `temporal` on the PATH, the one kept in the cache folder, the SDK's own
 * download, or one built with Go (2 to 3 minutes), in this order. Raises an error that names the ways out if there is none.
 */
export async function findTemporal({ cliPath, say, env = process.env }: TemporalSearch): Promise<string> {
  if (cliPath !== undefined && cliPath !== '') return checkNamedCli(cliPath);
  const onPath = await fromPath(env, say);
  if (onPath !== undefined) return onPath;
  const folder = join(cacheFolder(env), 'tollgate', `temporal-${cliVersion}`);
  const kept = join(folder, 'temporal');
  if (await serverVersion(kept)) return kept;

  await mkdir(folder, { recursive: true });
  await removeLeftovers(folder);
  const aside = join(folder, `new-${process.pid}-${randomBytes(4).toString('hex')}`);
  const failures: string[] = [];
  try {
    for (const make of [download, build]) {
      await mkdir(aside, { recursive: true });
      try {
        await keep(await make(aside, say, env), kept);
        return kept;
      } catch (error) {
        failures.push(`${make.name}: ${firstLine(error)}`);
      }
      await rm(aside, { recursive: true, force: true });
    }
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  throw new Error(
    [
      'No Temporal server was found on this machine, and none could be installed:',
      ...failures.map((failure) => `  ${failure}`),
    ]
      .concat(
        'Install Go or the Temporal CLI, or set TEMPORAL_CLI_PATH to a Temporal CLI or TEMPORAL_ADDRESS to a running server.',
      )
      .join('\n'),
  );
}

/** What the CLI says about itself, such as "temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)". */
export async function temporalVersion(path: string): Promise<string> {
  const { stdout } = await run(path, ['--version'], { timeout: 30_000 });
  return stdout.trim();
}

async function checkNamedCli(cliPath: string): Promise<string> {
  if (!(await isExecutable(cliPath))) throw new Error(`TEMPORAL_CLI_PATH is "${cliPath}", which is not executable.`);
  if (!(await serverVersion(cliPath)))
    throw new Error(`TEMPORAL_CLI_PATH is "${cliPath}", which is not a Temporal CLI with a dev server.`);
  return cliPath;
}

async function fromPath(env: NodeJS.ProcessEnv, say: TemporalSearch['say']): Promise<string | undefined> {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, 'temporal');
    if (folder === '' || !(await isExecutable(path))) continue;
    const version = await serverVersion(path);
    if (version && isRecent(version)) return path;
    say(
      `Skipping ${path}: its server is ${version ? `${version.join('.')}, older than ${serverVersionMin.join('.')}` : 'missing'}.`,
    );
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Major and minor version of the server inside; undefined if this is not a Temporal CLI that runs. */
async function serverVersion(path: string): Promise<[number, number] | undefined> {
  try {
    const [, major, minor] = /\(Server (\d+)\.(\d+)/.exec(await temporalVersion(path)) ?? [];
    return major === undefined || minor === undefined ? undefined : [Number(major), Number(minor)];
  } catch {
    return undefined;
  }
}

function isRecent([major, minor]: [number, number]): boolean {
  return major > serverVersionMin[0] || (major === serverVersionMin[0] && minor >= serverVersionMin[1]);
}

function cacheFolder(env: NodeJS.ProcessEnv): string {
  const folder = env['XDG_CACHE_HOME'];
  return folder !== undefined && folder !== '' ? folder : join(homedir(), '.cache');
}

/** The SDK fetches the CLI and starts a server. In a process of its own, because its download can't be called off. */
async function download(folder: string, say: TemporalSearch['say'], env: NodeJS.ProcessEnv): Promise<string> {
  say('Downloading a Temporal server (only once) ...');
  const script = `
    const { TestWorkflowEnvironment } = await import(process.argv[1]);
    const executable = { type: 'cached-download', version: 'v${cliVersion}', downloadDir: process.argv[2] };
    const environment = await TestWorkflowEnvironment.createLocal({ server: { executable, log: { format: 'json', level: 'never' } } });
    await environment.teardown();`;
  const args = ['--input-type=module', '--eval', script, import.meta.resolve('@temporalio/testing'), folder];
  await run(process.execPath, args, { timeout: downloadTimeoutMs, killSignal: 'SIGKILL', env });
  for (const name of await readdir(folder, { recursive: true })) {
    if (await isExecutable(join(folder, name))) return join(folder, name);
  }
  throw new Error('the download contained no executable.');
}

async function build(folder: string, say: TemporalSearch['say'], env: NodeJS.ProcessEnv): Promise<string> {
  try {
    await run('go', ['version'], { env, timeout: 30_000 });
  } catch (error) {
    throw new Error('Go is not installed.', { cause: error });
  }
  say('Building a Temporal server with Go (only once, 2 to 3 minutes on two cores) ...');
  const start = performance.now();
  const progress = setInterval(() => {
    say(`Building a Temporal server with Go: ${Math.round((performance.now() - start) / 1000)} s so far ...`);
  }, progressIntervalMs);
  try {
    // Without cgo, as its makers build it: no C compiler has to be there.
    const environment = { ...env, GOBIN: folder, CGO_ENABLED: '0' };
    await run('go', ['install', '-ldflags=-s -w', cliPackage], {
      env: environment,
      timeout: buildTimeoutMs,
      maxBuffer: 16 * 1024 * 1024,
    });
  } finally {
    clearInterval(progress);
  }
  return join(folder, 'temporal');
}

/** What downloads and builds that were killed half-way left. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const maker = /^new-(\d+)-/.exec(name)?.[1];
    if (maker === undefined || (await processFacts(Number(maker)))) continue;
    await rm(join(folder, name), { recursive: true, force: true });
  }
}

/** Moves a program that was tried to its place in one step, so that no process ever finds half of it there. */
async function keep(program: string, kept: string): Promise<void> {
  await chmod(program, 0o755);
  if (!(await serverVersion(program))) throw new Error('the program does not run on this machine.');
  await rename(program, kept);
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  // execFile's message begins with the whole command; what the program wrote follows.
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('Command failed:'));
  return (lines.find((line) => /error|fail|cannot|not /i.test(line)) ?? lines[0] ?? text).slice(0, 500);
}
