/** How far a database has been migrated, beside how far this program would migrate it. Changes nothing. */
import { readMigrationFiles } from 'drizzle-orm/migrator';
import * as z from 'zod';
import { type Database, migrationsFolder } from './database.ts';

export interface MigrationState {
  /** 0: there are no tables yet. */
  applied: number;
  known: number;
  /** Of those that this program knows. */
  missing: number;
  /** There is one that this program does not know: a newer version made it. */
  isNewer: boolean;
}

export async function migrationState({ pool }: Database): Promise<MigrationState> {
  const known = readMigrationFiles({ migrationsFolder }).map(({ folderMillis }) => folderMillis);
  const { rows: found } = await pool.query(`select to_regclass('drizzle.__drizzle_migrations') is not null as there`);
  const { there } = z.object({ there: z.boolean() }).parse(found[0]);
  const { rows } = there ? await pool.query('select created_at from drizzle.__drizzle_migrations') : { rows: [] };
  const applied = z.array(z.object({ created_at: z.bigint() })).parse(rows);
  const newest = Math.max(-Infinity, ...applied.map(({ created_at }) => Number(created_at)));
  return {
    applied: applied.length,
    known: known.length,
    // drizzle applies what is newer than the newest that was applied.
    missing: known.filter((at) => at > newest).length,
    isNewer: newest > Math.max(...known),
  };
}
