/** A whole gateway for one test file: API and worker in this process, a database and task queues of its own. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';
import { parseAmount } from '../../src/domain/money.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import type { DeliveryPace } from '../../src/domain/webhook-rules.ts';
import type { ProviderDefinition } from '../../src/providers/definition.ts';
import { providerKinds } from '../../src/providers/registry.ts';
import { builtInConfiguration } from '../../src/config/built-in.ts';
import { readConfiguration } from '../../src/config/configuration.ts';
import { type DrainPace, readEnvironment } from '../../src/config/environment.ts';
import type { Administrator } from '../../src/ledger/audit-log.ts';
import { createAccount } from '../../src/accounts/accounts.ts';
import { createApiKey, type NewApiKey, noLimits } from '../../src/accounts/api-keys.ts';
import { lazyConnection } from '../../src/temporal/connection.ts';
import { workerConnection } from '../../src/temporal/worker-connection.ts';
import { type Core, type CoreOptions, openCore } from '../../src/runtime/parts.ts';
import { startApiRole } from '../../src/runtime/api-role.ts';
import { showTemporal } from '../../src/runtime/scraped-gauges.ts';
import { startWorkerRole } from '../../src/runtime/worker-role.ts';
import { freshDatabase, fromTestRun } from './database.ts';
import { connectionOfProcess, runtimeOfProcess, testLog } from './temporal.ts';

export interface TestGateway {
  core: Core;
  /** Tollgate itself, as whom tests administer. */
  by: Administrator;
  url: string;
  databaseUrl: string;
  dataDir: string;
  /** An account with 100 CNY and an admin key. */
  account: AccountId;
  key: string;
  /** Sends a request with the admin key, or with the headers given. */
  fetch(path: string, init?: RequestInit & { key?: string | null }): Promise<Response>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** Another key of the account, or of an account of its own when a balance is named. */
  newKey: (
    limits?: Partial<NewApiKey> & { balance?: string },
  ) => Promise<{ key: string; keyId: string; account: AccountId }>;
  /** Another key of any account. */
  newKeyOf(
    account: AccountId,
    limits?: Partial<NewApiKey>,
  ): Promise<{ key: string; keyId: string; account: AccountId }>;
  /** The answer to a GET of a task once it no longer says `processing`. */
  finished(path: string, key?: string): Promise<Answer>;
  /** The answer to a GET of an avatar-talk task once it is the video. */
  fetchedVideo(path: string, key?: string): Promise<Response>;
  /** How many blobs are stored. */
  blobs(): Promise<number>;
  /** What the API says of the account: CNY available and held. */
  money(key?: string): Promise<{ balance: number; held: number }>;
  /** Puts another `tollgate.yaml` in force, and returns in words what it changes. */
  reload(configuration: string): Promise<string>;
  /** Stops the API as a process does that is asked to stop; the rest goes on. */
  drain(pace?: DrainPace): Promise<void>;
  stop(): Promise<void>;
}

export interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- tests look into answers by name
}

export interface TestGatewayOptions {
  /** A `tollgate.yaml`; the built-in configuration without. */
  configuration?: string;
  env?: Record<string, string>;
  /** Without a worker, tasks stay accepted. */
  worker?: boolean;
  fetchWindowMs?: number;
  /** How long results are kept whatever is configured. */
  retentionMs?: () => number;
  trustedMs?: number;
  /** How long a provider is kept at least that a reload has removed. */
  leavingMs?: number;
  /** How webhooks are tried again. */
  deliveryPace?: DeliveryPace;
  /** What there may be at once. */
  bounds?: CoreOptions['bounds'];
  /** How fast callers must read stored files. */
  downloadPace?: CoreOptions['downloadPace'];
  /** Servers of the test's own, which it may stop, with a migrated database; those of the test run without. */
  servers?: { databaseUrl: string; temporalAddress: string };
  /** The kinds of provider that there are; the registry's without. */
  kinds?: readonly ProviderDefinition[];
  /** Silent without. */
  log?: Logger;
}

/** Starts a gateway; `stop` it in an `after` hook. */
export const startTestGateway = async (options: TestGatewayOptions = {}): Promise<TestGateway> =>
  viewOf(await startParts(options));

/**
 * An account of its own on a gateway that the test files of a process share: of the built-in configuration, without a worker.
 * For tests that look at their own accounts only, and change nothing else. It ends with the process: `stop` does nothing.
 */
export async function sharedTestGateway(): Promise<TestGateway> {
  shared ??= startParts({ worker: false });
  const parts = await shared.catch((error: unknown) => {
    shared = undefined; // the next file tries again
    throw error;
  });
  return viewOf({ ...parts, stop: () => Promise.resolve() });
}

let shared: Promise<Parts> | undefined;

/** What is once a gateway, however many accounts tests have on it. */
type Parts = Pick<
  TestGateway,
  'core' | 'by' | 'url' | 'databaseUrl' | 'dataDir' | 'reload' | 'drain' | 'stop' | 'blobs'
>;

