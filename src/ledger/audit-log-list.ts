/** The audit log as operators read it: in pages, with the names that people, keys and accounts have today. */
import * as z from 'zod';
import { type Act, actRow } from './audit-log.ts';
import type { Database } from '../postgres/database.ts';
import { computed, row, type RowOf } from '../postgres/row.ts';

const namesRow = row({
  /** The e-mail address of a person, the name of a key; null of others. */
  actorName: computed('coalesce(p.email, k.name)', z.string().nullable()),
  accountName: computed('a.name', z.string().nullable()),
});
export type ListedAct = Act & RowOf<typeof namesRow>;

export interface ActPageFilter {
  account?: string | undefined;
  /** As it stands in the log, or a person's e-mail address. */
  actor?: string | undefined;
  action?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/** Up to `limit` acts before the number `before`, or the newest. */
export async function listActPage(
  database: Database,
  { account, actor, action, from, to }: ActPageFilter,
  { limit, before }: { limit: number; before: bigint | undefined },
): Promise<ListedAct[]> {
  const { rows } = await database.pool.query(
    `select l.*, ${namesRow.columns} from (
       select ${actRow.columns} from acts
       where seq < coalesce($1, 9223372036854775807) and ($2::text is null or account_id = $2)
         and ($3::text is null or actor = $3 or actor = (select 'person:' || id from people where email = lower($3)))
         and ($4::text is null or action = $4)
         and ($5::timestamptz is null or at >= $5) and ($6::timestamptz is null or at < $6)
       order by seq desc limit $7
     ) l left join people p on l.actor = 'person:' || p.id left join api_keys k on l.actor = 'key:' || k.id
       left join accounts a on a.id = l."accountId"
     order by l.seq desc`,
    [before ?? null, account ?? null, actor ?? null, action ?? null, from ?? null, to ?? null, limit],
  );
  return rows.map((row) => ({ ...actRow.parse(row), ...namesRow.parse(row) }));
}

/** The names of actors, by what the log calls them (e-mail addresses of people, names of keys), and of accounts by id. */
export async function namesOf(database: Database, named: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const idsOf = (prefix: string) =>
    named.filter((one) => one.startsWith(prefix)).map((one) => one.slice(prefix.length));
  const { rows } = await database.pool.query(
    `select 'person:' || id as named, email as name from people where id = any($1::text[])
     union all select 'key:' || id, name from api_keys where id = any($2::text[])
     union all select id, name from accounts where id = any($3::text[])`,
    [idsOf('person:'), idsOf('key:'), named],
  );
  return new Map(rows.map((row) => nameRow.parse(row)).map(({ named: of, name }) => [of, name]));
}

const nameRow = z.object({ named: z.string(), name: z.string() });
