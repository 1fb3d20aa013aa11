/** The embedded PostgreSQL's folder: made whole or not at all, with its own superuser and password. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { freePorts } from './ports.ts';
import { postgresBinaries } from './postgres-binaries.ts';
import { codeOf, processFacts } from './processes.ts';
import type { Invocation } from './server-process.ts';
import { readState, writeState } from './state-file.ts';
import type { UnprivilegedWay } from './unprivileged.ts';
import { unprivileged } from './unprivileged.ts';

const run = promisify(execFile);

/** Name of the superuser and of the database. */
export const clusterName = 'tollgate';

export interface Cluster {
  /** PGDATA, an absolute path without links. */
  data: string;
  logPath: string;
  password: string;
  /** How `postgres` is run with these arguments. */
  postgres(args: readonly string[]): Invocation;
  /** The port of the time before if it is free, else a new one. */
  port(): Promise<number>;
  /** Notes the port for the next time. */
  keepPort(port: number): Promise<void>;
}

export interface ClusterOptions {
  /** Tollgate's data folder; the cluster is in `postgres` below it (or, for root without user namespaces, below /var/lib/tollgate). */
  dataDir: string;
  say: (line: string) => void;
  /** For tests: nothing is forced to the disk. */
  ephemeral?: boolean | undefined;
  /** For tests: how to get round PostgreSQL's refusal to run as root. */
  way?: UnprivilegedWay | undefined;
}

const PortFile = z.object({ port: z.number().int().min(1).max(65_535) });
const initdbTimeoutMs = 180_000;

/**
 * The cluster of a data folder, made on first use. Two callers at once end with the same one. Raises an error if the
 * folder holds something else, or a cluster of another major version.
 */
export async function openCluster({ dataDir, say, ephemeral = false, way }: ClusterOptions): Promise<Cluster> {
  await mkdir(resolve(dataDir), { recursive: true });
  const { folder: packaged, major } = await postgresBinaries();
  const host = await unprivileged(packaged, await realpath(dataDir), way);
  const folder = join(host.home, 'postgres');
  const program = (name: string, args: readonly string[]) => host.invocation(join(host.binaries, 'bin', name), args);

  let version = await clusterVersion(folder);
  if (version === undefined) {
    say('Preparing the embedded PostgreSQL (first start) ...');
    await removeLeftovers(host.home);
    await initialise();
    version = await clusterVersion(folder);
  }
  if (version !== major) {
    throw new Error(
      `${folder} holds ${version === undefined ? 'something that is not a PostgreSQL cluster' : `a cluster of PostgreSQL ${version}, not ${major}`}. ` +
        'Move it, or set DATABASE_URL.',
    );
  }
  await host.own(folder);
  const portPath = join(folder, 'port.json');
  return {
    data: join(folder, 'data'),
    logPath: join(folder, 'postgres.log'),
    password: (await readFile(join(folder, 'password'), 'utf8')).trim(),
    postgres: (args) => program('postgres', args),
    port: async () => {
      const [port] = await freePorts([(await readState(portPath, PortFile))?.port]);
      if (port === undefined) throw new Error('No free port.');
      return port;
    },
    keepPort: (port) => writeState(portPath, { port } satisfies z.infer<typeof PortFile>),
  };

  /** Everything is made in a folder aside, which then becomes the cluster in one step. The second of two finds it there. */
  async function initialise(): Promise<void> {
    const aside = join(host.home, `postgres.new-${process.pid}-${randomBytes(4).toString('hex')}`);
    const passwordPath = join(aside, 'password');
    await mkdir(aside, { mode: 0o700 });
    try {
      await writeFile(passwordPath, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flush: true });
      await host.own(aside);
      const { command, args, ...rest } = program('initdb', [
        ...['-D', join(aside, 'data'), '-U', clusterName, `--pwfile=${passwordPath}`, '--auth=scram-sha-256'],
        // C.UTF-8 of the built-in provider: the same order on every machine, whatever its libraries are.
        ...[
          '--encoding=UTF8',
          '--locale=C',
          '--locale-provider=builtin',
          '--builtin-locale=C.UTF-8',
          '--no-instructions',
        ],
        ...(ephemeral ? ['--no-sync'] : []),
      ]);
      await run(command, args, { ...rest, cwd: aside, timeout: initdbTimeoutMs }).catch((error: unknown) => {
        throw new Error(`initdb failed: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
      });
      await syncFolder(aside);
      await rename(aside, folder);
      await syncFolder(host.home);
    } catch (error) {
      await rm(aside, { recursive: true, force: true });
      if (!['ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) throw error;
    }
  }
}

async function clusterVersion(folder: string): Promise<string | undefined> {
  try {
    return (await readFile(join(folder, 'data/PG_VERSION'), 'utf8')).trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Folders of first starts that were killed half-way. */
async function removeLeftovers(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    const maker = /^postgres\.new-(\d+)-/.exec(name)?.[1];
    if (maker !== undefined && Number(maker) !== process.pid && !(await processFacts(Number(maker)))) {
      await rm(join(home, name), { recursive: true, force: true });
    }
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
