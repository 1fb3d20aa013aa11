/** How many bytes calls and tasks leave in the gateway's database, and in its log (WAL). */
import pg from 'pg';
import { z } from 'zod';
import { bookedSchema } from './messages.ts';
import type { RealWorld } from './real-world.ts';

/** kB of one. */
export interface Sizes {
  callDiskKb: number;
  callWalKb: number;
  taskDiskKb: number;
  taskWalKb: number;
}

const factsSchema = z.tuple([z.object({ disk: z.coerce.number(), wal: z.coerce.number() })]);

export async function measureSizes(world: RealWorld, count: number): Promise<Sizes> {
  // Before: a page's first change after a checkpoint is logged whole, and empty tables have pages that fill.
  await grown(world, { calls: count / 2, tasks: count / 2 });
  const call = await grown(world, { calls: count, tasks: 0 });
  const task = await grown(world, { calls: 0, tasks: count });
  return {
    ...{ callDiskKb: call.disk / count / 1_000, callWalKb: call.wal / count / 1_000 },
    ...{ taskDiskKb: task.disk / count / 1_000, taskWalKb: task.wal / count / 1_000 },
  };
}

async function grown(world: RealWorld, amounts: { calls: number; tasks: number }) {
  const before = await factsOf(world.databaseUrl);
  await world.run([{ order: 'book', ...amounts }], bookedSchema);
  const after = await factsOf(world.databaseUrl);
  return { disk: after.disk - before.disk, wal: after.wal - before.wal };
}

async function factsOf(databaseUrl: string): Promise<{ disk: number; wal: number }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(`
      select sum(pg_relation_size(c.oid)) as disk, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as wal
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind in ('r', 'i')`);
    const [facts] = factsSchema.parse(rows);
    return facts;
  } finally {
    await client.end();
  }
}
