/** What a drill is run on: PostgreSQL, Temporal, API and worker processes as in production, each to be killed and started again. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { freePorts } from '../../src/embedded/ports.ts';
import { type PostgresServer, startPostgres } from '../../src/embedded/postgres-server.ts';
import { startTemporal, type TemporalServer } from '../../src/embedded/temporal-server.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import { micros } from '../../src/domain/money.ts';
import { deriveKeys } from '../../src/config/secrets.ts';
import { createAccount } from '../../src/accounts/accounts.ts';
import type { Administrator } from '../../src/ledger/audit-log.ts';
import { createApiKey, noLimits } from '../../src/accounts/api-keys.ts';
import { type Database, openDatabase } from '../../src/postgres/database.ts';
import { migrateDatabase } from '../../src/postgres/migrations.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { fromTestRun } from '../support/database.ts';
import { type Line, openLine } from '../support/line.ts';
import { Installation, ready, type Running, until } from '../support/process.ts';

export interface WorldOptions {
  apis: number;
  workers: number;
  /** What `tollgate.yaml` says for the process of this name. */
  configurationOf: (process: string) => unknown;
  /** How far behind the clock of a process is that is started now. */
  clockBehindMs: (process: string) => number;
  /** Gives the blobs a disk of their own that can be filled; needs the right to mount. */
  hasOwnDisk: boolean;
  /** Called with what the servers log. */
  say: (line: string) => void;
}

/** One API or worker process. */
export interface Member {
  name: string;
  role: 'api' | 'worker';
  running: Running;
  port: number;
  /** By which an API reaches PostgreSQL. */
  line: Line | undefined;
}

export interface Buyer {
  account: AccountId;
  key: string;
}

/** Micro-units that each account begins with. */
export const opening = 100_000_000_000n;
const secret = 'a secret of the drills with 40 characters';
const diskBytes = '96m';
const exec = promisify(execFile);
/** What a process takes to start where the machine has much else to do. */
const upMsMax = 180_000;
const inDoubtSaid = 'a creation was answered with its id while it is in doubt';
const inDoubtLine = z.object({ taskId: z.string() });

export class World {
  readonly home: Installation;
  readonly database: Database;
  readonly members: Member[] = [];
  /** What ended although the drill did not kill it. */
  readonly endedByThemselves: string[] = [];
  readonly postgres: PostgresServer;
  readonly temporal: TemporalServer;
  readonly #options: WorldOptions;
  readonly #killed = new Set<Running>();
  readonly #started: Running[] = [];
  #isClosing = false;

  private constructor(options: WorldOptions, home: Installation, postgres: PostgresServer, temporal: TemporalServer) {
    this.#options = options;
    this.home = home;
    this.postgres = postgres;
    this.temporal = temporal;
    this.database = openDatabase(postgres.url, { onIdleError: () => undefined });
  }