async function startParts({
  configuration = builtInConfiguration,
  env = {},
  worker = true,
  fetchWindowMs,
  retentionMs,
  trustedMs,
  leavingMs,
  deliveryPace,
  bounds,
  downloadPace,
  servers,
  kinds = providerKinds,
  log = testLog,
}: TestGatewayOptions): Promise<Parts> {
  const coreMetrics = await runtimeOfProcess(log);
  const made = servers ? undefined : await freshDatabase();
  const databaseUrl = made?.url ?? servers?.databaseUrl ?? '';
  await made?.database.close();
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-test-'));
  const settings = {
    environment: readEnvironment({
      PORT: '0',
      TOLLGATE_DATA_DIR: dataDir,
      TOLLGATE_ALLOW_PRIVATE_URLS: 'true',
      ...env,
    }),
    configuration: readConfiguration(configuration, 'tollgate.yaml', env, kinds),
    configurationPath: undefined,
  };
  const core = await openCore(settings, {
    databaseUrl,
    secretTexts: ['a secret of the tests with 40 characters'],
    log,
    kinds,
    queuePrefix: `test-${randomBytes(6).toString('hex')}`,
    ...(fetchWindowMs !== undefined && { fetchWindowMs }),
    ...(retentionMs && { retentionMs }),
    ...(trustedMs !== undefined && { trustedMs }),
    ...(leavingMs !== undefined && { leavingMs }),
    ...(deliveryPace && { deliveryPace }),
    ...(bounds && { bounds }),
    ...(downloadPace && { downloadPace }),
  });
  if (coreMetrics) showTemporal(core.meters.metrics, coreMetrics, log);
  const target = {
    ...settings.environment.temporal,
    address: servers?.temporalAddress ?? fromTestRun('TEMPORAL_ADDRESS'),
  };
  // Without a worker it is as in a process of the API's own, which starts while Temporal is away.
  const connection = !worker
    ? await lazyConnection(target)
    : servers
      ? await workerConnection(target)
      : await connectionOfProcess();
  const workers =
    connection instanceof NativeConnection ? await startWorkerRole(core, connection, 'default') : undefined;
  const api = await startApiRole(core, connection, 'default', { eager: worker });

  let drained: Promise<void> | undefined;
  const drain = (pace?: DrainPace): Promise<void> => (drained ??= api.stop(pace));
  return {
    core,
    by: { database: core.database, ledgerKey: core.secrets.first.ledger, actor: 'tollgate' },
    url: api.url,
    databaseUrl,
    dataDir,
    blobs: () => (settings.environment.s3 ? countOf(core.blobs.list('')) : filesBelow(join(dataDir, 'blobs'))),
    reload: async (changed) => core.live.replace(readConfiguration(changed, 'tollgate.yaml', {}, kinds)),
    drain,
    async stop() {
      await drain();
      await workers?.stop();
      if (servers || !workers) await connection.close();
      await core.close();
      await made?.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A gateway as seen from an account of its own. */
async function viewOf(parts: Parts): Promise<TestGateway> {
  const { core, by } = parts;
  const newKey: TestGateway['newKey'] = async ({ balance, ...limits } = {}) =>
    newKeyOf(balance === undefined ? gateway.account : await newAccount(balance), limits);
  const newKeyOf: TestGateway['newKeyOf'] = async (account, limits = {}) => {
    const { key, secret } = await createApiKey(by, account, {
      ...noLimits,
      name: 'test',
      level: 'standard',
      ...limits,
    });
    return { key: secret, keyId: key.id, account };
  };
  const newAccount = async (balance: string): Promise<AccountId> => {
    const { id } = await createAccount(by, 'test');
    const amount = parseAmount(balance);
    if (amount !== undefined && amount > 0n) await core.ledger.credit(id, amount, 'for a test');
    return id;
  };
  const gateway: TestGateway = {
    ...parts,
    account: await newAccount('100'),
    key: '',
    fetch: (path, { key = gateway.key, ...init } = {}) => {
      const headers = new Headers(init.headers);
      if (key !== null && !headers.has('Authorization')) headers.set('Authorization', `Bearer ${key}`);
      return fetch(path.startsWith('http') ? path : `${parts.url}${path}`, { ...init, headers });
    },
    post: async (path, body, headers = {}) =>
      answerOf(
        await gateway.fetch(path, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', ...headers },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
      ),
    get: async (path, headers = {}) => answerOf(await gateway.fetch(path, { headers })),
    newKey,
    newKeyOf,
    finished: async (path, key = gateway.key) => {
      for (let tries = 0; tries < 1_200; tries++) {
        const answer = await gateway.get(path, bearer(key));
        if (answer.body['status'] !== 'processing') return answer;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(`${path} is still processing after a minute`);
    },
    fetchedVideo: async (path, key = gateway.key) => {
      for (let tries = 0; tries < 600; tries++) {
        const response = await gateway.fetch(path, { headers: bearer(key) });
        if (response.headers.get('content-type') === 'video/mp4') return response;
        const { body } = await answerOf(response);
        assert.equal(body['status'], 'processing', JSON.stringify(body));
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      throw new Error('no video after a minute');
    },
    money: async (key = gateway.key) => {
      const { balance, held } = (await gateway.get('/v1/account', bearer(key))).body;
      return { balance: Number(balance), held: Number(held) };
    },
  };
  gateway.key = (await newKey({ level: 'admin' })).key;
  return gateway;
}

/** The header that sends a request with another key. */
export const bearer = (key: string): Record<string, string> => ({ Authorization: `Bearer ${key}` });

async function countOf(found: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const each of found) count += each === undefined ? 0 : 1;
  return count;
}

/** Counts while the gateway may be deleting: a folder that is gone before it was read holds nothing. */
async function filesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  });
  let files = entries.filter((entry) => entry.isFile()).length;
  for (const entry of entries) if (entry.isDirectory()) files += await filesBelow(join(folder, entry.name));
  return files;
}

/** Reads an answer whole. */
export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? (JSON.parse(text) as Answer['body']) : { text },
  };
}
