/** What tasks have a database write: commits, and bytes of the write-ahead log, by the server's own counters. */
import pg from 'pg';
import { z } from 'zod';

export interface DatabaseWork {
  commits: number;
  walBytes: number;
}

const rowSchema = z.object({ commits: z.coerce.number(), wal: z.coerce.number() });

/** All commits of the server and the bytes of its log so far; the difference of two looks is what happened between them. */
export async function databaseWork(url: string): Promise<DatabaseWork> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Servers hand their counts in after a second at the latest; without it the last moment's would be missing.
    const { rows } = await client.query(
      `select (select sum(xact_commit) from pg_stat_database) as commits, pg_current_wal_lsn() - '0/0' as wal from pg_sleep(1.2)`,
    );
    const { commits, wal } = rowSchema.parse(rows[0]);
    return { commits, walBytes: wal };
  } finally {
    await client.end();
  }
}
