/** Workers on the real Temporal server and a database of their own, with providers that a test makes up. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { ActivityDependencies, WorkerDependencies } from '../../src/activities/index.ts';
import type { BatchSteps, ProviderLimits } from '../../src/activities/dependencies.ts';
import { release } from '../../src/activities/end.ts';
import {
  type DeliveryPace,
  judgedStatus,
  standardPace,
  type WebhookOutcome,
  type WebhookRequest,
} from '../../src/domain/webhook-rules.ts';
import type { KeyLimits } from '../../src/domain/accounts/key-rules.ts';
import type { TaskId } from '../../src/domain/ids.ts';
import type { Job, Poll, ResultPart, StoredAnswer, Submission, TaskProvider } from '../../src/providers/contract.ts';
import { deriveKeys } from '../../src/config/secrets.ts';
import { openDatabase } from '../../src/postgres/database.ts';
import { createFileBlobs } from '../../src/blobs/file-store.ts';
import { findTask, type StartFacts, type Task } from '../../src/tasks/rows/task-rows.ts';
import { dataConverterOf } from '../../src/temporal/codec.ts';
import type { CodecKey } from '../../src/config/codec-keys.ts';
import { queueNames, type QueueNames } from '../../src/temporal/temporal-names.ts';
import { KeyQueues } from '../../src/tasks/start/key-queues.ts';
import { StartScan } from '../../src/tasks/start/start-scan.ts';
import { BatchScan } from '../../src/batches/batch-scan.ts';
import { BatchStarter } from '../../src/batches/batch-starter.ts';
import { EventScan } from '../../src/webhooks/event-scan.ts';
import { TaskStarter } from '../../src/tasks/start/task-starter.ts';
import { type RunningWorkers, startWorkers } from '../../src/temporal/worker.ts';
import { eventData } from '../../src/runtime/event-data.ts';
import { freshDatabase, fromTestRun, type TestDatabase } from './database.ts';
import { mp4 } from './media.ts';
import { type AdmissionOptions, admissionOf, type Customer, ledgerKey, newCustomer, newLedger } from './money.ts';
import { connectionOfProcess, runtimeOfProcess, testLog as log } from './temporal.ts';

const secrets = deriveKeys(['a secret of the tests with 40 characters']);

/** What a provider of the test answers; what is left out answers as a working provider would. */
export interface Script {
  abilities?: Partial<TaskProvider['abilities']>;
  submit?: (signal: AbortSignal, job: Job) => Submission | Promise<Submission>;
  poll?: (signal: AbortSignal) => Poll | Promise<Poll>;
  /** Whether the answer to a create is its result, so that a lost one is lost for good. */
  answersWithResult?: boolean;
  /** Of a submit that is `finished`; its answer is one file without. */
  resultOf?: (answer: StoredAnswer) => Poll;
  find?: () => string | undefined | Promise<string | undefined>;
  /** Whether it is stopped; it is without. */
  cancel?: (jobId: string) => boolean | Promise<boolean>;
}

/** A provider in memory that counts what it was asked. */
export class ScriptedProvider implements TaskProvider {
  readonly abilities: TaskProvider['abilities'];
  readonly asked = { submit: 0, poll: 0, find: 0, cancel: 0 };
  readonly #script: Script;

  constructor(script: Script = {}) {
    this.#script = script;
    this.abilities = { idempotent: false, lookup: false, cancel: true, webhook: false, ...script.abilities };
  }

