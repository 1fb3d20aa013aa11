/** The audit log as people read it: in pages, with the names that people, keys and accounts have today. */
import * as z from 'zod';
import { type Act, actRow } from './audit-log.ts';
import type { Database } from '../postgres/database.ts';
import { computed, row, type RowOf } from '../postgres/row.ts';

/** Whether a person `p` is one of the account's, or was changed as one. */
const isOrWasOf = (account: string) => `(
  exists (select 1 from memberships m where m.person_id = p.id and m.account_id = ${account})
  or exists (select 1 from acts a where a.subject = p.id and a.account_id = ${account}))`;

const namesRow = row({
  /** The e-mail address of a person, the name of a key; null of others. */
  actorName: computed('coalesce(p.email, k.name)', z.string().nullable()),
  accountName: computed('a.name', z.string().nullable()),
  /** Whether the actor is, or was, one of the account's people, or one of its keys. */
  isOfAccount: computed(`coalesce(k.account_id = l."accountId", false) or ${isOrWasOf('l."accountId"')}`, z.boolean()),
});
export type ListedAct = Act & RowOf<typeof namesRow>;

export interface ActPageFilter {
  account?: string | undefined;
  /** As it stands in the log, or a person's e-mail address. */
  actor?: string | undefined;
  action?: string | undefined;
  /** Only these. */
  actions?: readonly string[] | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/** Up to `limit` acts before the number `before`, or the newest. */
export async function listActPage(
  database: Database,
  { account, actor, action, actions, from, to }: ActPageFilter,
  { limit, before }: { limit: number; before: bigint | undefined },
): Promise<ListedAct[]> {
  const { rows } = await database.pool.query(
    `select l.*, ${namesRow.columns} from (
       select ${actRow.columns} from acts
       where seq < coalesce($1, 9223372036854775807) and ($2::text is null or account_id = $2)
         and ($3::text is null or actor = $3 or actor = (select 'person:' || id from people where email = lower($3)))
         and ($4::text is null or action = $4)
         and ($8::text[] is null or action = any($8))
         and ($5::timestamptz is null or at >= $5) and ($6::timestamptz is null or at < $6)
       order by seq desc limit $7
     ) l left join people p on l.actor = 'person:' || p.id left join api_keys k on l.actor = 'key:' || k.id
       left join accounts a on a.id = l."accountId"
     order by l.seq desc`,
    [before ?? null, account ?? null, actor ?? null, action ?? null, from ?? null, to ?? null, limit, actions ?? null],
  );
  return rows.map((row) => ({ ...actRow.parse(row), ...namesRow.parse(row) }));
}

/** The actor who has this e-mail address, if they are, or were, of the account; undefined for all others. */
export async function actorOfAccount(database: Database, account: string, email: string): Promise<string | undefined> {
  const { rows } = await database.pool.query(
    `select 'person:' || p.id as actor from people p where p.email = lower($2) and ${isOrWasOf('$1')}`,
    [account, email],
  );
  return rows[0] === undefined ? undefined : z.object({ actor: z.string() }).parse(rows[0]).actor;
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
