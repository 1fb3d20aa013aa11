/** Which providers are still needed by tasks that are not final. */
import * as z from 'zod';
import type { Database } from '../../postgres/database.ts';

export interface ProviderInUse {
  provider: string;
  /** Of the tasks that may need it. */
  count: number;
  /** The oldest of them, up to ten. */
  taskIds: readonly string[];
}

/** Those of the providers that a task which is not final names in its terms. */
export async function providersInUse(database: Database, providers: readonly string[]): Promise<ProviderInUse[]> {
  if (providers.length === 0) return [];
  const { rows } = await database.keyed.query({
    name: 'providers-in-use',
    text: `select provider, count(*)::integer as count, (array_agg(id order by created_at, id))[1:10] as task_ids
      from (
        select distinct t.id, t.created_at, route ->> 'provider' as provider
        from tasks t cross join lateral jsonb_array_elements(t.terms -> 'routes') as route
        where t.finished_at is null
      ) as needed
      where provider = any($1::text[]) group by provider order by provider`,
    values: [providers],
  });
  return rows.map((row) => inUseRow.parse(row));
}

const inUseRow = z
  .object({ provider: z.string(), count: z.int(), task_ids: z.array(z.string()) })
  .transform((row): ProviderInUse => ({ provider: row.provider, count: row.count, taskIds: row.task_ids }));
