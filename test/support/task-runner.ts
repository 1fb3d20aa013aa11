/** Workers on the real Temporal server and a database of their own, with providers that a test makes up. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import pino from 'pino';
import type { ActivityDependencies } from '../../src/activities/index.ts';
import { release } from '../../src/activities/end.ts';
import type { TaskId } from '../../src/domain/ids.ts';
import type { Poll, ResultPart, Submission, TaskProvider } from '../../src/providers/contract.ts';
import { createFileBlobs } from '../../src/storage/file-blobs.ts';
import { findTask, type StartFacts, type Task } from '../../src/storage/tasks.ts';
import { queueNames } from '../../src/temporal/names.ts';
import { installTemporalRuntime } from '../../src/temporal/runtime.ts';
import { StartScan } from '../../src/temporal/start-scan.ts';
import { TaskStarter } from '../../src/temporal/task-starter.ts';
import { type RunningWorkers, startWorkers } from '../../src/temporal/worker.ts';
import { freshDatabase, fromTestRun, type TestDatabase } from './database.ts';
import { wav } from './media.ts';
import { type AdmissionOptions, admissionOf, type Customer, newCustomer, newLedger } from './money.ts';

const log = pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' }, pino.destination(2));
let runtimeInstalled = false;

/** What a provider of the test answers; what is left out answers as a provider without trouble would. */
export interface Script {
  abilities?: Partial<TaskProvider['abilities']>;
  submit?: (signal: AbortSignal) => Submission | Promise<Submission>;
  poll?: (signal: AbortSignal) => Poll | Promise<Poll>;
  find?: () => string | undefined | Promise<string | undefined>;
}

/** A provider in memory that counts what it was asked. */
export class ScriptedProvider implements TaskProvider {
  readonly abilities: TaskProvider['abilities'];
  readonly asked = { submit: 0, poll: 0, find: 0, cancel: 0 };
  readonly #script: Script;

  constructor(script: Script = {}) {
    this.#script = script;
    this.abilities = { idempotent: false, lookup: false, cancel: true, ...script.abilities };
  }

  async submit(_job: unknown, signal: AbortSignal): Promise<Submission> {
    this.asked.submit += 1;
    return (await this.#script.submit?.(signal)) ?? { outcome: 'accepted', jobId: 'job' };
  }

  async poll(_jobId: string, _job: unknown, signal: AbortSignal): Promise<Poll> {
    this.asked.poll += 1;
    return (await this.#script.poll?.(signal)) ?? { state: 'succeeded', parts: [part(image)] };
  }

  async find(): Promise<string | undefined> {
    this.asked.find += 1;
    return await this.#script.find?.();
  }

  cancel(): Promise<void> {
    this.asked.cancel += 1;
    return Promise.resolve();
  }
}

/** A PNG of one pixel. */
export const image = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
/** Sound of this length: media with a duration. */
export const sound = (seconds: number): Buffer => wav({ seconds, samplesPerSecond: 8_000 });

export const part = (bytes: Buffer): ResultPart => ({ open: () => Promise.resolve(Readable.from([bytes])) });

export interface TaskRunner {
  db: TestDatabase;
  deps: ActivityDependencies;
  client: Client;
  starter: TaskStarter;
  customer: Customer;
  /** Admits a task on these providers, 10 micro-yuan an image or second, and starts nothing. */
  admit(options: AdmissionOptions): Promise<TaskId>;
  /** Admits a task and starts its workflow. */
  start(options: AdmissionOptions): Promise<TaskId>;
  facts(task: TaskId): Promise<StartFacts>;
  /** The task's row once it is final. */
  final(task: TaskId): Promise<Task>;
  work(): Promise<void>;
  /** Starts the scans that a worker process runs. */
  scan(): StartScan;
  stop(): Promise<void>;
}

/** Makes a runner; `work: false` for one whose workers are started later by `work()`. */
export async function startTaskRunner({
  providers,
  fetchWindowMs = 600_000,
  work = true,
}: {
  providers: Record<string, TaskProvider>;
  fetchWindowMs?: number;
  work?: boolean;
}): Promise<TaskRunner> {
  if (!runtimeInstalled) installTemporalRuntime(log);
  runtimeInstalled = true;
  const db = await freshDatabase();
  const ledger = newLedger(db.database);
  const customer = await newCustomer(db.database, ledger, 1_000_000n);
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-test-'));
  const deps: ActivityDependencies = {
    database: db.database,
    ledger,
    blobs: createFileBlobs(folder),
    providers: new Map(Object.entries(providers)),
    log,
    fetchWindowMs,
  };
  const connection = await NativeConnection.connect({ address: fromTestRun('TEMPORAL_ADDRESS') });
  const client = new Client({ connection, namespace: 'default' });
  const queues = queueNames(`test-${randomBytes(6).toString('hex')}`);
  const starter = new TaskStarter(client, queues, { eager: false });
  const scans: StartScan[] = [];
  let workers: RunningWorkers | undefined;
  const runner: TaskRunner = {
    db,
    deps,
    client,
    starter,
    customer,
    async admit(options) {
      const answer = await ledger.admitTask(admissionOf(customer, 10n, options));
      if (answer.admitted !== 'new') throw new Error(`the task was not admitted: ${answer.admitted}`);
      return answer.taskId;
    },
    async start(options) {
      const id = await runner.admit(options);
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
      workers = await startWorkers(connection, 'default', queues, deps);
    },
    scan() {
      const scan = new StartScan({ database: db.database, starter, release: (args) => release(deps, args), log });
      scans.push(scan);
      return scan;
    },
    async stop() {
      for (const scan of scans) await scan.close();
      await workers?.stop();
      await connection.close();
      await db.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  if (work) await runner.work();
  return runner;
}
