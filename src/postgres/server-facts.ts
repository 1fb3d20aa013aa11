/** What a database server says of itself and of our role on it, for those who look for what is wrong. Changes nothing. */
import * as z from 'zod';
import type { Database } from './database.ts';

const row = z.object({
  version: z.string(),
  major: z.int(),
  encoding: z.string(),
  standby: z.boolean(),
  read_only: z.boolean(),
  role: z.string(),
  superuser: z.boolean(),
  makes_tables: z.boolean(),
  foreign_tables: z.int(),
  fsync: z.string(),
  full_page_writes: z.string(),
  synchronous_commit: z.string(),
  connections_max: z.int(),
  connections_used: z.int(),
  now_ms: z.number(),
});

export interface ServerFacts extends Omit<z.output<typeof row>, 'now_ms'> {
  /** How far this machine's clock is ahead of the server's, in ms; within half the time that the answer took. */
  clockAheadMs: number;
  roundTripMs: number;
}

/** Asks once. `foreign_tables` counts our tables that belong to another role, which migrations would need. */
export async function readServerFacts({ pool }: Database): Promise<ServerFacts> {
  const client = await pool.connect();
  try {
    await client.query('select 1'); // the first answer of a connection takes longer, and would spoil the clock
    const startedAt = performance.now();
    const { rows } = await client.query(`select
        split_part(current_setting('server_version'), ' ', 1) as version,
        current_setting('server_version_num')::int / 10000 as major,
        current_setting('server_encoding') as encoding,
        pg_is_in_recovery() as standby,
        current_setting('default_transaction_read_only') = 'on' as read_only,
        current_user as role,
        (select rolsuper from pg_roles where rolname = current_user) as superuser,
        coalesce(has_schema_privilege(current_schema(), 'create'), false) as makes_tables,
        (select count(*)::int from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where n.nspname = current_schema() and c.relkind in ('r', 'p')
            and not pg_has_role(current_user, c.relowner, 'usage')) as foreign_tables,
        current_setting('fsync') as fsync,
        current_setting('full_page_writes') as full_page_writes,
        current_setting('synchronous_commit') as synchronous_commit,
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
          as connections_max,
        (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections_used,
        extract(epoch from clock_timestamp())::float8 * 1000 as now_ms`);
    const roundTripMs = performance.now() - startedAt;
    const { now_ms, ...facts } = row.parse(rows[0]);
    return { ...facts, roundTripMs, clockAheadMs: Date.now() - roundTripMs / 2 - now_ms };
  } finally {
    client.release();
  }
}
