/** The connection to PostgreSQL: pools, drizzle over them, and the migrations. */
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/node-postgres';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import pg from 'pg';

export interface Database {
  readonly url: string;
  readonly pool: pg.Pool;
  /** Connections on which a transaction's statements are sent without waiting for each other's answers. */
  readonly pipelined: pg.Pool;
  /** Ends the connections; calling it again changes nothing. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** Told of connections that broke while idle: a server that stops ends them with 57P01. */
  onIdleError: (error: Error) => void;
  connectionsMax?: number;
}

/** Opens pools on a database; connects on first use. Integers of 64 bits arrive as bigint. */
export function openDatabase(url: string, { onIdleError, connectionsMax = 10 }: DatabaseOptions): Database {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, (digits: string) => BigInt(digits));
  const options: pg.PoolConfig = {
    connectionString: url,
    types,
    connectionTimeoutMillis: 5_000,
    // Every statement is bounded, so that a lock that nobody releases can't hold a request for ever.
    statement_timeout: 8_000,
    idle_in_transaction_session_timeout: 15_000,
    keepAlive: true,
  };
  const pool = new pg.Pool({ ...options, max: connectionsMax });
  // Statements of the ledger are all by key, over partitions: planning one takes 3 ms, running it 0.3. So they are planned
  // once a connection, and never with a scan, nor with a join that reads a whole table, whatever size the tables had in
  // that moment.
  const planning =
    '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off';
  const pipelined = new pg.Pool({ ...options, max: 4, pipeline: true, options: planning });
  for (const each of [pool, pipelined]) {
    each.on('error', onIdleError);
    // The pool listens to idle connections only. One that breaks in use tells its statements, and besides emits an
    // `error` that would end the process if nobody listened.
    each.on('connect', (client) => client.on('error', () => undefined));
  }
  let closed: Promise<unknown> | undefined;
  return {
    url,
    pool,
    pipelined,
    async close() {
      await (closed ??= Promise.all([pool.end(), pipelined.end()]));
    },
  };
}

/** Any number, as long as no other program uses it in the same database. */
const migrationLock = 7_018_551;

/**
 * Brings the schema up to date. Safe when several processes start at once: one migrates while the others wait for its
 * lock and then find nothing left to do. Refuses a database that is newer than this program.
 */
export async function migrateDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    const migrationsFolder = fileURLToPath(new URL('../../migrations', import.meta.url));
    await refuseNewer(client, migrationsFolder);
    await migrate(drizzle(client), { migrationsFolder });
    await ensurePartitions(client);
  } finally {
    await client.end();
  }
}

/** drizzle itself would take a newer schema for one that is up to date. */
async function refuseNewer(client: pg.Client, migrationsFolder: string): Promise<void> {
  const { rowCount } = await client.query(
    `select 1 from information_schema.tables where table_schema = 'drizzle' and table_name = '__drizzle_migrations'`,
  );
  if (rowCount === 0) return;
  const newest = Math.max(...readMigrationFiles({ migrationsFolder }).map(({ folderMillis }) => folderMillis));
  const newer = await client.query('select 1 from drizzle.__drizzle_migrations where created_at > $1', [newest]);
  if (newer.rowCount !== 0) throw new Error('The database was migrated by a newer version of Tollgate; run that one.');
}

/** Few, since each partition costs every statement some time; the workers make new ones long before they are needed. */
const partitions_months_ahead = 2;

/** Makes the partitions of this month and the next ones; repeating it changes nothing. */
export async function ensurePartitions(client: Pick<pg.Client | pg.Pool, 'query'>): Promise<void> {
  await client.query('select tollgate_ensure_partitions($1)', [partitions_months_ahead]);
}

/** The code of a database error (SQLSTATE), such as `40P01`. */
export function sqlState(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError) return error.code;
  return error instanceof Error && error.cause !== undefined ? sqlState(error.cause) : undefined;
}

/** Whether an error tells that the database can't be reached now, so that the same may work later. */
export function isConnectionTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const state = sqlState(error);
  if (state !== undefined) return /^(08|57P|53)/.test(state);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/^(ECONN|EPIPE|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT)/.test(code)) return true;
  if (
    /connection (terminated|timeout|error)|timeout exceeded when trying to connect|not queryable/i.test(error.message)
  )
    return true;
  return error.cause !== undefined && isConnectionTrouble(error.cause);
}
