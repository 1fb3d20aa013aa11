/** The numbered `.sql` files in `migrations/`: applies those that a database lacks, and says how far it has come. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import * as z from 'zod';
import { type Database, ensurePartitions } from './database.ts';

/** Beside `src`, and beside `dist` in a build. */
const ownFolder = fileURLToPath(new URL('../../migrations', import.meta.url));

/** Any number, as long as no other program uses it in the same database. */
const migrationLock = 7_018_551;

/** For each lock that a migration takes: all writes to a table queue behind a statement that waits for it. */
const lockTimeout = '5s';

interface Migration {
  /** The file's name, which begins with its number: `0001_accounts.sql`. */
  name: string;
  sql: string;
  sha256: string;
}

/**
 * Brings the schema up to date. Several processes may start at once: one migrates while the others wait for its lock and
 * then find nothing left to do. Each file is applied in a transaction of its own. Refuses a database that is newer than
 * this program, one that was made by an unreleased version, and one to which a file was applied that has changed since.
 */
export async function migrateDatabase(url: string, folder = ownFolder): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    const known = await readMigrations(folder);
    const state = stateOf(known, await readApplied(client));
    refuse(state);
    await client.query(
      `create table if not exists tollgate_migrations
         (name text primary key, sha256 text not null, applied_at timestamptz not null default now())`,
    );
    for (const migration of known.filter(({ name }) => state.missing.includes(name))) await apply(client, migration);
    await ensurePartitions(client, { patient: true });
  } finally {
    await client.end();
  }
}

function refuse({ isUnreleased, isNewer, changed }: MigrationState): void {
  if (isUnreleased) throw new Error(`The database ${unreleased.found}: ${unreleased.fix}.`);
  if (isNewer) throw new Error('The database was migrated by a newer version of Tollgate. Run that version.');
  const [name] = changed;
  if (name !== undefined)
    throw new Error(`${name} was applied to this database with other contents: put the file back, and add a new one.`);
}

/** What to say of a database from before 0.1.0, and the way out. */
export const unreleased = {
  found: 'was made by an unreleased version of Tollgate and can not be migrated',
  fix: 'remove the data folder (.tollgate), or name another one in TOLLGATE_DATA_DIR or an empty database in DATABASE_URL',
};

async function apply(client: pg.Client, { name, sql, sha256 }: Migration): Promise<void> {
  try {
    await client.query('begin');
    await client.query(`set local lock_timeout = '${lockTimeout}'`);
    await client.query(sql);
    await client.query('insert into tollgate_migrations (name, sha256) values ($1, $2)', [name, sha256]);
    await client.query('commit');
  } catch (error) {
    const says = error instanceof Error ? error.message : String(error);
    throw new Error(`Migration ${name} failed: ${says}`, { cause: error }); // its connection ends, and so it is rolled back
  }
}

/** How far a database has been migrated, beside how far this program would migrate it. */
export interface MigrationState {
  /** 0: there are no tables yet. */
  applied: number;
  known: number;
  /** Those that this program knows and the database lacks, in their order. */
  missing: string[];
  /** There is one that this program does not know: a newer version applied it. */
  isNewer: boolean;
  /** Those whose file was another one when it was applied. */
  changed: string[];
  /** A version from before 0.1.0 made the tables: drizzle listed its migrations. */
  isUnreleased: boolean;
}

/** Reads the state and changes nothing. */
export async function migrationState({ pool }: Pick<Database, 'pool'>): Promise<MigrationState> {
  return stateOf(await readMigrations(ownFolder), await readApplied(pool));
}

interface Applied {
  /** SHA-256 by name. */
  digests: Map<string, string>;
  isUnreleased: boolean;
}

function stateOf(known: readonly Migration[], { digests, isUnreleased }: Applied): MigrationState {
  const names = known.map(({ name }) => name);
  return {
    applied: digests.size,
    known: known.length,
    missing: names.filter((name) => !digests.has(name)),
    isNewer: [...digests.keys()].some((name) => !names.includes(name)),
    changed: known.flatMap(({ name, sha256 }) => ((digests.get(name) ?? sha256) === sha256 ? [] : [name])),
    isUnreleased,
  };
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      // A checkout on Windows may have other line ends.
      const sql = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n');
      return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

async function readApplied(client: Pick<pg.Client | pg.Pool, 'query'>): Promise<Applied> {
  const { rows: found } = await client.query(
    `select to_regclass('tollgate_migrations') is not null as listed, to_regclass('entries') is not null
       and exists (select 1 from pg_class where relname = '__drizzle_migrations') as listed_by_drizzle`,
  );
  const [{ listed, listed_by_drizzle }] = foundRow.parse(found);
  const { rows } = listed ? await client.query('select name, sha256 from tollgate_migrations') : { rows: [] };
  const applied = appliedRows.parse(rows);
  return {
    digests: new Map(applied.map(({ name, sha256 }) => [name, sha256])),
    isUnreleased: listed_by_drizzle && !listed,
  };
}

const foundRow = z.tuple([z.object({ listed: z.boolean(), listed_by_drizzle: z.boolean() })]);
const appliedRows = z.array(z.object({ name: z.string(), sha256: z.string() }));
