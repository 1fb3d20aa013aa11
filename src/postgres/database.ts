/** The connection to PostgreSQL: pools, partitions, and what its errors mean. */
import pg from 'pg';
import * as z from 'zod';
import { BoundedPool, PoolFull } from './connection-pool.ts';

export interface Database {
  readonly url: string;
  readonly pool: pg.Pool;
  /** For named statements by key or along an index, over tables that have partitions: each is planned once a connection. */
  readonly keyed: pg.Pool;
  /** For statements without a time limit, such as those of an audit. */
  readonly longRunning: pg.Pool;
  /** Connections on which a transaction's statements are sent without waiting for each other's answers. */
  readonly pipelined: pg.Pool;
  /** Ends the connections; calling it again changes nothing. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** Called with the error of a connection that broke while idle: a server that stops ends them with 57P01. */
  onIdleError: (error: Error) => void;
  connectionsMax?: number;
}

/** A little more than the server gives a statement, which only a server that is frozen or cut off doesn't keep. */
const answerMsMax = 9_000;
/** Other transactions hold the rows of accounts and keys for milliseconds. */
const lockMsMax = 3_000;

/** Of `openDatabase` by default, and the one that listens for news. */
const poolConnections = 6;
const keyedConnections = 4;
const keyedSecondsMax = 3_600;
const longRunningConnections = 2;
const pipelinedConnections = 4;
export const connectionsPerProcess =
  poolConnections + keyedConnections + longRunningConnections + pipelinedConnections + 1;

/** Opens pools on a database; connects on first use. Integers of 64 bits arrive as bigint. */
export function openDatabase(
  url: string,
  { onIdleError, connectionsMax = poolConnections }: DatabaseOptions,
): Database {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, (digits: string) => BigInt(digits));
  const options: pg.PoolConfig = {
    connectionString: url,
    types,
    connectionTimeoutMillis: 5_000,
    // Every statement is bounded, so that a lock that is never released can't hold a request for ever.
    statement_timeout: 8_000,
    idle_in_transaction_session_timeout: 15_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
  const hurried = { ...options, query_timeout: answerMsMax };
  const pool = new BoundedPool({ ...hurried, max: connectionsMax });
  const longRunning = new BoundedPool({ ...options, max: longRunningConnections });
  // Statements by key, over partitions: planning one of the ledger's takes 3 ms, running it 0.3, and one that looks along an
  // index of 80 partitions 10 ms and 1. So they are planned once a connection, and never with a scan, nor with a join that
  // reads a whole table or keeps one, nor by collecting rows to sort them, whatever size the tables had in that moment.
  // Such a plan leaves out partitions when it is run.
  const without = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin', 'material'];
  const planning = `-c plan_cache_mode=force_generic_plan${without.map((way) => ` -c enable_${way}=off`).join('')}`;
  const keyed = new BoundedPool({
    ...hurried,
    max: Math.min(connectionsMax, keyedConnections),
    pipeline: true, // an intent that waits for a slot sends its first statements together
    options: planning,
    maxLifetimeSeconds: keyedSecondsMax, // plans over many partitions are large, and lists have one for each set of filters
  });
  const pipelined = new BoundedPool({
    ...hurried,
    lock_timeout: lockMsMax,
    max: pipelinedConnections,
    pipeline: true,
    options: planning,
  });
  for (const each of [pool, keyed, longRunning, pipelined]) {
    each.on('error', onIdleError);
    // The pool listens to idle connections only. One that breaks in use fails its statements, and besides emits an
    // `error` that would end the process without a listener.
    each.on('connect', (client) => client.on('error', () => undefined));
  }
  let closed: Promise<unknown> | undefined;
  return {
    url,
    pool,
    keyed,
    longRunning,
    pipelined,
    async close() {
      await (closed ??= Promise.all([pool.end(), keyed.end(), longRunning.end(), pipelined.end()]));
    },
  };
}

/** Few, since each partition costs every statement some time; all processes make new ones long before they are needed. */
const partitionsMonthsAhead = 2;

/** Looking through so much of a `_rest` takes some 0.1 s, in which commits wait. */
const restBytesMax = 256 * 1024 * 1024;

type Asked = Pick<pg.Client | pg.Pool, 'query'>;

/**
 * Makes the partitions of this month and the next ones; repeating it changes nothing. Where the rows without a month of
 * their own are very many, commits would have to wait: then it makes none, unless it is `patient`.
 */
export async function ensurePartitions(client: Asked, { patient = false } = {}): Promise<void> {
  const bound = patient ? null : restBytesMax;
  await client.query('select tollgate_ensure_partitions($1, $2)', [partitionsMonthsAhead, bound]);
}

/** Makes them, as `ensurePartitions`, and returns which of this month's and the next one's are missing all the same. */
export async function supplyPartitions({ pool }: Pick<Database, 'pool'>): Promise<string[]> {
  await ensurePartitions(pool);
  return missingPartitions(pool);
}

/**
 * The partitions of this month and the next one that are not there, as `entries_2026_01`. Rows of such a month go to the
 * `_rest` of their table and stay there, which makes statements slower and loses nothing.
 */
export async function missingPartitions(client: Asked): Promise<string[]> {
  const { rows } = await client.query('select name from tollgate_missing_partitions(1)');
  return z
    .array(z.object({ name: z.string() }))
    .parse(rows)
    .map(({ name }) => name);
}

/** The code of a database error (SQLSTATE), such as `40P01`. */
export function sqlState(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError) return error.code;
  return error instanceof Error && error.cause !== undefined ? sqlState(error.cause) : undefined;
}

/** The SQLSTATE of `tollgate_require`, a class of our own. */
const guardFailed = 'TG001';

/** Returns the name of the guard that failed, such as `hold_closed`, if the error is that of a guard in a statement. */
export function failedGuard(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError) return error.code === guardFailed ? error.constraint : undefined;
  return error instanceof Error && error.cause !== undefined ? failedGuard(error.cause) : undefined;
}

/**
 * What an error says of the database, where the same may work later. `away`: it can't be reached, or doesn't answer.
 * `busy`: it, or our connections to it, have too much to do, or others held a lock for too long. Undefined for all else.
 */
export function databaseFailure(error: unknown): 'away' | 'busy' | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof PoolFull) return 'busy';
  if (error instanceof pg.DatabaseError) {
    const state = error.code ?? '';
    if (/^53|^(57014|55P03|40P01|40001|25P03)$/.test(state)) return 'busy';
    // Connections, shutdowns and starts; a standby after a change-over; a password or database that is being replaced.
    return /^(08|57P|28)|^(25006|3D000)$/.test(state) ? 'away' : undefined;
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/^(ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)/.test(code)) return 'away';
  if (/timeout exceeded when trying to connect/.test(error.message)) return 'busy';
  if (/connection (terminated|timeout|error)|query read timeout|not queryable/i.test(error.message)) return 'away';
  return error.cause === undefined ? undefined : databaseFailure(error.cause);
}

/** Whether an error means that the database can't be reached now, or takes no connections, so that the same may work later. */
export function isConnectionError(error: unknown): boolean {
  const failure = databaseFailure(error);
  return failure === 'away' || (failure === 'busy' && !isLockError(error));
}

/** Whether a statement was given up because others held what it needed, or because it took too long. */
export const isLockError = (error: unknown): boolean =>
  ['55P03', '57014', '40P01', '40001'].includes(sqlState(error) ?? '');

/** Whether a statement was given up because it took longer than statements may. */
export const isTimedOut = (error: unknown): boolean => sqlState(error) === '57014';
