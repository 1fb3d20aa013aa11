/** Who made the keys of an account, as far as its people may know. */
import * as z from 'zod';
import type { AccountId } from '../domain/ids.ts';
import type { Database } from '../postgres/database.ts';
import { row, type RowOf } from '../postgres/row.ts';

const makerRow = row({
  /** As the audit log names an actor. */
  actor: z.string(),
  /** The e-mail address of a person, the name of a key of this account. */
  name: z.string(),
  /** A person who is an operator and not of the account: who that is, is not its matter. */
  isOperator: z.boolean(),
});
type KeyMaker = RowOf<typeof makerRow>;

/** The people and keys among these actors, by what the log calls them; who is known no more is left out. */
export async function keyMakers(
  database: Database,
  account: AccountId,
  actors: readonly (string | null)[],
): Promise<ReadonlyMap<string, KeyMaker>> {
  const idsOf = (prefix: string) =>
    actors.flatMap((actor) => (actor?.startsWith(prefix) === true ? [actor.slice(prefix.length)] : []));
  const [people, keys] = [idsOf('person:'), idsOf('key:')];
  if (people.length + keys.length === 0) return new Map();
  const { rows } = await database.pool.query(
    `select ${makerRow.columnsOf('m')} from (
       select 'person:' || p.id as actor, p.email as name, p.is_operator and not exists (
           select from memberships s where s.person_id = p.id and s.account_id = $1) as is_operator
         from people p where p.id = any($2::text[])
       union all
       select 'key:' || k.id, k.name, false from api_keys k where k.account_id = $1 and k.id = any($3::text[])
     ) m`,
    [account, people, keys],
  );
  return new Map(rows.map((each) => makerRow.parse(each)).map((maker) => [maker.actor, maker]));
}