  async submit(job: Job, signal: AbortSignal): Promise<Submission> {
    this.asked.submit += 1;
    return (await this.#script.submit?.(signal, job)) ?? { outcome: 'accepted', jobId: 'job' };
  }

  async poll(_jobId: string, _job: unknown, signal: AbortSignal): Promise<Poll> {
    this.asked.poll += 1;
    return (await this.#script.poll?.(signal)) ?? { state: 'succeeded', parts: [part(image)] };
  }

  answersWithResult(): boolean {
    return this.#script.answersWithResult === true;
  }

  resultOf(answer: StoredAnswer): Promise<Poll> {
    const one: Poll = { state: 'succeeded', parts: [{ open: () => answer.read() }] };
    return Promise.resolve(this.#script.resultOf?.(answer) ?? one);
  }

  async find(): Promise<string | undefined> {
    this.asked.find += 1;
    return await this.#script.find?.();
  }

  async cancel(jobId: string): Promise<boolean> {
    this.asked.cancel += 1;
    return (await this.#script.cancel?.(jobId)) ?? true;
  }
}

const absent = () => Promise.reject(new Error('the test has no such step'));
const noSteps: BatchSteps = { validate: absent, runSlice: absent, finalize: absent, cancel: absent, progress: absent };

/** A PNG of one pixel. */
export const image = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
/** A video of this length. */
export const silentVideo = (seconds: number): Promise<Buffer> => mp4({ seconds, hasAudio: false });

export const part = (bytes: Buffer): ResultPart => ({ open: () => Promise.resolve(Readable.from([bytes])) });

export interface TaskRunner {
  db: TestDatabase;
  deps: ActivityDependencies;
  client: Client;
  starter: TaskStarter;
  events: EventScan;
  batchStarter: BatchStarter;
  batchScan: BatchScan;
  queues: QueueNames;
  customer: Customer;
  /** Admits a task on these providers, 10 micro-units an image or second, and starts nothing. */
  admit(options: AdmissionOptions, of?: Customer): Promise<TaskId>;
  /** Admits a task and starts its workflow. */
  start(options: AdmissionOptions, of?: Customer): Promise<TaskId>;
  /** Another account with money, and a key with these limits. */
  newCustomer(limits?: Partial<KeyLimits>): Promise<Customer>;
  facts(task: TaskId): Promise<StartFacts>;
  /** The task's row once it is final. */
  final(task: TaskId): Promise<Task>;
  /** Starts the workers; each call after the first one starts another set, with connections of its own. */
  work(): Promise<RunningWorkers>;
  /** Starts the scans that a worker process runs. */
  scan(): StartScan;
  stop(): Promise<void>;
}

/** Makes a runner; `work: false` for one whose workers are started later by `work()`. */
export async function startTaskRunner({
  providers,
  limits = {},
  fetchWindowMs = 600_000,
  lostAfterMs = 180_000,
  webhook = () => judgedStatus(204),
  pace = standardPace,
  namespace = 'default',
  address,
  codecKeys,
  batches = {},
  work = true,
}: {
  providers: Record<string, TaskProvider>;
  /** By the names of providers. */
  limits?: Record<string, ProviderLimits>;
  fetchWindowMs?: number;
  lostAfterMs?: number;
  /** What an attempt to deliver an event comes to; delivered without. */
  webhook?: (request: WebhookRequest, signal: AbortSignal) => WebhookOutcome | Promise<WebhookOutcome>;
  /** How deliveries are tried again. */
  pace?: DeliveryPace;
  /** One that is there, and where it is: on the run's server without. */
  namespace?: string;
  address?: string;
  /** Payloads are encrypted with the first; not at all without. */
  codecKeys?: readonly CodecKey[];
  /** What the steps of batches do; those that are left out fail. */
  batches?: Partial<BatchSteps>;
  work?: boolean;
}): Promise<TaskRunner> {
  await runtimeOfProcess();
  const db = await freshDatabase();
  const ledger = newLedger(db.database);
  const moneyed = (limits: Partial<KeyLimits> = {}) => newCustomer(db.database, ledger, 1_000_000n, limits);
  const customer = await moneyed();
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-test-'));
  const deps: WorkerDependencies = {
    database: db.database,
    ledger,
    ledgerKeys: [ledgerKey],
    currency: 'CNY',
    blobs: createFileBlobs(folder),
    providers: new Map(Object.entries(providers)),
    limits: (provider) => limits[provider] ?? {},
    variables: () => ({}),
    addresses: {
      media: (task, file) => `http://gateway/${task.id}/${file}`,
      hook: (task) => `http://gateway/${task.id}`,
      isHook: (url, task) => url === `http://gateway/${task.id}`,
    },
    downloads: (download) => download(),
    webhooks: {
      post: (request, signal) => Promise.resolve(webhook(request, signal)),
      dataOf: eventData({ database: db.database, secrets, currency: 'CNY', publicUrl: () => 'http://gateway' }),
      secrets: () => Promise.resolve(['whsec_c2VjcmV0']),
      pace,
    },
    batches: { ...noSteps, ...batches },
    audit: () => Promise.reject(new Error('there is no audit here')),
    log,
    fetchWindowMs,
    lostAfterMs,
    retentionMs: () => 7 * 86_400_000,
    removeLeftovers: () => Promise.resolve(0),
    startNext: (key) => keyQueues.startNext(key),
  };
  const connect = () => NativeConnection.connect({ address: address ?? fromTestRun('TEMPORAL_ADDRESS') });
  const connection = address === undefined ? await connectionOfProcess() : await connect();
  const shared = { namespace, ...dataConverterOf(codecKeys) };
  const client = new Client({ connection, ...shared });
  const queues = queueNames(`test-${randomBytes(6).toString('hex')}`);
  const starter = new TaskStarter(client, queues, { eager: false });
  const keyQueues = new KeyQueues({ database: db.database, starter, log });
  const events = new EventScan({ ...deps, client, queues });
  const batchStarter = new BatchStarter(client, queues);
  const batchScan = new BatchScan({ ...deps, starter: batchStarter });
  const scans: StartScan[] = [];
  const workers: RunningWorkers[] = [];
  const more: { close(): Promise<void> }[] = [];
  const runner: TaskRunner = {
    db,
    deps,
    client,
    starter,
    events,
    batchStarter,
    batchScan,
    queues,
    customer,
    newCustomer: moneyed,
    async admit(options, of = customer) {
      const answer = await ledger.admitTask(admissionOf(of, 10n, options));
      if (answer.admitted !== 'new') throw new Error(`the task was not admitted: ${answer.admitted}`);
      return answer.taskId;
    },
    async start(options, of) {
      const id = await runner.admit(options, of);
      await starter.start(await runner.facts(id));
      return id;
    },
    async facts(id) {
      const task = await findTask(db.database, id);
      if (!task) throw new Error(`no task ${id}`);
      return task;
    },
    async final(id) {
      for (let tries = 0; tries < 1_500; tries++) {
        const task = await findTask(db.database, id);
        if (task?.finishedAt) return task;
        await pause(20);
      }
      throw new Error(`${id} is not final after half a minute`);
    },
    async work() {
      if (workers.length === 0) {
        const first = await startWorkers(connection, shared, queues, deps);
        workers.push(first);
        return first;
      }
      const database = openDatabase(db.url, { onIdleError: () => undefined });
      const own = await connect(); // one connection can't have two workers of a queue
      more.push(database, own);
      const another = await startWorkers(own, shared, queues, { ...deps, database, ledger: newLedger(database) });
      workers.push(another);
      return another;
    },
    scan() {
      const onUnreadable = () => undefined;
      const tools = { ...deps, starter, keyQueues, events, batches: batchScan, onUnreadable };
      const scan = new StartScan({ ...tools, release: (args) => release(deps, args) });
      scans.push(scan);
      return scan;
    },
    async stop() {
      for (const scan of scans) await scan.close();
      await Promise.all(workers.map((each) => each.stop()));
      await keyQueues.idle();
      await Promise.all(more.map((each) => each.close()));
      if (address !== undefined) await connection.close();
      await db.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  if (work) await runner.work();
  return runner;
}
