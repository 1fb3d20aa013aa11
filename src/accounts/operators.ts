/** People of the whole installation, as operators see and administer them. */
import type pg from 'pg';
import * as z from 'zod';
import { accountRoles } from '../domain/accounts/person-rules.ts';
import { type ActName, administer, type Administrator } from '../ledger/audit-log.ts';
import type { Database } from '../postgres/database.ts';
import { computed, row, type RowOf } from '../postgres/row.ts';
import { lockLinksAbout, takeBackLinks } from './invitations.ts';
import { type Person, personColumns, personRow } from './people.ts';

const listedRow = row({
  accounts: computed(
    `coalesce((select jsonb_agg(jsonb_build_object('id', a.id, 'name', a.name, 'role', m.role) order by a.name, a.id)
      from memberships m join accounts a on a.id = m.account_id where m.person_id = p.id), '[]')`,
    z.array(z.object({ id: z.string(), name: z.string(), role: z.enum(accountRoles) })),
  ),
  /** When one of their sessions was last used; null where none is left. */
  lastSeenAt: computed('(select max(seen_at) from sessions s where s.person_id = p.id)', z.date().nullable()),
  /** The account into which the link led that made this person; null where an operator or a command made them. */
  joinedBy: computed(
    `(select jsonb_build_object('id', a.id, 'name', a.name) from invitations i join accounts a on a.id = i.account_id
      where i.email = p.email and i.is_used and not i.makes_operator and i.closed_at <= p.created_at
      order by i.closed_at desc limit 1)`,
    z.object({ id: z.string(), name: z.string() }).nullable(),
  ),
});
export type ListedPerson = Person & RowOf<typeof listedRow>;

/** Up to `limit` people before the id `before`, or the newest; ids are ordered by time. */
export async function listPeople(
  database: Database,
  { search }: { search?: string | undefined },
  { limit, before }: { limit: number; before: string | undefined },
): Promise<ListedPerson[]> {
  const { rows } = await database.pool.query(
    `select ${personColumns}, ${listedRow.columns}
     from people p
     where ($1::text is null or strpos(p.email, lower($1)) > 0 or p.id = $1) and ($2::text is null or p.id < $2)
     order by p.id desc limit $3`,
    [search ?? null, before ?? null, limit],
  );
  return rows.map((row) => ({ ...personRow.parse(row), ...listedRow.parse(row) }));
}

/** The person with this e-mail address, in lower case. */
export async function findPersonByEmail(database: Database, email: string): Promise<Person | undefined> {
  const { rows } = await database.pool.query(`select ${personColumns} from people p where p.email = $1`, [email]);
  return rows[0] === undefined ? undefined : personRow.parse(rows[0]);
}

/** `last`: they are the last operator who can sign in, and stay so. */
export type PersonChanged = 'changed' | 'unchanged' | 'last';

/**
 * Keeps a person from signing in, and ends their sessions and open links; or lets them again. Never the last operator: who is one is
 * decided while no other transaction changes people.
 */
export const setDisabled = (
  by: Administrator,
  person: Person,
  isDisabled: boolean,
  reason?: string,
): Promise<PersonChanged> =>
  change(by, person, {
    takesOperator: isDisabled,
    action: isDisabled ? 'person.disabled' : 'person.enabled',
    ...(reason !== undefined && { reason }),
    write: async (client) => {
      const { rowCount } = await client.query(
        isDisabled
          ? 'update people set disabled_at = now() where id = $1 and disabled_at is null'
          : 'update people set disabled_at = null where id = $1 and disabled_at is not null',
        [person.id],
      );
      if (isDisabled) await client.query('delete from sessions where person_id = $1', [person.id]);
      return rowCount === 1;
    },
  });

/**
 * Takes the rights of an operator and all open links from a person; never from the last one. Nothing gives these rights to
 * a person who is there but a link (`invitations.ts`), which sets a new password: an address alone proves nothing.
 */
export const removeOperator = (by: Administrator, person: Person): Promise<PersonChanged> =>
  change(by, person, {
    takesOperator: true,
    action: 'person.changed',
    details: { operator: 'false' },
    write: async (client) => {
      const { rowCount } = await client.query(
        'update people set is_operator = false, operator_seal = null where id = $1 and is_operator',
        [person.id],
      );
      return rowCount === 1;
    },
  });

interface Change {
  /** After it, the person is no operator who can sign in. */
  takesOperator: boolean;
  action: ActName;
  details?: Record<string, string>;
  reason?: string;
  /** Returns whether anything was changed. */
  write: (client: pg.ClientBase) => Promise<boolean>;
}

async function change(
  by: Administrator,
  person: Person,
  { takesOperator, action, details, reason, write }: Change,
): Promise<PersonChanged> {
  const { id, email } = person;
  const refused = { isLast: false };
  const done = await administer(by, async (client) => {
    const links = takesOperator ? await lockLinksAbout(client, person) : [];
    if (takesOperator) {
      // Two who would each leave the other as the last come one after the other; the rows alone would be locked in the
      // order of what each of them has seen, and they could wait for each other.
      await client.query('lock table people in share row exclusive mode');
      const { rows } = await client.query('select id from people where is_operator and disabled_at is null limit 2');
      const ids = rows.map((row) => idRow.parse(row).id);
      refused.isLast = ids.length === 1 && ids[0] === id;
      if (refused.isLast) return undefined;
    }
    if (!(await write(client))) return undefined;
    const all = { person: id, email, ...details, ...(await takeBackLinks(client, links)) };
    const act = { action, account: null, subject: id, details: all };
    return { act: { ...act, ...(reason !== undefined && { reason }) }, outcome: true };
  });
  return done ? 'changed' : refused.isLast ? 'last' : 'unchanged';
}

const idRow = z.object({ id: z.string() });
