/** A database for one test file: made from a migrated template on the server that `npm test` runs. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type Database, openDatabase } from '../../src/postgres/database.ts';
import { migrateDatabase } from '../../src/postgres/migrations.ts';
import { keepFewPartitions } from './few-partitions.ts';

const templateLock = 424_242;
const wholeTemplate = 'tollgate_template_whole';
const template = 'tollgate_template';

export interface TestDatabase {
  url: string;
  database: Database;
  drop(): Promise<void>;
}

/** The address of a server that `npm test` started; these tests don't run without it. */
export function fromTestRun(
  name: 'DATABASE_URL' | 'TEMPORAL_ADDRESS' | 'TEMPORAL_CLI' | 'TEMPORAL_SERVER' | 'S3_SERVER' | 'COMPOSE_READER',
): string {
  const value = process.env[`TOLLGATE_TEST_${name}`];
  if (value === undefined)
    throw new Error("Run this with 'npm test -- <file>': it needs the servers that npm test starts.");
  return value;
}

/** A new, migrated and empty database, with the partitions of today alone unless it `isWhole`. */
export async function freshDatabase({ isWhole = false } = {}): Promise<TestDatabase> {
  const server = fromTestRun('DATABASE_URL');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer(server, async (client) => {
    if (!(await hasTemplate(client))) await makeTemplate(client, server);
    // The other strategy writes all of it into the log besides, and takes two and a half times as much of the CPU.
    await client.query(`create database ${name} template ${isWhole ? wholeTemplate : template} strategy file_copy`);
  });
  return opened(server, name);
}

function opened(server: string, name: string): TestDatabase {
  const url = named(server, name);
  const database = openDatabase(url, { onIdleError: () => undefined });
  return {
    url,
    database,
    async drop() {
      await database.close();
      await onServer(server, (client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
}

async function hasTemplate(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [template]);
  return rowCount === 1;
}

/** Makes both once, whichever test process comes first. */
async function makeTemplate(client: pg.Client, server: string): Promise<void> {
  await client.query('select pg_advisory_lock($1)', [templateLock]);
  if (!(await hasTemplate(client))) {
    await client.query(`create database ${wholeTemplate}`);
    await migrateDatabase(named(server, wholeTemplate));
    await client.query(`create database ${template}_made template ${wholeTemplate}`);
    await onServer(named(server, `${template}_made`), keepFewPartitions);
    await client.query(`alter database ${template}_made rename to ${template}`);
  }
  await client.query('select pg_advisory_unlock($1)', [templateLock]);
}

/** Calls back with a connection of its own, which reads values as the driver does, not as the gateway. */
export async function onServer<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

function named(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}
