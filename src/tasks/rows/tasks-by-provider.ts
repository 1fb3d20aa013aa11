/** How many tasks under way may need each provider: those that name it in one of their routes. */
import * as z from 'zod';
import type { Database } from '../../postgres/database.ts';

/** Counting goes no further: the terms of 10,000 tasks are read in some 50 ms. */
const tasksMax = 10_000;

/** Counts the tasks that are not final, by each provider of their routes. Tasks whose terms can't be read count for none. */
export async function unfinishedByProvider(database: Database): Promise<Map<string, number>> {
  const { rows } = await database.pool.query({
    name: 'unfinished-by-provider',
    text: `select route ->> 'provider' as provider, count(distinct t.id)::integer as count
      from (select id, terms -> 'routes' as routes from tasks where finished_at is null limit $1) t,
        jsonb_array_elements(case jsonb_typeof(t.routes) when 'array' then t.routes else '[]' end) as route
      where route ->> 'provider' is not null group by 1`,
    values: [tasksMax],
  });
  return new Map(rows.map((row) => providerCount.parse(row)));
}

const providerCount = z
  .object({ provider: z.string(), count: z.int() })
  .transform(({ provider, count }) => [provider, count] as const);
