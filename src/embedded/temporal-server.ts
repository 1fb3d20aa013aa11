/**
 * The embedded Temporal: the CLI's dev server with its UI, on loopback ports, with the settings that make it quick. With a
 * data folder its state is on disk, and a server that outlived the process that started it is adopted.
 * Only who holds the folder's lock may start it.
 */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs, optionalTsToMs } from '@temporalio/common/lib/time.js';
import { z } from 'zod';
import { searchAttributeTypes } from '../temporal/search-attributes.ts';
import { freePorts, isListening } from './ports.ts';
import type { EndingStep, ProcessFacts } from './processes.ts';
import { endProcess, processFacts, processesMentioning } from './processes.ts';
import type { ServerProcess } from './server-process.ts';
import { adoptServer, logEnd, logSince, rotateLog, spawnServer } from './server-process.ts';
import { readState, writeState } from './state-file.ts';
import type { KeptServer } from './supervisor.ts';
import { keepRunning } from './supervisor.ts';
import { temporalVersion } from './temporal-binary.ts';

export interface TemporalServer extends KeptServer {
  /** For TEMPORAL_ADDRESS; stays the same across restarts. */
  readonly address: string;
  readonly uiUrl: string;
}

export interface TemporalOptions {
  /** The Temporal CLI; see `findTemporal`. */
  cliPath: string;
  /** Tollgate's data folder. Without one the state is in memory, is lost with the process, and so is the server. */
  dataDir?: string | undefined;
  say: (line: string) => void;
}

/**
 * Dynamic configuration of server 1.29; values are JSON. Measured on two cores: a task of one activity takes 21 ms
 * instead of 150, and 30 to 50 % more tasks a second go through.
 */
export const dynamicConfig = {
  // The one shard's transfer queue is read 20 times a second by default: each hand-over of a task waits 50 ms.
  'history.transferProcessorMaxPollRPS': 2000,
  // Else timers and retries under 1 s take 1 s. (Raising timerProcessorMaxPollRPS as well would cost a third of the throughput.)
  'history.timerProcessorMaxTimeShift': '10ms',
  // Four partitions forward to each other and stall for 2 s under load; one does some hundred tasks a second.
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  'system.enableActivityEagerExecution': true,
  // Accounts take turns on the providers' queues. Without it fairness keys are silently ignored.
  'matching.enableFairness': true,
};

/** `tollgate audit` compares with Temporal inside this time. */
const retentionMs = 30 * 24 * 3600 * 1000;
const startPatienceMs = 60_000;
const endingSteps: readonly EndingStep[] = [
  { signal: 'SIGTERM', waitMs: 10_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];
/** A state in memory needs no orderly end, which would take a second. */
const endingAtOnce: readonly EndingStep[] = [{ signal: 'SIGKILL', waitMs: 5_000 }];

const port = z.number().int().min(1).max(65_535);
const StateFile = z.object({
  pid: z.number().int().positive(),
  /** The process's start time, which distinguishes it from a later one with its pid. */
  startedAt: z.string(),
  ports: z.object({ grpc: port, ui: port, http: port, metrics: port }),
  /** Of version and flags, without ports. */
  hash: z.string(),
});
type State = z.infer<typeof StateFile>;
type Ports = State['ports'];

/**
 * Starts Temporal, or adopts the one of this data folder if it runs with the same version and flags, and resolves when it
 * answers. It is started again on its ports whenever it dies, until `stop` or `leave`. Raises an error with the server's own
 * words if it can't be started.
 */
export async function startTemporal({ cliPath, dataDir, say }: TemporalOptions): Promise<TemporalServer> {
  const paths = dataDir === undefined ? await pathsInMemory() : await pathsOnDisk(dataDir);
  const flags = flagsFor(paths);
  const hash = hashOf([await temporalVersion(cliPath), ...flags]);
  const before = paths.statePath === undefined ? undefined : await readState(paths.statePath, StateFile);

  const adopted = await adopt(paths, before, hash, say);
  const ports = adopted ? adopted.ports : await portsLike(before?.ports);
  const start = async (signal?: AbortSignal): Promise<ServerProcess> => {
    const logStart = await logEnd(paths.logPath);
    const args = [...flags, ...portFlags(ports)];
    const server = await spawnServer(
      { command: cliPath, args, env: environment() },
      { logPath: paths.logPath, endsWithUs: paths.database === undefined },
    );
    if (paths.statePath !== undefined) {
      await writeState(paths.statePath, {
        pid: server.facts.pid,
        startedAt: server.facts.startedAt,
        ports,
        hash,
      } satisfies State);
    }
    try {
      await becomesReady(server, ports, signal);
    } catch (error) {
      await endProcess(server.facts, endingSteps);
      const words = await logSince(paths.logPath, logStart);
      throw new Error(`Temporal did not start: ${error instanceof Error ? error.message : String(error)}\n${words}`, {
        cause: error,
      });
    }
    return server;
  };
  if (!adopted) await rotateLog(paths.logPath);

  const kept = keepRunning({
    name: 'Temporal',
    first: adopted ? adopted.server : await start(),
    startAgain: start,
    end: async (server) => {
      await endProcess(server.facts, paths.database === undefined ? endingAtOnce : endingSteps);
      if (paths.database === undefined) await rm(paths.folder, { recursive: true, force: true });
    },
    say,
  });
  return Object.assign(kept, addressesOf(ports));
}

/** The addresses of a data folder's Temporal if it runs and answers now; it is neither started nor cared for. */
export async function runningTemporal(dataDir: string): Promise<Pick<TemporalServer, 'address' | 'uiUrl'> | undefined> {
  const paths = await pathsOnDisk(dataDir);
  const state = paths.statePath === undefined ? undefined : await readState(paths.statePath, StateFile);
  if (!state || !(await isOurs(paths, state)) || (await refusal(state.ports)) !== undefined) return undefined;
  return addressesOf(state.ports);
}

/** Where a server's files are. In memory there is only the log. */
interface StoragePaths {
  folder: string;
  logPath: string;
  database: string | undefined;
  statePath: string | undefined;
}

async function pathsOnDisk(dataDir: string): Promise<StoragePaths> {
  await mkdir(join(dataDir, 'temporal'), { recursive: true });
  const whole = await realpath(dataDir);
  const folder = join(whole, 'temporal');
  return {
    folder,
    logPath: join(folder, 'temporal.log'),
    database: join(folder, 'temporal.db'),
    statePath: join(whole, 'temporal.json'),
  };
}

async function pathsInMemory(): Promise<StoragePaths> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-temporal-'));
  return { folder, logPath: join(folder, 'temporal.log'), database: undefined, statePath: undefined };
}

