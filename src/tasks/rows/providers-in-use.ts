/** Which providers are still needed by tasks that are not final. */
import * as z from 'zod';
import type { Database } from '../../postgres/database.ts';
import { computed, row, type RowOf } from '../../postgres/row.ts';

const inUseRow = row({
  provider: z.string(),
  /** Of the tasks that may need it. */
  count: computed('count(*)::integer', z.int()),
  /** The oldest of them, up to ten. */
  taskIds: computed('(array_agg(id order by created_at, id))[1:10]', z.array(z.string())),
});
export type ProviderInUse = RowOf<typeof inUseRow>;

/** Those of the providers that a task which is not final names in its terms. */
export async function providersInUse(database: Database, providers: readonly string[]): Promise<ProviderInUse[]> {
  if (providers.length === 0) return [];
  const { rows } = await database.keyed.query({
    name: 'providers-in-use',
    text: `select ${inUseRow.columns}
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
