/**
 * One gateway per data folder: a session lock in the folder's own PostgreSQL, held by one connection for life. Whatever
 * ends the owner, kill -9 too, closes its connection and frees the folder.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { z } from 'zod';
import { readState, writeState } from './state-file.ts';

/** Another gateway runs on this data folder. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
  /** Where it listens; undefined while it is still starting. */
  readonly address: string | undefined;

  constructor(address: string | undefined) {
    super(`Another gateway uses this data folder${address === undefined ? '' : `: it is running at ${address}`}.`);
    this.address = address;
  }
}

/** The address of the gateway that runs on a data folder, as it noted it; undefined when none has. */
export async function runningGateway(dataDir: string): Promise<string | undefined> {
  return (await readState(join(dataDir, 'gateway.json'), GatewayFile))?.address;
}

export interface FolderLock {
  /** Resolves when the connection that holds the lock is lost (not by `release`). Another promise after each `retake`. */
  readonly lost: Promise<void>;
  /**
   * Takes the lock again after it was lost: tries until the database answers or the signal is aborted, whose reason is
   * then raised. Raises FolderInUse if another gateway has it now.
   */
  retake(signal?: AbortSignal): Promise<void>;
  /** Notes where the gateway listens, for those who are refused. */
  announce(address: string): Promise<void>;
  /** Frees the folder. Calling it again changes nothing. */
  release(): Promise<void>;
}

export interface LockOptions {
  dataDir: string;
  /** Where the gateway listens, if that is known already; see `announce`. */
  address?: string;
}

// Two halves of one key, "toll" and "gate" in ASCII: pg_locks shows them as classid and objid.
const lockKey = [0x746f6c6c, 0x67617465] as const;
/** A killed owner's connection is closed by the system at once; its back end needs some milliseconds to see that. */
const takePatienceMs = 1_000;
/** After a loss our own former back end may hold the lock until it notices. */
const retakePatienceMs = 2_000;
const retakeIntervalMs = { first: 100, most: 2_000 };
const keepAliveDelayMs = 10_000;

const GatewayFile = z.object({ address: z.string(), pid: z.number().int() });

/**
 * Takes the lock. All gateways of a folder have to give the same database, which the lock belongs to. Raises FolderInUse
 * if another one has it, and the database's error if that does not answer.
 */
export async function takeFolderLock(databaseUrl: string, { dataDir, address }: LockOptions): Promise<FolderLock> {
  const gatewayPath = join(dataDir, 'gateway.json');
  let held = await lock(databaseUrl, gatewayPath, takePatienceMs);
  let released: Promise<void> | undefined;
  const releasing = new AbortController();
  let known = address;
  await note();

  return {
    get lost() {
      return held.lost;
    },
    retake: async (signal) => {
      held = await lockAgain(signal ? AbortSignal.any([signal, releasing.signal]) : releasing.signal);
      await note();
    },
    announce: async (newAddress) => {
      known = newAddress;
      await note();
    },
    release: () => (released ??= release()),
  };

  async function note(): Promise<void> {
    if (known === undefined) await rm(gatewayPath, { force: true });
    else await writeState(gatewayPath, { address: known, pid: process.pid });
  }

  async function lockAgain(signal: AbortSignal): Promise<Held> {
    for (let wait: number = retakeIntervalMs.first; ; wait = Math.min(wait * 2, retakeIntervalMs.most)) {
      signal.throwIfAborted();
      try {
        return await lock(databaseUrl, gatewayPath, retakePatienceMs);
      } catch (error) {
        if (error instanceof FolderInUse) throw error;
        await sleep(wait, undefined, { signal }); // the database is away: it is being started again
      }
    }
  }

  async function release(): Promise<void> {
    releasing.abort(new Error('The data folder was released.'));
    if (held.isHeld()) await rm(gatewayPath, { force: true });
    await held.release();
  }
}

interface Held {
  lost: Promise<void>;
  isHeld(): boolean;
  release(): Promise<void>;
}

async function lock(databaseUrl: string, gatewayPath: string, patienceMs: number): Promise<Held> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: 'tollgate folder lock',
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
    connectionTimeoutMillis: 10_000,
  });
  client.on('error', () => undefined); // the 'end' that follows is what counts
  let state: 'held' | 'letting go' | 'lost' = 'held';
  const lost = new Promise<void>((resolve) => {
    client.once('end', () => {
      if (state === 'letting go') return;
      state = 'lost';
      resolve();
    });
  });
  const release = async () => {
    if (state === 'lost') return;
    state = 'letting go';
    await client.end();
  };
  try {
    await client.connect();
    const deadline = performance.now() + patienceMs;
    while (!(await tryLock(client))) {
      if (performance.now() > deadline) throw new FolderInUse((await readState(gatewayPath, GatewayFile))?.address);
      await sleep(50);
    }
  } catch (error) {
    await release();
    throw error;
  }
  return { lost, release, isHeld: () => state === 'held' };
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1::int, $2::int) as taken', [
    ...lockKey,
  ]);
  return rows[0]?.taken === true;
}