function flagsFor({ database }: StoragePaths): string[] {
  return [
    ...['server', 'start-dev'],
    // WAL and synchronous=1 (normal): twice the throughput of the default; a power cut may lose the last moments, which the
    // task rows make good.
    ...(database === undefined ? [] : ['--db-filename', database]),
    ...(database === undefined ? [] : ['--sqlite-pragma', 'journal_mode=wal', '--sqlite-pragma', 'synchronous=1']),
    ...['--ip', '127.0.0.1', '--ui-ip', '127.0.0.1', '--log-level', 'error', '--color', 'never'],
    ...Object.entries(dynamicConfig).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${JSON.stringify(value)}`,
    ]),
    ...[...searchAttributeTypes].flatMap(([name, type]) => ['--search-attribute', `${name}=${type}`]),
  ];
}

/** All ports that can be named. The server opens two more, between its own parts, on 127.0.0.1 as well. */
function portFlags({ grpc, ui, http, metrics }: Ports): string[] {
  return Object.entries({ '--port': grpc, '--ui-port': ui, '--http-port': http, '--metrics-port': metrics }).flatMap(
    ([flag, number]) => [flag, String(number)],
  );
}

/** The CLI reads addresses, keys and profiles of its own from TEMPORAL_ variables: none of them is meant for this server. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_')));
}

const hashOf = (parts: readonly string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('hex');

const addressesOf = ({ grpc, ui }: Ports) => ({ address: `127.0.0.1:${grpc}`, uiUrl: `http://127.0.0.1:${ui}` });

async function portsLike(before: Ports | undefined): Promise<Ports> {
  const [grpc, ui, http, metrics] = await freePorts([before?.grpc, before?.ui, before?.http, before?.metrics]);
  if (grpc === undefined || ui === undefined || http === undefined || metrics === undefined)
    throw new Error('No free ports.');
  return { grpc, ui, http, metrics };
}

/** Takes over the running server of this folder, or ends whatever runs on its database and can't be taken over. */
async function adopt(
  paths: StoragePaths,
  before: State | undefined,
  hash: string,
  say: TemporalOptions['say'],
): Promise<{ server: ServerProcess; ports: Ports } | undefined> {
  if (paths.database === undefined) return undefined;
  const known = before ? await isOurs(paths, before) : undefined;
  if (before && known && before.hash === hash) {
    const server = adoptServer(known, paths);
    try {
      await becomesReady(server, before.ports);
      return { server, ports: before.ports };
    } catch {
      server.release(); // it hangs, or ended just now: it is replaced like one of another version
    }
  }
  // The one that was noted, and one whose starter was killed before it could note it: two on one database would spoil it.
  for (const facts of await processesMentioning(mark(paths.database))) {
    say(`Stopping a Temporal server of another version or with other settings (process ${facts.pid}) ...`);
    await endProcess(facts, endingSteps);
  }
  return undefined;
}

async function isOurs({ database }: StoragePaths, { pid, startedAt }: State): Promise<ProcessFacts | undefined> {
  const facts = await processFacts(pid);
  return database !== undefined && facts?.startedAt === startedAt && facts.commandLine.includes(mark(database))
    ? facts
    : undefined;
}

/** What only the command line of this folder's server has. */
const mark = (database: string) => ` server start-dev --db-filename ${database} `;

async function becomesReady(server: ServerProcess, ports: Ports, signal?: AbortSignal): Promise<void> {
  const deadline = performance.now() + startPatienceMs;
  let reason: string | undefined = 'it exited immediately';
  while (!server.hasEnded()) {
    signal?.throwIfAborted();
    // A refused gRPC connection is tried again only after a second, so the port is looked at first.
    reason = (await isListening(ports.grpc)) ? await refusal(ports) : 'it is not listening';
    if (reason === undefined) return;
    if (performance.now() > deadline) break;
    await sleep(20);
  }
  throw new Error(reason);
}

/** Undefined if the server at these ports answers for its namespace, which then keeps what ended for 30 days; else why not. */
async function refusal(ports: Ports): Promise<string | undefined> {
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({ address: addressesOf(ports).address, connectTimeout: 2_000 });
    const { workflowService } = connection;
    await connection.withDeadline(Date.now() + 5_000, async () => {
      const { config } = await workflowService.describeNamespace({ namespace: 'default' });
      if (optionalTsToMs(config?.workflowExecutionRetentionTtl) === retentionMs) return;
      await workflowService.updateNamespace({
        namespace: 'default',
        config: { workflowExecutionRetentionTtl: msToTs(retentionMs) },
      });
    });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await connection?.close();
  }
}
