/**
 * docker-compose.yml by hand: its services as processes of this machine, with the commands and settings that stand there,
 * in the order of its conditions and with its health checks. Only addresses, paths and the user are other ones.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type ComposeFile,
  imageOf,
  readCompose,
  readDockerfile,
  root,
  type Service,
  variables,
} from '../../support/compose.ts';
import { fromTestRun } from '../../support/database.ts';
import { type Ended, Running } from '../../support/process.ts';
import { Places } from './places.ts';
import { startPostgresOf } from './postgres.ts';

/** What a try by hand has no part for: pages to look at, and the right owner of a volume. */
const leftOut = new Set(['temporal-ui', 'prometheus', 'grafana', 'store-volume']);
/** A check is a program of its own, which takes 50 to 100 ms of CPU. */
const healthPauseMs = 750;
const healthMsMax = 120_000;

export type Part = 'postgres' | 'temporal' | 'store' | 'api-1' | 'api-2' | 'worker-1' | 'worker-2' | 'balancer';

export interface ArrangementOptions {
  /** Holds `tollgate.yaml`. */
  configurationFolder: string;
  /** Of the first account. */
  key: string;
  email: string;
  password: string;
}

export class Arrangement {
  readonly #file: ComposeFile;
  readonly #places: Places;
  readonly #folder: string;
  readonly #running = new Map<string, Running>();
  readonly #killed = new Set<Running>();
  readonly #done = new Map<string, Promise<void>>();
  /** What ended by itself. */
  readonly endedByThemselves: string[] = [];
  readonly url: string;
  readonly databaseUrl: string;

  private constructor(file: ComposeFile, places: Places, folder: string) {
    this.#file = file;
    this.#places = places;
    this.#folder = folder;
    this.url = `http://127.0.0.1:${places.port('balancer', 8080)}`;
    this.databaseUrl = this.#environmentOf('migration')['DATABASE_URL'] ?? '';
  }