  static async open(options: WorldOptions): Promise<World> {
    const home = await Installation.make({ TOLLGATE_SECRET: secret, TOLLGATE_ALLOW_PRIVATE_URLS: 'true' });
    const servers = join(home.folder, 'servers');
    await mkdir(join(home.dataDir, 'blobs'), { recursive: true });
    const { say } = options;
    const [postgres, temporal] = await Promise.all([
      startPostgres({ dataDir: servers, say }),
      startTemporal({ cliPath: fromTestRun('TEMPORAL_CLI'), dataDir: servers, say }),
    ]);
    const world = new World(options, home, postgres, temporal);
    try {
      await world.#prepare();
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  /** Where the blobs are. */
  get blobs(): string {
    return join(this.home.dataDir, 'blobs');
  }

  get urls(): string[] {
    return this.of('api').map(({ port }) => `http://127.0.0.1:${port}`);
  }

  of(role: Member['role']): Member[] {
    return this.members.filter((member) => member.role === role);
  }

  /** An account with money and a key. */
  async newBuyer(): Promise<Buyer> {
    const ledgerKey = deriveKeys([secret]).first.ledger;
    const by: Administrator = { database: this.database, ledgerKey, actor: 'tollgate' };
    const { id: account } = await createAccount(by, 'drill');
    const ledger = new Ledger(new GroupCommitter(this.database, ledgerKey));
    await ledger.credit(account, micros(opening), 'for a drill');
    const { secret: key } = await createApiKey(by, account, { ...noLimits, name: 'drill', level: 'admin' });
    return { account, key };
  }

  /** SIGKILL; resolves when it is gone. */
  async kill(member: Member): Promise<void> {
    this.#killed.add(member.running);
    member.running.signal('SIGKILL');
    await member.running.ended;
  }

  async startAgain(member: Member): Promise<void> {
    member.running = this.#spawn(member);
    await this.#isUp(member);
  }

  /** The tasks whose creation was answered by an id alone, since it was not known whether they are there. */
  answeredInDoubt(): Set<string> {
    const lines = this.#started
      .flatMap(({ stderr }) => stderr.split('\n'))
      .filter((line) => line.includes(inDoubtSaid));
    return new Set(lines.map((line) => inDoubtLine.parse(JSON.parse(line)).taskId));
  }

  /** Waits until everything answers. */
  async allReady(): Promise<void> {
    await until('PostgreSQL', () => this.database.pool.query('select 1').then(Boolean, () => undefined));
    await Promise.all(this.urls.map((url) => ready(url, upMsMax)));
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    for (const { running } of this.members) running.signal('SIGKILL');
    await Promise.allSettled(this.members.map(({ running }) => running.ended));
    await Promise.allSettled(this.members.flatMap(({ line }) => line?.close() ?? []));
    await this.database.close();
    await Promise.allSettled([this.temporal.stop(), this.postgres.stop()]);
    if (this.#options.hasOwnDisk) await exec('umount', ['-l', this.blobs]).catch(() => undefined);
    await this.home.remove();
  }

  async #prepare(): Promise<void> {
    const { apis, workers, configurationOf, hasOwnDisk } = this.#options;
    if (hasOwnDisk) {
      await exec('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', this.blobs]).catch((error: unknown) => {
        throw new Error('A full disk is drilled on a small file system, which only root may mount.', { cause: error });
      });
    }
    await migrateDatabase(this.postgres.url);
    const ports = await freePorts(Array.from({ length: apis }, () => undefined));
    Object.assign(this.home.settings, {
      DATABASE_URL: this.postgres.url,
      TEMPORAL_ADDRESS: this.temporal.address,
      PUBLIC_URL: `http://127.0.0.1:${ports[0] ?? assert.fail('no port')}`,
    });
    const lines = await Promise.all(ports.map(() => openLine(this.postgres.url)));
    const all = [
      ...ports.map((port, at) => ({ name: `api-${at + 1}`, role: 'api' as const, port, line: lines[at] })),
      ...Array.from({ length: workers }, (_, at) => `worker-${at + 1}`).map((name) => {
        return { name, role: 'worker' as const, port: 0, line: undefined };
      }),
    ];
    for (const { name } of all) {
      await writeFile(join(this.home.folder, `${name}.yaml`), JSON.stringify(configurationOf(name)));
    }
    this.members.push(...all.map((one) => ({ ...one, running: this.#spawn(one) })));
    await Promise.all(this.members.map((member) => this.#isUp(member)));
  }

  #spawn({ name, role, port, line }: Omit<Member, 'running'>): Running {
    const behindMs = this.#options.clockBehindMs(name);
    const preload = `--import=${join(import.meta.dirname, 'clock.mjs')}`;
    const running = this.home.spawn([role], {
      TOLLGATE_CONFIG: join(this.home.folder, `${name}.yaml`),
      PORT: String(port),
      ...(line && { DATABASE_URL: line.url }),
      ...(behindMs > 0 && { NODE_OPTIONS: preload, DRILL_CLOCK_BEHIND_MS: String(behindMs) }),
    });
    this.#started.push(running);
    void running.ended.then(({ code, stderr }) => {
      if (this.#isClosing || this.#killed.delete(running)) return;
      this.endedByThemselves.push(`${name} ended by itself with ${code}: ${stderr.slice(-500)}`);
    });
    return running;
  }

  async #isUp({ role, running, port }: Member): Promise<void> {
    if (role === 'worker') await running.printed(/the worker runs/, upMsMax);
    else {
      await ready(`http://127.0.0.1:${port}`, upMsMax).catch((error: unknown) => {
        throw new Error(`an API did not come up: ${running.stderr.slice(-2_000)}`, { cause: error });
      });
    }
  }
}
