/**
 * The embedded PostgreSQL: a real server from npm on a loopback port, started or, if it outlived the process that started
 * it, attached to. PostgreSQL's own `postmaster.pid` decides which of two starters wins; the other attaches.
 */
import { randomBytes } from 'node:crypto';
import { access, link, readFile, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isPortFree } from './ports.ts';
import type { Cluster, ClusterOptions } from './postgres-cluster.ts';
import { clusterName, openCluster } from './postgres-cluster.ts';
import type { EndingStep, ProcessFacts } from './processes.ts';
import { codeOf, endProcess, processFacts } from './processes.ts';
import type { ServerProcess } from './server-process.ts';
import { adoptServer, logEnd, logSince, rotateLog, spawnServer } from './server-process.ts';
import type { KeptServer } from './supervisor.ts';
import { keepRunning } from './supervisor.ts';

export interface PostgresServer extends KeptServer {
  /** With the superuser's password: not for logs. Stays the same across restarts. */
  readonly url: string;
  readonly port: number;
}

/** A previous server's memory or lock file may outlive it for a while, busy back ends too. */
const startPatienceMs = 30_000;
/** Crash recovery replays at most `max_wal_size` (1 GB): a minute on a slow disk. */
const readyPatienceMs = 180_000;
const recoveryIsSaidAfterMs = 5_000;
/** Older than this, an empty lock file is what a power cut left. */
const emptyFileYoungMs = 2_000;
/** Fast shutdown ends with a checkpoint; then immediate shutdown, from which the next start recovers. */
const endingSteps: readonly EndingStep[] = [
  { signal: 'SIGINT', waitMs: 30_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];

/**
 * Starts the PostgreSQL of a data folder, or attaches to it if it runs, and resolves when it answers. It is started
 * again on its port whenever it dies, until `stop` or `leave`. Raises an error with the server's own words if it can't be started.
 */
export async function startPostgres(options: ClusterOptions): Promise<PostgresServer> {
  const { say, ephemeral = false } = options;
  const cluster = await openCluster(options);
  const first = await attachOrStart(cluster, { say, ephemeral });
  await cluster.keepPort(first.port);
  const kept = keepRunning({
    name: 'PostgreSQL',
    first: first.server,
    startAgain: async (signal) => (await attachOrStart(cluster, { say, ephemeral, port: first.port, signal })).server,
    end: async (server) => {
      await endProcess(server.facts, endingSteps);
      // The loser of a race for a restart is not the one that runs.
      const seen = await readPostmaster(cluster);
      if (seen.state === 'alive') await endProcess(seen.facts, endingSteps);
    },
    say,
  });
  const { port } = first;
  return Object.assign(kept, { port, url: urlOf(cluster, port) });
}

/** The address of a data folder's PostgreSQL if it runs and answers now; it is neither started nor cared for. */
export async function runningPostgres(options: Pick<ClusterOptions, 'dataDir' | 'way'>): Promise<string | undefined> {
  if (!(await hasCluster(options.dataDir))) return undefined;
  const cluster = await openCluster({ ...options, say: () => undefined });
  const seen = await readPostmaster(cluster);
  if (seen.state !== 'alive' || !seen.ready) return undefined;
  return (await answers(cluster, seen.port)) ? urlOf(cluster, seen.port) : undefined;
}

const hasCluster = (dataDir: string): Promise<boolean> =>
  access(join(dataDir, 'postgres')).then(
    () => true,
    () => false,
  );

interface StartOptions {
  say: (line: string) => void;
  ephemeral: boolean;
  /** The port that clients know already. */
  port?: number;
  signal?: AbortSignal;
}

interface Started {
  server: ServerProcess;
  port: number;
}

async function attachOrStart(cluster: Cluster, options: StartOptions): Promise<Started> {
  const deadline = performance.now() + startPatienceMs;
  for (let attempt = 0; ; attempt++) {
    options.signal?.throwIfAborted();
    const seen = await readPostmaster(cluster);
    if (seen.state === 'alive') {
      const server = adoptServer(seen.facts, cluster);
      try {
        if (await becomesReady(cluster, server, options)) return { server, port: seen.port };
        continue; // it was on its way down
      } catch (error) {
        server.release();
        throw error;
      }
    }
    if (seen.state === 'stale') await removeStale(cluster, seen.text);
    if (attempt === 0 && options.port === undefined) await rotateLog(cluster.logPath);
    const logStart = await logEnd(cluster.logPath);
    const port = options.port ?? (await cluster.port());
    const { ephemeral } = options;
    const server = await spawnServer(cluster.postgres(serverArguments(cluster, port, ephemeral)), {
      logPath: cluster.logPath,
      endsWithUs: ephemeral,
    });
    try {
      if (await becomesReady(cluster, server, options)) return { server, port };
    } catch (error) {
      await endProcess(server.facts, endingSteps);
      throw error;
    }
    const words = await logSince(cluster.logPath, logStart);
    if (performance.now() > deadline || !(passes(words) || !(await isPortFree(port)))) {
      throw new Error(`PostgreSQL did not start:\n${words}`);
    }
    await sleep(200);
  }
}

function serverArguments(cluster: Cluster, port: number, ephemeral: boolean): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '', // a path below a deep data folder would pass the 107 characters of a socket's name
    max_connections: 200,
    password_encryption: 'scram-sha-256',
    timezone: 'UTC',
    log_timezone: 'UTC',
    jit: 'off', // our statements are short: compiling them never pays
    // Four processes less, which read ahead on large disks and feed replicas.
    io_method: 'sync',
    max_logical_replication_workers: 0,
    // Of what it makes room for at its start or fills in time: reads that no process has in flight, locks of serializable
    // transactions, of which there are none, and log that each commit writes out. 6 MB.
    io_max_concurrency: 4,
    max_pred_locks_per_transaction: 10,
    wal_buffers: '1MB',
    // Statements and key values may hold what callers wrote: keep them out of the log.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    ...(ephemeral
      ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
      : { fsync: 'on', synchronous_commit: 'on' }),
  };
  return ['-D', cluster.data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** What makes a start fail that will pass: another starter, or what a killed server left behind. Messages are English: lc_messages is C. */
function passes(words: string): boolean {
  return /lock file "postmaster\.pid"|shared memory block .* is still in use/.test(words);
}

type Postmaster =
  | { state: 'absent' }
  | { state: 'stale'; text: string }
  | { state: 'alive'; facts: ProcessFacts; port: number; ready: boolean };

/**
 * Reads `postmaster.pid` (pid, data folder, start, port, socket folder, address, shared memory, status: one a line, see
 * PostgreSQL's `utils/pidfile.h`) and looks whether that pid is a server of this folder, not a zombie or another program.
 */
async function readPostmaster(cluster: Cluster): Promise<Postmaster> {
  let text: string;
  try {
    text = await readFile(pidFileOf(cluster), 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { state: 'absent' };
    throw error;
  }
  // A starter has made the file and is about to write it; PostgreSQL refuses such a file, so the next look decides.
  if (text === '' && (await isYoung(pidFileOf(cluster)))) return { state: 'absent' };
  const [pid, , , port, , , , status] = text.split('\n');
  const facts = Number(pid) > 0 ? await processFacts(Number(pid)) : undefined;
  if (!facts?.commandLine.includes(`-D ${cluster.data} `)) return { state: 'stale', text };
  return { state: 'alive', facts, port: Number(port), ready: status?.trim() === 'ready' };
}

async function isYoung(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs < emptyFileYoungMs;
}

/**
 * Removes a lock file of a server that is no more: PostgreSQL itself would respect it while any process has that pid.
 * If another starter replaced it in between, it gets its file back (PostgreSQL looks for it once a minute).
 */
async function removeStale(cluster: Cluster, text: string): Promise<void> {
  const aside = `${pidFileOf(cluster)}.${randomBytes(4).toString('hex')}`;
  try {
    await rename(pidFileOf(cluster), aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  try {
    if ((await readFile(aside, 'utf8')) !== text) await link(aside, pidFileOf(cluster));
  } finally {
    await unlink(aside);
  }
}

/** Waits until the server answers; false if it ended first. */
async function becomesReady(cluster: Cluster, server: ServerProcess, { say, signal }: StartOptions): Promise<boolean> {
  const start = performance.now();
  let said = false;
  while (!server.hasEnded()) {
    signal?.throwIfAborted();
    const seen = await readPostmaster(cluster);
    if (
      seen.state === 'alive' &&
      seen.facts.pid === server.facts.pid &&
      seen.ready &&
      (await answers(cluster, seen.port))
    )
      return true;
    const waitedMs = performance.now() - start;
    if (waitedMs > readyPatienceMs)
      throw new Error(`PostgreSQL (process ${server.facts.pid}) did not become ready; see ${cluster.logPath}.`);
    if (waitedMs > recoveryIsSaidAfterMs && !said) {
      say('PostgreSQL is recovering ...');
      said = true;
    }
    await sleep(20);
  }
  return false;
}

/** Whether the server at this port is the one of this cluster and takes connections; makes the database on the first one. */
async function answers(cluster: Cluster, port: number): Promise<boolean> {
  try {
    await query(urlOf(cluster, port), async (client) => {
      const { rows } = await client.query<{ data_directory: string }>('show data_directory');
      if (rows[0]?.data_directory !== cluster.data)
        throw new Error(`Port ${port} belongs to the PostgreSQL of another folder.`);
    });
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === '3D000') {
      await createDatabase(urlOf(cluster, port, 'postgres'));
      return answers(cluster, port);
    }
    // 57P03: starting or stopping; 57P01 to 02: stopped while we asked.
    if (['57P03', '57P02', '57P01', 'ECONNREFUSED', 'ECONNRESET'].includes(code ?? '')) return false;
    if (error instanceof Error && error.message.startsWith('Connection terminated')) return false;
    throw error;
  }
}

async function createDatabase(url: string): Promise<void> {
  try {
    await query(url, (client) => client.query(`create database ${clusterName}`));
  } catch (error) {
    if (!['42P04', '23505'].includes(codeOf(error) ?? '')) throw error; // another starter made it
  }
}

async function query(url: string, use: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, query_timeout: 30_000 });
  client.on('error', () => undefined); // the call under way fails, too
  try {
    await client.connect();
    await use(client);
  } finally {
    await client.end();
  }
}

const pidFileOf = (cluster: Cluster) => join(cluster.data, 'postmaster.pid');

const urlOf = (cluster: Cluster, port: number, database = clusterName) =>
  `postgres://${clusterName}:${cluster.password}@127.0.0.1:${port}/${database}?sslmode=disable`;