  /** Starts everything, and resolves when the balancer finds an API that is ready. */
  static async open(options: ArrangementOptions): Promise<Arrangement> {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-production-'));
    const places = await Places.find(join(folder, 'volumes'), root);
    const secrets = [...variables()].filter(([, isNeeded]) => isNeeded);
    const file = readCompose({
      ...Object.fromEntries(secrets.map(([name]) => [name, randomBytes(24).toString('hex')])),
      PUBLIC_URL: `http://127.0.0.1:${places.port('balancer', 8080)}`,
      TOLLGATE_CONFIG_FOLDER: options.configurationFolder,
      TOLLGATE_BOOTSTRAP_KEY: options.key,
      TOLLGATE_BOOTSTRAP_EMAIL: options.email,
      TOLLGATE_BOOTSTRAP_PASSWORD: options.password,
      LOG_LEVEL: 'warn',
      BALANCER_NETWORKS: '127.0.0.1',
    });
    const arrangement = new Arrangement(file, places, folder);
    try {
      await arrangement.#prepare();
      await Promise.all(Object.keys(file.services).map((name) => arrangement.#once(name)));
      await arrangement.#isHealthy('balancer');
      return arrangement;
    } catch (error) {
      await arrangement.close();
      throw error;
    }
  }

  /** Where one of the APIs listens, past the balancer. */
  urlOf(api: 'api-1' | 'api-2'): string {
    return `http://127.0.0.1:${this.#places.port(api, 8080)}`;
  }

  /** SIGKILL; resolves when it is gone. */
  async kill(part: Part): Promise<void> {
    const running = this.#running.get(part) ?? assert.fail(`${part} does not run`);
    this.#killed.add(running);
    running.signal('SIGKILL');
    await running.ended;
  }

  /** As the engine does with a container that ended; resolves when it is healthy. */
  async startAgain(part: Part): Promise<void> {
    await this.#start(part);
    await this.#isHealthy(part);
  }

  /** Stops a part as a deploy does, starts it again, and answers its exit code. */
  async replace(part: Part): Promise<number | null> {
    const running = this.#running.get(part) ?? assert.fail(`${part} does not run`);
    this.#killed.add(running);
    running.signal('SIGTERM');
    const { code } = await running.ended;
    await this.startAgain(part);
    return code;
  }

  /** Runs a command of the gateway, such as `audit`, with the settings of `migration`. */
  async run(args: readonly string[]): Promise<Ended> {
    return this.#spawn('migration', args).ended;
  }

  /** Runs a job of the file once more. */
  async runJob(name: string): Promise<Ended> {
    return this.#spawn(name).ended;
  }

  async close(): Promise<void> {
    for (const running of this.#running.values()) {
      this.#killed.add(running);
      running.signal('SIGKILL');
    }
    await Promise.allSettled([...this.#running.values()].map(({ ended }) => ended));
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** The last that a part said. */
  said(part: string): string {
    const running = this.#running.get(part);
    return running ? (running.stdout + running.stderr).slice(-3_000) : '';
  }

  async #prepare(): Promise<void> {
    const bin = join(this.#folder, 'bin');
    const store = ['objects', 'users'].map((name) => join(this.#places.volume('store'), name));
    await Promise.all([bin, join(this.#folder, 'data'), ...store].map((path) => mkdir(path, { recursive: true })));
    const temporal = fromTestRun('TEMPORAL_SERVER');
    for (const [name, target] of [
      ['temporal-server', join(temporal, 'temporal-server')],
      ['temporal-sql-tool', join(temporal, 'temporal-sql-tool')],
      ['temporal', fromTestRun('TEMPORAL_CLI')],
      ['versitygw', fromTestRun('S3_SERVER')],
    ] as const)
      await symlink(target, join(bin, name));
  }

  /** Starts a service when what it depends on is so far; jobs have to succeed. */
  #once(name: string): Promise<void> {
    const before = this.#done.get(name);
    if (before) return before;
    const work = this.#inOrder(name);
    this.#done.set(name, work);
    return work;
  }

  async #inOrder(name: string): Promise<void> {
    if (leftOut.has(name)) return;
    const { depends_on: needs, restart } = this.#service(name);
    await Promise.all(
      Object.entries(needs).map(async ([other, { condition }]) => {
        await this.#once(other);
        if (condition === 'service_healthy') await this.#isHealthy(other);
      }),
    );
    if (restart === 'unless-stopped') return this.#start(name);
    const { code, stdout, stderr } = await this.#spawn(name).ended;
    assert.equal(code, 0, `${name} failed:\n${stdout}${stderr}`);
  }

  async #start(name: string): Promise<void> {
    const running =
      name === 'postgres'
        ? await startPostgresOf(this.#service(name), {
            folder: this.#places.volume('database'),
            port: this.#places.port('postgres', 5432),
            env: this.#environmentOf(name),
          })
        : this.#spawn(name);
    this.#running.set(name, running);
    void running.ended.then(({ code }) => {
      if (!this.#killed.delete(running)) this.endedByThemselves.push(`${name} ended with ${code}: ${this.said(name)}`);
    });
  }

  #spawn(name: string, args?: readonly string[]): Running {
    const service = this.#service(name);
    const entrypoint = service.entrypoint ?? (service.build === undefined ? [] : tollgateEntrypoint());
    const [program = '', ...rest] = [...entrypoint, ...(args ?? service.command ?? [])].map((text) =>
      this.#places.translated(text, name, service),
    );
    return new Running(program, rest, { cwd: this.#folder, env: this.#environmentOf(name) });
  }

  #environmentOf(name: string): Record<string, string> {
    const service = this.#service(name);
    const image = service.build === undefined ? {} : imageOf(readDockerfile()).env;
    const translated = Object.entries({ ...image, ...service.environment }).map(([key, value]) => [
      key,
      this.#places.translated(value, name, service),
    ]);
    return {
      PATH: [join(this.#folder, 'bin'), process.env['PATH'], '/usr/sbin'].join(':'),
      HOME: this.#folder,
      ...(Object.fromEntries(translated) as Record<string, string>),
      ...this.#otherwise(name),
    };
  }

  /** What has to be another setting, since all parts share one machine, and providers and webhooks of tests are on it. */
  #otherwise(name: string): Record<string, string> {
    const database = String(this.#places.port('postgres', 5432));
    if (name === 'postgres') return { PGPORT: database };
    if (name === 'balancer') return { BALANCER_CONNECTIONS: '2000' }; // a machine's own limit of files may be lower
    if (name === 'schema') return { POSTGRES_HOST: '127.0.0.1', POSTGRES_PORT: database };
    if (name === 'temporal')
      return { TEMPORAL_PORT: String(this.#places.port('temporal', 7233)), TEMPORAL_BIND_ADDRESS: '127.0.0.1' };
    if (this.#service(name).build === undefined) return {};
    const [role = ''] = name.split('-');
    return {
      HOST: '127.0.0.1',
      PORT: role === 'api' ? String(this.#places.port(name, 8080)) : '1',
      TOLLGATE_WORKER_PORT: role === 'worker' ? String(this.#places.port(name, 8081)) : '1',
      TOLLGATE_DATA_DIR: join(this.#folder, 'data', name),
      TOLLGATE_ALLOW_PRIVATE_URLS: 'true',
    };
  }

  /** Asks by the service's own health check. */
  async #isHealthy(name: string): Promise<void> {
    const service = this.#service(name);
    const [, program = '', ...args] = service.healthcheck?.test ?? assert.fail(`${name} has no health check`);
    const translated = args.map((text) =>
      this.#places.translated(text.replace(/^scripts\//, `${root}/scripts/`), name, service),
    );
    for (const startedAt = performance.now(); ;) {
      const asked = new Running(program, translated, { cwd: this.#folder, env: this.#environmentOf(name) });
      const { code } = await asked.ended;
      if (code === 0) return;
      if (performance.now() - startedAt > healthMsMax)
        assert.fail(`${name} is not healthy: ${asked.stderr}\n${this.said(name)}`);
      await pause(healthPauseMs);
    }
  }

  #service(name: string): Service {
    return this.#file.services[name] ?? assert.fail(`docker-compose.yml has no service ${name}`);
  }
}

/** The image's own, without the init process that containers need. */
function tollgateEntrypoint(): string[] {
  const { entrypoint } = imageOf(readDockerfile());
  assert.deepEqual(entrypoint.slice(0, 2), ['tini', '--']);
  return entrypoint.slice(2).map((text) => text.replace(/^bin\//, `${root}/bin/`));
}
