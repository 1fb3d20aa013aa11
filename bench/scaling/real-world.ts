/** A PostgreSQL of the benchmark's own with one account, and processes that work on it as APIs do. */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { z } from 'zod';
import { micros } from '../../src/domain/money.ts';
import { startPostgres } from '../../src/embedded/postgres-server.ts';
import { deriveKeys } from '../../src/config/secrets.ts';
import { createAccount } from '../../src/accounts/accounts.ts';
import { createApiKey, noLimits } from '../../src/accounts/api-keys.ts';
import { openDatabase } from '../../src/postgres/database.ts';
import { migrateDatabase } from '../../src/postgres/migrations.ts';
import { GroupCommitter } from '../../src/ledger/commit/group-commit.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { end, nextMessage } from '../children.ts';
import { say } from '../report.ts';
import type { Order } from './messages.ts';

type Work<Each extends Order = Order> = Each extends Order
  ? Omit<Each, 'databaseUrl' | 'ledgerKey' | 'account' | 'keys'>
  : never;

export interface RealWorld {
  databaseUrl: string;
  /** Has a process carry it out; it is ended by `ended` or by `stop`. */
  start(work: Work): ChildProcess;
  ended(child: ChildProcess): Promise<void>;
  /** Has one process for each of these works carry it out, all at once. */
  run<Answer>(works: readonly Work[], schema: z.ZodType<Answer>): Promise<Answer[]>;
  stop(): Promise<void>;
}

const balance = micros(1_000_000_000_000_000n);
const secret = 'the secret of the scaling benchmark and of nothing else';

export async function startRealWorld(): Promise<RealWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-bench-'));
  const children = new Set<ChildProcess>();
  let stopServer: (() => Promise<void>) | undefined;
  const stopAll = async () => {
    await Promise.all([...children].map((child) => end(child)));
    await stopServer?.();
    await rm(folder, { recursive: true, force: true });
  };
  let stopping: Promise<void> | undefined;
  // Ctrl-C and the end of what it interrupts both ask for it.
  const stop = () => (stopping ??= stopAll());
  try {
    const postgres = await startPostgres({ dataDir: folder, say });
    stopServer = () => postgres.stop();
    const databaseUrl = await newDatabase(postgres.url, 'bench_scaling');
    const customer = await newCustomer(databaseUrl);
    const start = (work: Work) => {
      const child = fork(join(import.meta.dirname, 'ledger-process.ts'), { execArgv: ['--import', 'tsx'] });
      children.add(child);
      child.send({ ...work, databaseUrl, ...customer });
      return child;
    };
    const ended = async (child: ChildProcess) => {
      await end(child);
      children.delete(child);
    };
    const runOne = async <Answer>(work: Work, schema: z.ZodType<Answer>) => {
      const child = start(work);
      try {
        return schema.parse(await nextMessage(child));
      } finally {
        await ended(child);
      }
    };
    const run = <Answer>(works: readonly Work[], schema: z.ZodType<Answer>) =>
      Promise.all(works.map((work) => runOne(work, schema)));
    return { databaseUrl, start, ended, run, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function newDatabase(server: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
  const address = new URL(server);
  address.pathname = `/${name}`;
  await migrateDatabase(address.href);
  return address.href;
}

async function newCustomer(url: string): Promise<{ account: string; keys: string[]; ledgerKey: string }> {
  const database = openDatabase(url, { onIdleError: () => undefined });
  try {
    const { ledger: ledgerKey } = deriveKeys([secret]).first;
    const by = { database, ledgerKey, actor: 'tollgate' } as const;
    const { id: account } = await createAccount(by, 'the hot account');
    await new Ledger(new GroupCommitter(database, ledgerKey)).credit(account, balance, 'for the benchmark');
    const { key } = await createApiKey(by, account, { ...noLimits, name: 'hot', level: 'standard' });
    return { account, keys: [key.id], ledgerKey: ledgerKey.toString('hex') };
  } finally {
    await database.close();
  }
}
